import { describe, expect, it } from 'vitest';
import { modes, openMachine, people, person, rows } from './matrix-rig.ts';

const all = people(1, rows);
const slow = ['--concurrency', '2'];

describe.each(modes)('with a %s key', (mode) => {
  it.concurrent('an interrupted import sends the rest, also from another file', async () => {
    await using machine = await openMachine(mode);
    expect(await machine.load(machine.write(all), slow, { interruptAfter: 3 })).toMatchObject({ code: 130 });
    const file = machine.write([...all].reverse(), 'contacts.ndjson', 'ndjson');
    expect(await machine.load(file, slow, { interruptAfter: 3 })).toMatchObject({ code: 130 });
    const last = await machine.load('-', [], { stdin: machine.text(all) });
    expect(last).toMatchObject({ code: 0, summary: { continues: true, not_reached: 0 } });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('what was imported is skipped and counted; --again imports all', async () => {
    await using machine = await openMachine(mode);
    machine.service.treat = ({ to }) => (to === person(3).phone ? 'rejected' : 'sent');
    const file = machine.write(all);
    expect(await machine.load(file)).toMatchObject({ code: 10, summary: { sent: rows - 1, failed: 1 } });
    machine.service.treat = () => 'sent';
    const second = await machine.load(file);
    expect(second).toMatchObject({ code: 0, summary: { sent: 1, skipped: { earlier_run: rows - 1 } } });
    expect(await machine.load(file, [...slow, '--again'], { interruptAfter: 3 })).toMatchObject({ code: 130 });
    expect(await machine.load(file, ['--again'])).toMatchObject({ code: 0, summary: { continues: true } });
    expect(machine.reach(all)).toEqual({ 2: rows });
  });

  it.concurrent('--job imports only new rows', async () => {
    await using machine = await openMachine(mode);
    const words = ['--job', 'crm'];
    await machine.load(machine.write(all), words);
    const file = machine.write(people(1, rows + 6));
    const last = await machine.load(file, [...words, '--concurrency', '1'], { interruptAfter: 3 });
    expect(last).toMatchObject({ code: 130, summary: { sent: 3 } });
    expect(await machine.load(file, words)).toMatchObject({ code: 0, summary: { sent: 3, not_reached: 0 } });
    expect(machine.service.sent).toHaveLength(rows + 6);
  });

  it.concurrent('each different row of a contact is sent once, in the order of the file', async () => {
    await using machine = await openMachine(mode);
    const [ada, ava, ana] = [person(1), { ...person(1), name: 'Ava' }, { ...person(1), name: 'Ana' }];
    const file = machine.write([ada, ava, ada, ana]);
    const words = ['--concurrency', '1'];
    const first = await machine.load(file, words, { interruptAfter: 2 });
    expect(first).toMatchObject({ code: 130, summary: { rows: 4, skipped: { duplicate: 1 } } });
    expect(await machine.load(file, words)).toMatchObject({ code: 0, summary: { sent: 1, skipped: { this_run: 2 } } });
    expect(machine.service.sent.map(({ params }) => params[0])).toEqual(['P1', 'Ava', 'Ana']);
  });
});
