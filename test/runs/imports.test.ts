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

  it.concurrent('a finished import runs again, with a note', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write(all);
    await machine.load(file);
    const second = await machine.load(file, slow, { interruptAfter: 3 });
    expect(second).toMatchObject({ code: 130, summary: { continues: false } });
    expect(second.notes).toContain('run');
    expect(await machine.load(file)).toMatchObject({ code: 0, summary: { continues: true } });
    expect(machine.reach(all)).toEqual({ 2: rows });
  });

  it.concurrent('the note counts the contacts that may have been created', async () => {
    await using machine = await openMachine(mode);
    machine.service.treat = ({ to }) => (to === person(3).phone ? 'fault' : 'sent');
    const file = machine.write(all);
    await machine.load(file);
    const { stderr } = await machine.load(file, ['--dry-run']);
    expect(stderr).toContain(`${rows} rows were imported before, or may have been (1 is unsure)`);
  });

  it.concurrent('--new-only and --job import only new rows', async () => {
    await using machine = await openMachine(mode);
    for (const words of [['--new-only'], ['--job', 'crm']]) {
      const more = people(1, rows + 6);
      const counts = machine.service.sent.length;
      await machine.load(machine.write(all), words);
      const file = machine.write(more);
      const last = await machine.load(file, [...words, '--concurrency', '1'], { interruptAfter: 3 });
      expect(last).toMatchObject({ code: 130, summary: { sent: 3 } });
      expect(await machine.load(file, words)).toMatchObject({ code: 0, summary: { sent: 3, not_reached: 0 } });
      expect(machine.service.sent.length - counts).toBe(rows + 6);
    }
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
