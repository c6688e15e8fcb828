import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, afterEach, describe, expect, it } from 'vitest';
import { type Machine, openMachine, people, phoneOf } from './twice/rig.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});
afterEach(() => machine[Symbol.asyncDispose]());

const path = (name: string) => join(machine.home, name);
const show = (...words: readonly string[]) => machine.run(['runs', 'show', ...words]);
const shown = async (...words: readonly string[]) => JSON.parse((await show(...words, '-o', 'json')).stdout);
const outcomesOf = async (...words: readonly string[]) =>
  (await shown(...words)).map(({ outcome }: { outcome: string }) => outcome);
/** Sends the rows of a file; returns the summary. */
const batch = async (file: string, ...words: readonly string[]) => {
  const always = ['--map', 'Mobil=phone', '-p', ':Name', '--at-most', '99', '--rate', 'none', '-o', 'json'];
  const ran = await machine.run(['send-batch', 'welcome', file, ...always, ...words]);
  return JSON.parse(ran.stdout);
};

const header = 'Name;Mobil;Land;id';
const line = (number: number, land = 'DE', name = `P${number}`) => `${name};${phoneOf(number)};${land};${number}`;

describe('the report of a run', () => {
  /** One row of each outcome, and two runs that have one of them before. */
  async function everything(): Promise<string> {
    const file = path('kunden.csv');
    writeFileSync(file, `${header}\n${line(5)}\n`);
    await batch(file);
    writeFileSync(path('never.txt'), `${phoneOf(6)}\n`);
    const rows = [line(1), line(2), line(3), line(4, 'AT'), line(5), line(6), line(1), 'X;12;DE;0', line(7), line(8)];
    writeFileSync(file, `${header}\n${rows.join('\n')}\n`);
    machine.reply = ({ phone }) => (phone === phoneOf(2) ? 422 : phone === phoneOf(3) ? 500 : 200);
    const words = ['--where', 'land=DE', '--exclude-from', path('never.txt'), '--skip-sent', '--first', '5'];
    const summary = await batch(file, ...words);
    expect(summary).toMatchObject({ rows: 10, sent: 1, failed: 2, unsure: 1, not_reached: 2 });
    return file;
  }

  it('has each row of the file once, with its own columns, the phone first, and its outcome', async () => {
    await everything();
    const [first] = JSON.parse((await machine.run(['runs', 'list', '-o', 'json'])).stdout);
    const rows = await shown();
    expect(Object.keys(rows[0])).toEqual([
      'Mobil',
      'Name',
      'Land',
      'id',
      'line',
      'outcome',
      'at',
      'bizmsg_id',
      'reason',
      'run',
    ]);
    expect(rows.map((row: Record<string, unknown>) => [row['id'], row['outcome'], row['reason']])).toEqual([
      ['1', 'sent', null],
      ['2', 'failed', expect.stringContaining('422')],
      ['3', 'unsure', expect.stringContaining('500')],
      ['4', 'excluded', 'left out by --where'],
      ['5', 'skipped', `sent by run ${first.id}`],
      ['6', 'excluded', 'in a file of --exclude-from'],
      ['1', 'duplicate', 'the same as line 2'],
      ['0', 'invalid', expect.stringContaining('"12" is not a phone number')],
      ['7', 'not_reached', null],
      ['8', 'not_reached', null],
    ]);
    expect(rows[4]).toMatchObject({ run: first.id, at: expect.stringMatching(/^20/), bizmsg_id: expect.any(String) });
  });

  it('is CSV with the separator of the file and a byte order mark', async () => {
    await everything();
    const { stdout } = await show('-o', 'csv');
    const names = 'Mobil;Name;Land;id;line;outcome;at;bizmsg_id;reason;run';
    expect(stdout.startsWith(`\ufeff${names}\n${phoneOf(1)};P1;DE;1;2;sent;20`)).toBe(true);
    expect(stdout.trim().split('\n')).toHaveLength(11);
  });

  it.each(['csv', 'json', 'tsv'] as const)(
    'is %s, and --exclude-from leaves out the people that it reached',
    async (format) => {
      const file = await everything();
      writeFileSync(path(`report.${format}`), (await show('-o', format)).stdout);
      const words = ['--exclude-from', path(`report.${format}`), '--skip-sent', '--dry-run'];
      // Not the failed one, nor those who were excluded or not reached.
      expect(await batch(file, ...words)).toMatchObject({ would_send: 5, skipped: { excluded: 4 } });
    },
  );

  it('finds rows by their people in a file that was sorted and edited, and says what is missing', async () => {
    const file = path('people.csv');
    machine.write(people(1, 4));
    await machine.batch(people(1, 4));
    const rows = people(1, 4).toReversed();
    writeFileSync(
      file,
      `name,phone\n${[...rows.slice(0, 3), ...people(9, 9)].map((row) => `x,${row.phone}\n`).join('')}`,
    );
    const { stdout, stderr } = await show('-o', 'csv', '--columns', 'phone,outcome,reason');
    expect(stdout).toBe(
      `\ufeffphone,outcome,reason\n${[4, 3, 2].map((one) => `${phoneOf(one)},sent,\n`).join('')}${phoneOf(9)},not_reached,not in this run\n`,
    );
    expect(stderr).toContain('has changed since the run, so its rows are found by their people');
    expect(stderr).toContain('1 row of the run is not in it');
  });

  it('takes a file that was moved, or came from stdin, from --with', async () => {
    await machine.batch(people(1, 2), '', { name: '-' });
    machine.write(people(1, 2), 'there.csv');
    expect((await show()).stderr).toMatch(/read stdin; --with FILE adds the columns of its file/);
    expect(await shown('--with', path('there.csv'))).toMatchObject([{ name: 'P1', outcome: 'sent' }, { name: 'P2' }]);
    await machine.batch(people(3, 4));
    renameSync(path('people.csv'), path('moved.csv'));
    const without = await show('-o', 'json');
    expect(without.stderr).toContain('people.csv is not there any more; --with FILE');
    expect(JSON.parse(without.stdout)).toMatchObject([{ line: 2, outcome: 'sent' }, { line: 3 }]);
    expect(await shown('--with', path('moved.csv'))).toMatchObject([{ name: 'P3' }, { name: 'P4' }]);
  });

  it.each([
    ['another file', 'phone,name\n+12025559999,X\n', 'no row of'],
    ['a file with other columns', 'mail,name\nx@y.z,X\n', 'no column is named phone'],
    ['a missing file', undefined, 'there is no such file'],
  ])('refuses %s, and does without it unless it was asked for', async (_, text, says) => {
    await machine.batch(people(1, 2));
    if (text === undefined) rmSync(path('people.csv'));
    else writeFileSync(path('people.csv'), text);
    const refused = await show('--with', path('people.csv'), '-o', 'json');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining(says)]);
    const { code, stdout, stderr } = await show('-o', 'json');
    expect([code, JSON.parse(stdout).length, stderr]).toEqual([0, 2, expect.stringContaining('--with FILE')]);
  });

  it('of an import finds its contacts by their phone if --set gave a value that is not kept', async () => {
    machine.write([
      { phone: phoneOf(1), name: 'Ada' },
      { phone: 'x', name: 'Bo' },
      { phone: phoneOf(2), name: 'Cy' },
    ]);
    await machine.run(['contacts', 'import', path('people.csv'), '--set', 'source=fair', '--at-most', '9']);
    expect(await outcomesOf()).toEqual(['sent', 'invalid', 'sent']);
  });

  it('prints a line with the counts above the table on a terminal', async () => {
    await everything();
    const { stdout, stderr } = await machine.run(['runs', 'show', '--no-color'], { terminal: 120 });
    expect(stderr).toMatch(/^Run \w+ \(welcome, kunden\.csv, [^)]+\): 10 rows: 1 sent, 1 failed, 1 unsure, 1 skipped/m);
    expect(stdout).toMatch(/^Mobil +outcome +reason/);
  });
});
