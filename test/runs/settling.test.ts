import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive, cli } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import {
  type Machine,
  usualModes,
  openMachine,
  people,
  type Person,
  person,
  summaryOf,
  textOf,
  rows,
} from './matrix-rig.ts';

const all = people(1, rows);
const among = (some: readonly Person[]) => (one: { readonly to: string }) => some.some(({ phone }) => phone === one.to);

/** These rows are unsure at its end; the others are sent. */
async function withUnsure(machine: Machine, some: readonly Person[], words: readonly string[] = []) {
  const isUnsure = among(some);
  machine.service.treat = (message) => (isUnsure(message) ? 'fault' : 'sent');
  const result = await machine.batch(machine.write(all), words);
  machine.service.treat = () => 'sent';
  return result;
}

describe.each(usualModes)('with a %s key', (mode) => {
  describe('unsure rows of a finished run', () => {
    const some = [person(3), person(7), person(8)];

    it.concurrent('are sent by --retry-unsure, which sends no others', async () => {
      await using machine = await openMachine(mode);
      const first = await withUnsure(machine, some);
      expect(first).toMatchObject({ code: 10, summary: { sent: rows - 3, unsure: 3 } });
      const file = machine.write(all);
      const summary = { continues: true, sent: 3, skipped: { this_run: rows - 3 } };
      expect(await machine.batch(file, ['--retry-unsure'])).toMatchObject({ code: 0, summary });
      expect(existsSync(join(machine.home, 'people.unsure.csv'))).toBe(false);
    });

    it.concurrent('are sent once by --retry-unsure, even if it is interrupted and repeated', async () => {
      await using machine = await openMachine(mode);
      await withUnsure(machine, all.slice(0, 6), ['--max-errors', '100']);
      const file = machine.write(all);
      const words = ['--retry-unsure', '--concurrency', '2'];
      expect(await machine.batch(file, words, { interruptAfter: 3 })).toMatchObject({ code: 130 });
      expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { not_reached: 0 } });
      expect([machine.reach(all.slice(0, 6)), machine.reach(all.slice(6))]).toEqual([{ 2: 6 }, { 1: rows - 6 }]);
    });

    it.concurrent('are not sent again after runs resolve --sent', async () => {
      await using machine = await openMachine(mode);
      const { run } = summaryOf(await withUnsure(machine, some));
      expect(await resolve(machine, run, '--sent')).toMatchObject({ code: 0, data: { rows: 3 } });
      const file = machine.write(all);
      const shown = await machine.run(['runs', 'show', run, '--outcome', 'unsure', '-o', 'json']);
      expect(JSON.parse(shown.stdout)).toEqual([]);
      expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({ code: 0, summary: { sent: 0 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('are sent by --skip-sent after runs resolve --not-sent', async () => {
      await using machine = await openMachine(mode);
      const { run } = summaryOf(await withUnsure(machine, some));
      expect(await resolve(machine, run, '--not-sent')).toMatchObject({ code: 0, data: { rows: 3 } });
      const file = machine.write(all);
      const words = ['--skip-sent', '--concurrency', '1'];
      expect(await machine.batch(file, words, { interruptAfter: 1 })).toMatchObject({ code: 130 });
      expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { continues: true, sent: 2 } });
      expect(machine.reach(all)).toEqual({ 1: rows - 3, 2: 3 });
    });

    it.concurrent('can be resolved by line number', async () => {
      await using machine = await openMachine(mode);
      const { run } = summaryOf(await withUnsure(machine, some));
      // Row 3 is on line 4.
      expect(await resolve(machine, run, '--not-sent', '--lines', '4')).toMatchObject({ code: 0, data: { rows: 1 } });
      expect(await resolve(machine, run, '--sent', '--lines', '8-9')).toMatchObject({ code: 0, data: { rows: 2 } });
      expect(await resolve(machine, run, '--sent', '--lines', '8-9')).toMatchObject({ code: 2 });
      const last = await machine.batch(machine.write(all), ['--skip-sent']);
      expect(last).toMatchObject({ code: 0, summary: { sent: 1, skipped: { earlier_run: rows - 1, unsure: 0 } } });
      expect(machine.reach(all)).toEqual({ 1: rows - 1, 2: 1 });
    });
  });

  describe('unsure rows of an unfinished run', () => {
    const some = [person(1), person(2)];

    it.concurrent('are held back by the same command until they are resolved', async () => {
      await using machine = await openMachine(mode);
      const isUnsure = among(some);
      machine.service.treat = (message) => (isUnsure(message) ? 'fault' : 'sent');
      const file = machine.write(all);
      const first = await machine.batch(file, ['--concurrency', '2'], { interruptAfter: 6 });
      machine.service.treat = () => 'sent';
      const second = await machine.batch(file, ['--concurrency', '2'], { interruptAfter: 4 });
      expect(second).toMatchObject({ code: 130, summary: { skipped: { unsure: 2 } } });
      const third = await machine.batch(file);
      expect(third).toMatchObject({ code: 10, summary: { not_reached: 0, skipped: { unsure: 2 } } });
      expect(rowsOf(summaryOf(third).files.unsure)).toEqual([
        `${person(1).phone},P1,N1,the service answered 500 Server Error: oh (line 2)`,
        `${person(2).phone},P2,N2,the service answered 500 Server Error: oh (line 3)`,
      ]);
      expect(await resolve(machine, summaryOf(first).run, '--sent')).toMatchObject({ data: { rows: 2 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });
  });

  describe('rows in flight of a killed command', () => {
    async function killed(machine: Machine): Promise<string> {
      const { service } = machine;
      service.treat = () => (service.sent.length < 4 ? 'sent' : 'no-response');
      const running = machine.start(machine.write(all), ['--concurrency', '8']);
      service.after(12, () => void alive(running.pid, 'SIGKILL'));
      await running.ended;
      service.treat = () => 'sent';
      return onlyRun(machine);
    }

    it.concurrent.each(['--sent', '--not-sent'])('are resolved by runs resolve %s', async (found) => {
      await using machine = await openMachine(mode);
      const run = await killed(machine);
      expect(await resolve(machine, run, found)).toMatchObject({ code: 0, data: { rows: 8 } });
      const counts = found === '--sent' ? { sent: 12, failed: 0 } : { sent: 4, failed: 8 };
      expect(await listed(machine, run)).toMatchObject({ rows, unsure: 0, left: rows - 12, ...counts });
      const last = await machine.batch(machine.write(all));
      expect(last).toMatchObject({ code: 0, summary: { continues: true, not_reached: 0, skipped: { unsure: 0 } } });
      expect(machine.reach(all)).toEqual(found === '--sent' ? { 1: rows } : { 1: rows - 8, 2: 8 });
    });

    it.concurrent('are resolved once, and by line', async () => {
      await using machine = await openMachine(mode);
      const run = await killed(machine);
      const lines = await linesOf(machine, run, 'unsure');
      expect(lines).toHaveLength(8);
      const some = ['--lines', lines.slice(0, 3).join(',')];
      expect(await resolve(machine, run, '--not-sent', ...some)).toMatchObject({ code: 0, data: { rows: 3 } });
      expect(await linesOf(machine, run, 'failed')).toEqual(lines.slice(0, 3));
      expect(await resolve(machine, run, '--not-sent')).toMatchObject({ code: 0, data: { rows: 5 } });
      expect(await resolve(machine, run, '--not-sent')).toMatchObject({ code: 2 });
      expect(await machine.batch(machine.write(all))).toMatchObject({ code: 0, summary: { sent: rows - 4 } });
    });

    it.concurrent('are not among the rows that runs close gives up', async () => {
      await using machine = await openMachine(mode);
      const run = await killed(machine);
      const closed = await machine.run(['runs', 'close', run, '-o', 'json']);
      expect(JSON.parse(closed.stdout)).toEqual({ run, left: rows - 12 });
      expect(await listed(machine, run)).toMatchObject({ state: 'closed', rows, sent: 4, unsure: 8, left: 0 });
    });
  });

  describe('failed rows', () => {
    const some = [person(3), person(5)];

    async function withFailed(machine: Machine, interruptAfter?: number) {
      const isFailed = among(some);
      machine.service.treat = (message) => (isFailed(message) ? 'rejected' : 'sent');
      return machine.batch(machine.write(all), ['--concurrency', '4'], { ...(interruptAfter && { interruptAfter }) });
    }

    /** Replaces the recipients in the file of failed rows. */
    function fix(machine: Machine): string {
      const file = join(machine.home, 'people.failed.csv');
      const fixed = some.reduce(
        (text, { phone }, at) => text.replace(phone, person(rows + at + 1).phone),
        textOf(file),
      );
      writeFileSync(file, fixed);
      return file;
    }

    it.concurrent('are sent once from their fixed file', async () => {
      await using machine = await openMachine(mode);
      expect(await withFailed(machine)).toMatchObject({ code: 10, summary: { sent: rows - 2, failed: 2 } });
      const file = fix(machine);
      const words = ['--concurrency', '1'];
      expect(await machine.batch(file, words, { interruptAfter: 1 })).toMatchObject({ code: 130 });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { rows: 2, sent: 1 } });
      expect(sentOnce(machine)).toBe(true);
      const again = await machine.batch(file);
      expect(again).toMatchObject(
        mode === 'live' ? { code: 11, error: 'sent-before' } : { code: 0, notes: ['run', 'file-done'] },
      );
    });

    it.concurrent('are sent once from their fixed file while the interrupted original runs again', async () => {
      await using machine = await openMachine(mode);
      expect(await withFailed(machine, 8)).toMatchObject({ code: 130, summary: { failed: 2 } });
      const file = fix(machine);
      const words = { isOneOfSeveral: true };
      const [original, fixed] = await Promise.all([
        machine.batch(join(machine.home, 'people.csv'), [], words),
        machine.batch(file, [], words),
      ]);
      expect(original).toMatchObject({ code: 10, summary: { continues: true, failed: 2, not_reached: 0 } });
      expect(fixed).toMatchObject({ code: 0, summary: { rows: 2, sent: 2 } });
      expect(sentOnce(machine)).toBe(true);
    });

    it.concurrent('are retried by the same command after an interruption, and can then be sent', async () => {
      await using machine = await openMachine(mode);
      await withFailed(machine, 8);
      machine.service.treat = () => 'sent';
      const last = await machine.batch(join(machine.home, 'people.csv'));
      expect(last).toMatchObject({ code: 0, summary: { continues: true, failed: 0 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
      expect(existsSync(join(machine.home, 'people.failed.csv'))).toBe(false);
    });

    it.concurrent('of a finished run are retried by --skip-sent', async () => {
      await using machine = await openMachine(mode);
      await withFailed(machine);
      machine.service.treat = () => 'sent';
      const last = await machine.batch(join(machine.home, 'people.csv'), ['--skip-sent']);
      expect(last).toMatchObject({ code: 0, summary: { sent: 2, skipped: { earlier_run: rows - 2 } } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });
  });

  describe('runs close', () => {
    it.concurrent('gives up the rest: later commands compare with the run, but do not continue it', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      const first = await machine.batch(file, ['--concurrency', '4'], { interruptAfter: 4 });
      const { run, sent } = summaryOf(first);
      expect(await machine.run(['runs', 'close', run, '-o', 'json'])).toMatchObject({ code: 0 });
      const words = ['--skip-sent', '--concurrency', '4'];
      expect(await machine.batch(file, words, { interruptAfter: 4 })).toMatchObject({ code: 130 });
      const last = await machine.batch(file, words);
      expect(last).toMatchObject({ code: 0, summary: { not_reached: 0, skipped: { earlier_run: sent } } });
      expect(summaryOf(last).run).not.toBe(run);
      expect(machine.reach(all)).toEqual({ 1: rows });
    });
  });

  describe('runs forget', () => {
    it.concurrent('allows sending a finished run again, without a note', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      const { run } = summaryOf(await machine.batch(file));
      expect(await machine.run(['runs', 'forget', run, '-o', 'json'])).toMatchObject({ code: 11 });
      expect(await machine.run(['runs', 'forget', run, '--yes', '-o', 'json'])).toMatchObject({ code: 0 });
      await machine.batch(file, ['--concurrency', '4'], { interruptAfter: 4 });
      const last = await machine.batch(file);
      expect(last).toMatchObject({ code: 0, summary: { continues: true, not_reached: 0 } });
      expect(last.notes).not.toContain('run');
      expect(machine.reach(all)).toEqual({ 2: rows });
    });

    it.concurrent('makes all rows of an unfinished run due again', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      const { run, sent } = summaryOf(await machine.batch(file, ['--concurrency', '4'], { interruptAfter: 4 }));
      await machine.run(['runs', 'forget', run, '--yes', '-o', 'json']);
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: false, sent: rows } });
      expect(machine.reach(all)).toEqual({ 1: rows - sent, 2: sent });
    });

    it.concurrent('--recipient allows sending to one person again', async () => {
      await using machine = await openMachine(mode);
      const ada = person(1);
      const file = machine.write(all);
      await machine.batch(file, ['--concurrency', '4'], { interruptAfter: 4 });
      const forget = ['runs', 'forget', '--recipient', ada.phone, '--yes', '-o', 'json'];
      expect(await machine.run(forget)).toMatchObject({ code: 0 });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true, not_reached: 0 } });
      expect([machine.reach([ada]), machine.reach(all.slice(1))]).toEqual([{ 2: 1 }, { 1: rows - 1 }]);
      await machine.run(forget);
      const last = await machine.batch(file, ['--skip-sent']);
      expect(last).toMatchObject({ code: 0, summary: { sent: 1, skipped: { earlier_run: rows - 1 } } });
    });
  });
});

