import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Running } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import * as rig from './rig.ts';

const rows = 40;
const words = rig.batch('people.csv', '--rate', '600/m');
const load = rig.contacts('people.csv', '--rate', '600/m');
const sandboxKey = { BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3Hd' };

describe('a live batch with requests in flight', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('waits for their answers after %s and exits %i; batches resume sends the rest', async (signal, code) => {
    const { place, running, answer } = await inFlight(words, 4);
    alive(running.pid, signal);
    await expect.poll(running.stderr).toContain('waiting for 4 answers');
    answer();
    expect(await running.ended).toBe(code);
    expect(rig.summaryIn(running.stdout())).toMatchObject({ sent: 4, unsure: 0, waiting: rows - 4 });
    const ended = await place.bin(rig.resume());
    expect([ended.code, rig.summaryIn(ended.stdout)]).toMatchObject([0, { sent: rows, now: { sent: rows - 4 } }]);
    expect(place.service.asked).toHaveLength(rows);
  });
});

it.each([
  ['an import with a live key', load, {}],
  ['an import with a sandbox key', load, sandboxKey],
  ['a batch with a sandbox key', words, sandboxKey],
])('%s that was stopped with its last rows in flight sends them once more with --resend', async (_, command, env) => {
  const { place, running, answer } = await inFlight(command, 8, { count: 8, env });
  await stopTwice(running);
  expect(await running.ended).toBe(130);
  answer();
  expect(rig.summaryIn(running.stdout())).toMatchObject({ sent: 0, unsure: 8, waiting: 0 });
  const again = place.start(command, undefined, env);
  expect(await again.ended).toBe(10);
  expect(rig.summaryIn(again.stdout())).toMatchObject({ is_new: false, now: { sent: 0 }, unsure: 8 });
  expect(place.service.asked).toHaveLength(8);
  const resent = place.start([...command, '--resend', 'unsure'], undefined, env);
  expect([await resent.ended, rig.summaryIn(resent.stdout())]).toMatchObject([0, { now: { sent: 8 }, unsure: 0 }]);
});

/** A batch of `count` rows; the first are in flight until `answer` is called. */
async function inFlight(command: readonly string[], first: number, { count = rows, env = {} } = {}) {
  const { until, open } = rig.gate();
  const place = await rig.newPlace(() => ({ reply: 200, until }));
  rig.writePeople(place, count);
  const running = place.start(command, undefined, env);
  await rig.untilAsked(place, first, running);
  return { place, running, answer: open };
}

async function stopTwice(running: Running): Promise<void> {
  alive(running.pid, 'SIGINT');
  await expect.poll(running.stderr).toContain('"stopping"');
  // A second signal right after the first counts as the same key press, as passed on by npx.
  await wait(700);
  alive(running.pid, 'SIGINT');
}
