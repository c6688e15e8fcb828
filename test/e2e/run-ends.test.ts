import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Running } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import * as rig from './runs-rig.ts';

const rows = 40;
const concurrency = 8;
const words = rig.batch('people.csv', '--concurrency', String(concurrency));
const sandboxKey = { BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3Hd' };

describe('a live batch with requests in flight', () => {
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

/** 8 rows; the last 4 were in flight when Ctrl-C was pressed twice. */
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