it.concurrent('with a live key, the sent rows of a closed run are not sent again', async () => {
  await using machine = await openMachine('live');
  const file = machine.write(all);
  const { run } = summaryOf(await machine.batch(file, ['--concurrency', '4'], { interruptAfter: 4 }));
  await machine.run(['runs', 'close', run, '-o', 'json']);
  expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
});

describe('with a live key, unsure rows of a finished run', () => {
  const some = [person(3), person(7)];

  it.concurrent('stop the same command, which prints their number and how to send them', async () => {
    await using machine = await openMachine('live');
    await withUnsure(machine, some);
    const second = await machine.batch(machine.write(all));
    expect(second).toMatchObject({ code: 11, error: 'sent-before' });
    expect(second.text).toContain(`${rows} found, 2 unsure`);
    expect(second.text).toContain('--retry-unsure sends the unsure rows once more');
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('are held back by --skip-sent, which exits 10 and names the run', async () => {
    await using machine = await openMachine('live');
    const { run } = summaryOf(await withUnsure(machine, some));
    const file = machine.write([...all, person(rows + 1)]);
    const second = await machine.batch(file, ['--skip-sent']);
    const skipped = { earlier_run: rows - 2, unsure: 2 };
    expect(second).toMatchObject({ code: 10, summary: { sent: 1, skipped, earlier: [{ run }] } });
    expect(rowsOf(summaryOf(second).files.unsure)).toEqual(
      some.map(({ phone }) => expect.stringMatching(`^\\${phone},.*,an earlier command may have sent it`)),
    );
    expect(await shown(machine, summaryOf(second).run, 'unsure')).toEqual([]);
    expect(await listed(machine, summaryOf(second).run)).toMatchObject({ rows: rows + 1, sent: 1, skipped: rows });
    expect(second.stderr).toContain(`bizmsg runs resolve ${run}`);
    const words = [
      'send-batch',
      'welcome',
      file,
      '--param-column',
      'name',
      '--no-pace',
      '--at-most',
      '9',
      '--skip-sent',
    ];
    const third = await cli(words, { home: machine.home, env: machine.env });
    expect(third.stdout.match(/runs resolve \w+/g)).toEqual([`runs resolve ${run}`]);
    await resolve(machine, run, '--not-sent');
    expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({ code: 0, summary: { not_reached: 0 } });
    expect(machine.reach([...all, person(rows + 1)])).toEqual({ 1: rows - 1, 2: 2 });
  });
});

it.concurrent(
  'with a live key, failed rows are sent once by their file and the original at the same time',
  async () => {
    await using machine = await openMachine('live');
    const some = [person(3), person(5)];
    const isFailed = among(some);
    machine.service.treat = (message) => (isFailed(message) ? 'rejected' : 'sent');
    const original = machine.write(all);
    await machine.batch(original, ['--concurrency', '4'], { interruptAfter: 8 });
    machine.service.treat = () => 'sent';
    const options = { isOneOfSeveral: true };
    const both = await Promise.all(
      [original, machine.write(some, 'failed.csv')].map((file) => machine.batch(file, ['--skip-sent'], options)),
    );
    // The second may leave rows to the first, which is sending them.
    expect(both.map(({ code }) => code)).toContain(0);
    expect(machine.reach(all)).toEqual({ 1: rows });
  },
);

it.concurrent('with a live key, a person erased by runs forget --recipient gets a single message again', async () => {
  await using machine = await openMachine('live');
  const ada = person(1);
  await machine.single(ada);
  await machine.run(['runs', 'forget', '--recipient', ada.phone, '--yes', '-o', 'json']);
  expect(await machine.single(ada)).toMatchObject({ code: 0 });
  expect(await machine.single(ada)).toMatchObject({ code: 11 });
});

describe('runs resolve', () => {
  const ada = person(3);

  it.concurrent('takes the latest run with unsure rows, and the name of a job', async () => {
    await using machine = await openMachine('live');
    const { run } = summaryOf(await withUnsure(machine, [ada], ['--job', 'may']));
    expect(await machine.run(['runs', 'show', 'may', '-o', 'json'])).toMatchObject({ code: 0 });
    const { stdout } = await machine.run(['runs', 'resolve', '--sent', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ run, rows: 1 });
    expect(await machine.run(['runs', 'resolve', '--sent', '-o', 'json'])).toMatchObject({ code: 2 });
  });

  it.concurrent('with --recipient resolves a single message', async () => {
    await using machine = await openMachine('live');
    machine.service.treat = () => 'fault';
    expect(await machine.single(ada)).toMatchObject({ code: 13 });
    machine.service.treat = () => 'sent';
    const words = ['runs', 'resolve', '--recipient', ada.phone, '--not-sent', '-o', 'json'];
    expect(await machine.run(words)).toMatchObject({ code: 0 });
    expect(await machine.run(words)).toMatchObject({ code: 2 });
    expect(await machine.single(ada)).toMatchObject({ code: 0 });
  });

  it.concurrent('with --recipient resolves the rows of one person in all runs', async () => {
    await using machine = await openMachine('live');
    const { run } = summaryOf(await withUnsure(machine, [ada, person(4)]));
    const words = ['runs', 'resolve', '--recipient', ada.phone, '--sent', '-o', 'json'];
    expect(JSON.parse((await machine.run(words)).stdout)).toEqual({ run: null, rows: 1, found: 'sent' });
    expect(await linesOf(machine, run, 'unsure')).toEqual([5]);
  });
});

it.concurrent('runs close ends a finished job, whose name cannot be used again', async () => {
  await using machine = await openMachine('live');
  const file = machine.write(all);
  await machine.batch(file, ['--job', 'may']);
  expect(await machine.run(['runs', 'close', 'may', '-o', 'json'])).toMatchObject({ code: 0 });
  expect(await machine.batch(file, ['--job', 'may'])).toMatchObject({ code: 11, error: 'job-closed' });
});

it.concurrent('runs forget --recipient names the jobs that would send to the person again', async () => {
  await using machine = await openMachine('live');
  await machine.batch(machine.write(all), ['--job', 'may']);
  const ran = await machine.run(['runs', 'forget', '--recipient', person(1).phone, '--yes', '-o', 'json']);
  expect(ran.stderr).toContain(
    'job may has this person and would send to them again; --exclude-from FILE prevents that',
  );
});

it.concurrent('shows a row that cannot be sent, although the run stopped before it', async () => {
  await using machine = await openMachine('live');
  const file = machine.write([...people(1, 600), { ...person(0), phone: 'no phone' }]);
  const { run } = summaryOf(await machine.batch(file, ['--concurrency', '1'], { interruptAfter: 1 }));
  expect(await listed(machine, run)).toMatchObject({ failed: 1 });
  expect(await shown(machine, run, 'failed')).toMatchObject([{ line: 602 }]);
});

it.concurrent('shows rows that cannot be sent after runs resolve, too', async () => {
  await using machine = await openMachine('live');
  machine.service.treat = () => 'fault';
  const file = machine.write([person(1), person(2), { ...person(3), phone: 'no phone' }, person(2)]);
  const { run } = summaryOf(await machine.batch(file));
  const outcomes = async () => {
    const { stdout } = await machine.run(['runs', 'show', run, '-o', 'ndjson']);
    return objects(stdout).map(({ outcome }) => outcome);
  };
  expect(await outcomes()).toEqual(['unsure', 'unsure', 'failed', 'skipped']);
  await resolve(machine, run, '--sent');
  expect(await outcomes()).toEqual(['sent', 'sent', 'failed', 'skipped']);
});

async function resolve(machine: Machine, run: string, ...words: readonly string[]) {
  const { code, stdout, text } = await machine.run(['runs', 'resolve', run, ...words, '-o', 'json']);
  const data: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  return { code, text, data };
}

async function shown(machine: Machine, run: string, outcome: string) {
  return objects((await machine.run(['runs', 'show', run, '--outcome', outcome, '-o', 'ndjson'])).stdout);
}

async function linesOf(machine: Machine, run: string, outcome: string): Promise<readonly number[]> {
  const rows = objects((await machine.run(['runs', 'show', run, '-o', 'ndjson'])).stdout);
  return rows.filter((row) => row['outcome'] === outcome).map(({ line }) => Number(line));
}

function rowsOf(file: string | null): readonly string[] {
  return textOf(String(file)).trim().split('\n').slice(1);
}

async function listed(machine: Machine, run: string): Promise<unknown> {
  const { stdout } = await machine.run(['runs', 'list', '-o', 'ndjson']);
  return objects(stdout).find(({ id }) => id === run);
}

async function onlyRun(machine: Machine): Promise<string> {
  const { stdout } = await machine.run(['runs', 'list', '-o', 'id']);
  return stdout.trim();
}

function sentOnce({ service }: Machine): boolean {
  return new Set(service.sent.map(({ to }) => to)).size === service.sent.length;
}
