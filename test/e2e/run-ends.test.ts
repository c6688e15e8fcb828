import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { binary, cleanEnv, type Running } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import * as rig from './runs-rig.ts';
import { some } from '../support/long-tests.ts';

const rows = 40;
const concurrency = 8;
const words = rig.batch('people.csv', '--concurrency', String(concurrency));
const sandboxKey = { BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3Hd' };

describe('a live batch with requests in flight', () => {
  it.each(
    some([
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ]),
  )('waits for them after %s, and the same command sends the rest', async (signal, code) => {
    const { place, running, goOn } = await inFlight();
    alive(running.pid, signal);
    // It waits until the service responds.
    expect(await Promise.race([running.ended, wait(300)])).toBe(undefined);
    goOn();
    expect(await running.ended).toBe(code);
    const counts = { sent: concurrency, failed: 0, unsure: 0, not_reached: rows - concurrency };
    expect(rig.summaryIn(running.stdout())).toMatchObject(counts);
    const ended = await place.bin(words);
    expect([ended.code, rig.summaryIn(ended.stdout)]).toMatchObject([0, { sent: rows - concurrency }]);
    expect(place.service.asked).toHaveLength(rows);
  });

  it('abandons them after two Ctrl-C; they are unsure, listed and held back', async () => {
    const { place, running, goOn } = await inFlight();
    await stopTwice(running);
    expect(await running.ended).toBe(130);
    goOn();
    expect(rig.summaryIn(running.stdout())).toMatchObject({ sent: 0, unsure: 8, not_reached: rows - 8 });
    const lines = rig.linesOf(`${place.home}/people.unsure.csv`).slice(1);
    expect(lines.map((line) => line.split(',')[0])).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(rig.phoneOf));
    const ended = await place.bin(words);
    expect([ended.code, rig.summaryIn(ended.stdout)]).toMatchObject([10, { sent: 32, skipped: { unsure: 8 } }]);
    expect(place.service.asked).toHaveLength(rows);
    const [run] = await rig.runs(place);
    expect((await place.bin(['runs', 'resolve', String(run?.['id']), '--sent'])).code).toBe(0);
    const shown = await rig.rowsShown(place, run?.['id']);
    expect(shown.filter(({ outcome }) => outcome !== 'sent')).toEqual([]);
  });
});

const load = ['contacts', 'import', 'people.csv', ...rig.sending];

it.each([
  ['an import with a live key', load, {}],
  ['an import with a sandbox key', load, sandboxKey],
  ['a batch with a sandbox key', rig.batch('people.csv'), sandboxKey],
])('%s that was stopped with its last rows in flight is finished by the same command', async (_, command, env) => {
  const { place, running, line } = await stoppedAtItsEnd(command, env);
  expect(rig.summaryIn(running.stdout())).toMatchObject({ sent: 4, unsure: 4, not_reached: 0 });
  expect(running.stderr()).toContain('4 rows are unsure; the same command with --retry-unsure sends them again');
  expect(await rig.runs(place)).toMatchObject([{ state: 'unfinished' }]);
  const again = place.start(line, undefined, env);
  expect(await again.ended).toBe(10);
  const counts = { continues: true, sent: 0, skipped: { this_run: 4, unsure: 4 } };
  expect(rig.summaryIn(again.stdout())).toMatchObject(counts);
  expect(place.service.asked).toHaveLength(8);
  expect(await rig.runs(place)).toMatchObject([{ state: 'finished' }]);
});

it('an import that was stopped with its last rows in flight holds these back once it is closed; --again imports all', async () => {
  const { place, line, goOn } = await stoppedAtItsEnd(load, {});
  const [run] = await rig.runs(place);
  expect((await place.bin(['runs', 'close', String(run?.['id'])])).code).toBe(0);
  goOn();
  const unsure = { code: 10, stdout: expect.stringContaining('"unsure":4') };
  expect(await place.bin(line)).toMatchObject(unsure);
  const again = await place.bin([...line, '--again']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('"sent":8') });
});

it.each(some([28, 40, 64]))(
  'a live batch limited to %i open files stops with exit 3, prints its summary, and is completed later',
  async (files) => {
    const place = await rig.newPlace(() => ({ reply: 200, after: 10 }));
    rig.writePeople(place, rows);
    const many = rig.batch('people.csv', '--concurrency', '64', '--no-pace');
    const line = `ulimit -n ${files}; exec '${process.execPath}' '${binary}' "$@"`;
    const options = { env: cleanEnv(place.home, place.env), extendEnv: false, reject: false, cwd: place.home } as const;
    const few = await execa('bash', ['-c', line, 'bash', ...many], options);
    expect([few.exitCode, few.stderr]).toEqual([3, expect.stringContaining('ulimit -n')]);
    const sent = place.service.asked.length;
    const counts = { sent, unsure: 0, not_reached: rows - sent };
    // With very few files it ends before it has results to print.
    expect(sent > 0 ? rig.summaryIn(few.stdout) : counts).toMatchObject(counts);
    const ended = await place.bin(many);
    expect([ended.code, rig.summaryIn(ended.stdout)]).toMatchObject([0, { sent: rows - sent }]);
    expect(place.service.asked).toHaveLength(rows);
  },
);

/** 8 rows, of which the last 4 were in flight when Ctrl-C was pressed twice. */
async function stoppedAtItsEnd(command: readonly string[], env: Readonly<Record<string, string>>) {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => (goOn = resolve));
  const place = await rig.newPlace(({ phone }) => ({ reply: 200, ...(phone > rig.phoneOf(4) && { until }) }));
  rig.writePeople(place, 8);
  const line = [...command, '--concurrency', '4'];
  const running = place.start(line, undefined, env);
  await rig.untilAsked(place, 8, running);
  await stopTwice(running);
  expect(await running.ended).toBe(130);
  return { place, running, line, goOn };
}

/** A service that holds up to this many responses until `goOn` is called. */
async function inFlight() {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => (goOn = resolve));
  const place = await rig.newPlace(() => ({ reply: 200, until }));
  rig.writePeople(place, rows);
  const running = place.start(words);
  await rig.untilAsked(place, concurrency, running);
  return { place, running, goOn };
}

async function stopTwice(running: Running): Promise<void> {
  alive(running.pid, 'SIGINT');
  await expect.poll(running.stderr).toContain('"stopping"');
  // A second signal right after the first counts as the same key press, as passed on by npx.
  await wait(700);
  alive(running.pid, 'SIGINT');
}
