import { describe, expect, it } from 'vitest';
import {
  hurried,
  type Machine,
  type Mode,
  usualModes,
  openMachine,
  people,
  type Person,
  person,
  summaryOf,
  rows,
} from './matrix-rig.ts';
import { some } from '../support/long-tests.ts';

const slow = ['--concurrency', '2'];
const all = people(1, rows);

interface Input {
  readonly name: string;
  readonly rows: readonly Person[];
  /** Writes the input; returns the arguments of `send-batch`. */
  readonly give: (machine: Machine, rows: readonly Person[]) => readonly [file: string, stdin?: string];
}

const inFile =
  (name: string, format: 'csv' | 'crlf' | 'ndjson' | 'json' = 'csv'): Input['give'] =>
  (machine, given) => [machine.write(given, name, format)];

const inputs: readonly Input[] = [
  { name: 'the same file', rows: all, give: inFile('people.csv') },
  { name: 'the file under another name', rows: all, give: inFile('tuesday.csv') },
  { name: 'the file with a row added', rows: [person(0), ...all], give: inFile('people.csv') },
  { name: 'the file with 5 rows removed', rows: all.slice(5), give: inFile('people.csv') },
  { name: 'the file sorted', rows: [...all].reverse(), give: inFile('people.csv') },
  { name: 'the file with CRLF', rows: all, give: inFile('people.csv', 'crlf') },
  { name: 'the rows as NDJSON', rows: all, give: inFile('people.ndjson', 'ndjson') },
  { name: 'the rows as JSON', rows: all, give: inFile('people.json', 'json') },
  { name: 'the rows from stdin', rows: all, give: (machine, given) => ['-', machine.text(given)] },
];

const cases = usualModes.flatMap((mode) => inputs.map((input) => [mode, input.name, input] as const));
const named = inputs.map((input) => [input.name, input] as const);

async function give(machine: Machine, { rows: given, give: write }: Input, words: readonly string[] = []) {
  const [file, stdin] = write(machine, given);
  return machine.batch(file, words, stdin === undefined ? {} : { stdin });
}

describe('after an interruption', () => {
  it.concurrent.each(cases)('with a %s key, %s sends the rest', async (mode, _, input) => {
    await using machine = await openMachine(mode);
    const first = await machine.batch(machine.write(all), slow, { interruptAfter: 3 });
    expect([first.code, first.error]).toEqual([130, 'interrupted']);
    const second = await give(machine, input);
    expect(second).toMatchObject({ code: 0, summary: { continues: true, not_reached: 0, failed: 0, unsure: 0 } });
    expect(machine.reach(input.rows)).toEqual({ 1: input.rows.length });
    expect(summaryOf(second).sent + summaryOf(second).skipped.this_run).toBe(input.rows.length);
  });

  it.concurrent.each(named.filter(([name]) => /file$|sorted|stdin/.test(name)))(
    'of the rows from stdin, %s sends the rest',
    async (_, input) => {
      await using machine = await openMachine('live');
      expect(await machine.batch('-', slow, { stdin: machine.text(all), interruptAfter: 3 })).toMatchObject({
        code: 130,
      });
      expect(await give(machine, input)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    },
  );
});

describe('after the end', () => {
  it.concurrent.each(named)('with a live key, %s is refused, and --skip-sent sends only new rows', async (_, input) => {
    await using machine = await openMachine('live');
    await machine.batch(machine.write(all));
    const added = input.rows.filter((row) => !all.includes(row)).length;
    const second = await give(machine, input);
    expect(second).toMatchObject({ code: 11, error: 'sent-before', summary: undefined });
    expect(second.text).toContain(`${input.rows.length - added}`);
    expect(second.text).toMatch(/--job NAME --again sends all \d+ once more, for another occasion/);
    expect(second.text.includes('--skip-sent')).toBe(added > 0);
    expect(machine.reach(all)).toEqual({ 1: rows });
    const third = await give(machine, input, ['--skip-sent']);
    const skipped = { earlier_run: input.rows.length - added };
    expect(third).toMatchObject({ code: 0, summary: { sent: added, not_reached: 0, skipped } });
    expect(machine.reach(input.rows)).toEqual({ 1: input.rows.length });
  });

  it.concurrent.each(some(named))('with a sandbox key, %s is sent again with a note', async (_, input) => {
    await using machine = await openMachine('sandbox');
    await machine.batch(machine.write(all));
    const second = await give(machine, input);
    expect(second).toMatchObject({ code: 0, notes: ['run'], summary: { sent: input.rows.length, continues: false } });
  });
});

describe.each(usualModes)('after an outage with a %s key', (mode: Mode) => {
  it.concurrent('the same command sends the rest, and holds back the rows that were in flight', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write(all);
    machine.service.after(4, () => void machine.service.goAway());
    const first = await machine.batch(file, slow, { ...hurried(), isOneOfSeveral: true });
    expect([first.code, first.error]).toEqual([9, 'unreachable']);
    const { unsure, not_reached: left } = summaryOf(first);
    expect([unsure > 0, left > 0]).toEqual([true, true]);
    await machine.service.comeBack();
    const second = await machine.batch(file);
    expect(second).toMatchObject({ code: 10, summary: { sent: left, skipped: { unsure } } });
    expect(machine.reach(all)[2]).toBeUndefined();
    const third = await machine.batch(file, ['--retry-unsure']);
    expect(third).toMatchObject({ code: 0, summary: { sent: unsure, not_reached: 0 } });
    expect(machine.reach(all)[0]).toBeUndefined();
  });

  it.concurrent('a run that is interrupted several times sends each row once', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write(all);
    for (let part = 0; part < 3; part++)
      expect(await machine.batch(file, slow, { interruptAfter: 2 })).toMatchObject({ code: 130 });
    expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true } });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });
});
