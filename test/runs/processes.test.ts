import { describe, expect, it } from 'vitest';
import { type Machine, openMachine, usualModes, people, summaryOf, type Result } from './matrix-rig.ts';
import { isLong } from '../support/long-tests.ts';
import { alive } from '../support/cli.ts';

const rows = isLong ? 200 : 90;
const all = people(1, rows);
const inFlight = 16;

/** Ends the process once the service has received this many of its messages. */
async function ended(machine: Machine, signal: 'SIGINT' | 'SIGKILL', count: number): Promise<Result> {
  const running = machine.start(machine.write(all));
  machine.service.after(count, () => void alive(running.pid, signal));
  return running.ended;
}

describe.each(usualModes)('with a %s key', (mode) => {
  it.concurrent('the same command after Ctrl-C sends the rest', async () => {
    await using machine = await openMachine(mode);
    const first = await ended(machine, 'SIGINT', 40);
    expect(first).toMatchObject({ code: 130, error: 'interrupted', summary: { failed: 0, unsure: 0 } });
    expect(summaryOf(first).not_reached).toBeGreaterThan(0);
    const second = await machine.batch(machine.write(all));
    expect(second).toMatchObject({ code: 0, summary: { continues: true, sent: summaryOf(first).not_reached } });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('the same command after a kill sends the rest and holds back the rows in flight', async () => {
    await using machine = await openMachine(mode);
    const { service } = machine;
    service.treat = () => (service.sent.length < 24 ? 'sent' : 'no-response');
    await ended(machine, 'SIGKILL', 24 + inFlight);
    service.treat = () => 'sent';
    const file = machine.write(all);
    const second = await machine.batch(file);
    const skipped = { this_run: 24, unsure: inFlight };
    expect(second).toMatchObject({ code: 10, summary: { continues: true, sent: rows - 40, skipped } });
    expect(machine.reach(all)).toEqual({ 1: rows });
    const third = await machine.batch(file, ['--retry-unsure']);
    expect(third).toMatchObject({ code: 0, summary: { sent: inFlight, not_reached: 0 } });
  });

  it.concurrent('repeatedly killed commands send each row once', async () => {
    await using machine = await openMachine(mode);
    for (const count of [1, 20, 20]) await ended(machine, 'SIGKILL', count);
    const last = await machine.batch(machine.write(all), [], { isOneOfSeveral: true });
    const { sent, skipped } = summaryOf(last);
    expect(sent + skipped.this_run + skipped.unsure).toBe(rows);
    const { 0: none = 0, ...once } = machine.reach(all);
    expect(once).toEqual({ 1: rows - none });
    expect(none).toBeLessThanOrEqual(skipped.unsure);
  });

  it.concurrent('two commands with one file share its rows', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write(all);
    expect(await together(machine, [[file], [file]])).toEqual({ codes: [0, 0], runs: 1, sent: rows });
    expect(machine.reach(all)).toEqual({ 1: rows });
    const [run = ''] = (await machine.run(['runs', 'list', '-o', 'id'])).stdout.split('\n');
    const { stdout } = await machine.run(['runs', 'show', run, '--no-header', '--columns', 'line,outcome']);
    expect(stdout.trimEnd().split('\n')).toEqual(all.map((_, at) => `${at + 2}\tsent`));
  });

  it.concurrent('a command with a file and one with the same rows from stdin share them', async () => {
    await using machine = await openMachine(mode);
    const inputs = [[machine.write(all)], ['-', machine.text([...all].reverse())]] as const;
    expect(await together(machine, inputs)).toEqual({ codes: [0, 0], runs: 1, sent: rows });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('a command that has joined a killed one sends the rest', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write(all);
    const first = machine.start(file, ['--concurrency', '2']);
    const joined = new Promise<Result>((resolve) => {
      machine.service.after(5, () => {
        const second = machine.start(file, ['--concurrency', '2']);
        machine.service.after(40, () => void alive(first.pid, 'SIGKILL'));
        void second.ended.then(resolve);
      });
    });
    await first.ended;
    const { skipped, not_reached: left } = summaryOf(await joined);
    const { 0: none = 0, ...once } = machine.reach(all);
    expect([left, once]).toEqual([0, { 1: rows - none }]);
    expect(none).toBeLessThanOrEqual(skipped.unsure);
  });
});

it.concurrent.each([['--skip-sent'], ['--job welcome'], ['--job welcome --again']])(
  'with a live key, two commands with one file and %s share its rows',
  async (words) => {
    await using machine = await openMachine('live');
    const file = machine.write(all);
    const result = await together(machine, [[file], [file]], words.split(' '));
    expect(result).toEqual({ codes: [0, 0], runs: 1, sent: rows });
    expect(machine.reach(all)).toEqual({ 1: rows });
  },
);

describe('two overlapping lists at the same time', () => {
  const one = people(1, 40);
  const other = people(31, 70);

  it.concurrent('with a live key: the second is refused, and --skip-sent sends its other rows', async () => {
    await using machine = await openMachine('live');
    const [file, file2] = [machine.write(one, 'one.csv'), machine.write(other, 'other.csv')];
    const both = await Promise.all([machine.start(file), machine.start(file2)].map(({ ended: end }) => end));
    expect(both.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 11]);
    const refused = both[0]?.code === 11 ? file : file2;
    expect(await machine.batch(refused, ['--skip-sent'])).toMatchObject({
      code: 0,
      summary: { sent: 30, skipped: { earlier_run: 10 } },
    });
    expect(machine.reach(people(1, 70))).toEqual({ 1: 70 });
  });

  it.concurrent(
    'with a live key and --skip-sent send each row once, and the second leaves some to the first',
    async () => {
      await using machine = await openMachine('live');
      const files = [machine.write(one, 'one.csv'), machine.write(other, 'other.csv')];
      const both = await Promise.all(files.map((file) => machine.start(file, ['--skip-sent']).ended));
      expect(both.map(({ code }) => code)).toContain(0);
      expect(both.every(({ summary, code }) => code === 0 || (code === 10 && summary?.skipped.busy === 10))).toBe(true);
      expect(machine.reach(people(1, 70))).toEqual({ 1: 70 });
    },
  );

  it.concurrent('with a sandbox key are both sent, the second with a note', async () => {
    await using machine = await openMachine('sandbox');
    const files = [machine.write(one, 'one.csv'), machine.write(other, 'other.csv')];
    const both = await Promise.all(files.map((file) => machine.start(file).ended));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.flatMap(({ notes }) => notes)).toEqual(['run']);
    expect(machine.reach(people(1, 70))).toEqual({ 1: 60, 2: 10 });
  });

  it.concurrent('with one job send each row once', async () => {
    await using machine = await openMachine('live');
    const files = [machine.write(one, 'one.csv'), machine.write(other, 'other.csv')];
    const both = await Promise.all(files.map((file) => machine.start(file, ['--job', 'welcome']).ended));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(machine.reach(people(1, 70))).toEqual({ 1: 70 });
  });
});

/** Delays all responses until both commands have sent a message. */
async function together(
  machine: Machine,
  inputs: readonly (readonly [file: string, stdin?: string])[],
  words: readonly string[] = [],
) {
  machine.service.holdUntil(9);
  const commands = inputs.map(([file, stdin]) => machine.start(file, ['--concurrency', '8', ...words], stdin));
  const result = await Promise.all(commands.map(({ ended: end }) => end));
  const summaries = result.map(summaryOf);
  return {
    codes: result.map(({ code }) => code),
    runs: new Set(summaries.map(({ run }) => run)).size,
    sent: summaries.reduce((sum, { sent }) => sum + sent, 0),
  };
}
