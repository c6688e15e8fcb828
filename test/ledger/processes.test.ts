import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heartbeatInterval } from '../../src/base/liveness.ts';
import type { RunPlan } from '../../src/ledger/ledger.ts';
import { manualTimers } from '../support/timers.ts';
import type { Process } from './machine.ts';
import { openByDigest } from './opened.ts';
import { accepted, planOf, rowOf, temporaryFolder } from './rig.ts';
import { run, scriptIn } from './scripts.ts';

/** Claims all rows in groups, from its own starting point, and settles them; prints the granted numbers. */
const text = `
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { open, planOf } from './library.mjs';
const [folder, count, from, target] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
const row = (number) => Uint8Array.from(createHash('sha256').update(String(number)).digest().subarray(0, 24));
const numbers = Array.from({ length: count }, (_, at) => (from + at) % count);
const ledger = await open(folder, { isLocal: target === 'local', isLive: true });
const { run, stop, items } = await ledger.register(planOf(numbers.map(row)));
if (stop) throw new Error(JSON.stringify(stop));
// Both have registered before either claims.
mkdirSync(folder + '.' + from);
while (![0, count / 2].every((other) => existsSync(folder + '.' + other))) await new Promise((go) => void setTimeout(go, 2));
const granted = [];
for (let at = 0; at < count; at += 16) {
  const group = numbers.slice(at, at + 16);
  const verdicts = await ledger.claim(group.map((number) => ({ item: items[numbers.indexOf(number)], text: new Uint8Array(12) })), { run });
  const own = group.filter((_, index) => verdicts[index].verdict === 'yours');
  granted.push(...own);
  if (own.length > 0) await ledger.settle(own.map((number) => ({ run, item: items[numbers.indexOf(number)], outcome: 'done' })));
}
await ledger.close();
console.log(run);
console.log(granted.join());
`;

it.each([
  ['local', 4_000],
  ['remote', 600],
] as const)(
  'grants each row once to two processes at full speed: %s target',
  { timeout: 120_000 },
  async (target, count) => {
    const home = temporaryFolder();
    const [script, folder] = [await scriptIn(home, text), join(home, 'ledger')];
    const both = await Promise.all(
      [0, count / 2].map((from) => run(script, folder, String(count), String(from), target)),
    );
    const [one, other] = both.map(({ lines }) => ({
      run: lines[0],
      granted: (lines[1] ?? '').split(',').filter(Boolean),
    }));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(one?.run).toBe(other?.run);
    const all = [...(one?.granted ?? []), ...(other?.granted ?? [])];
    expect(all).toHaveLength(count);
    expect(new Set(all).size).toBe(count);
  },
);

it('a process beats every 20 seconds until it ends, for processes in other containers', async () => {
  const folder = temporaryFolder();
  const timers = manualTimers();
  let now = Date.UTC(2026, 2, 4, 12);
  const ledger = await openByDigest(folder, { host: { later: timers.later, now: () => now } });
  const plan = planOf('ada:1');
  const { run } = accepted(await ledger.register(plan));
  await ledger.claim([rowOf(plan, 0)], { run });
  const began = now;
  now += heartbeatInterval;
  timers.fire(heartbeatInterval);
  const other = await openByDigest(folder, { host: { pid: 1, now: () => now } });
  await other.register(plan);
  await expect.poll(() => beatIn(other, plan, run)).toBe(began + heartbeatInterval);
  await ledger.close();
  expect([...timers.armed]).toEqual([]);
  expect((await other.runs())[0]).toMatchObject({ counts: { unsure: 1, leaving: 0 } });
  await other.close();
});

/** When the process that is sending the row was last seen. */
async function beatIn(ledger: Pick<Process, 'claim'>, plan: RunPlan, run: string): Promise<number | undefined> {
  const [verdict] = await ledger.claim([rowOf(plan, 0)], { run });
  return verdict?.verdict === 'taken' ? verdict.owner.beat : undefined;
}
