import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heartbeatInterval } from '../../src/base/liveness.ts';
import { manualTimers } from '../support/timers.ts';
import { run, scriptIn } from './scripts.ts';
import { openLedger, planOf, temporaryFolder } from './rig.ts';

/** Claims all rows in groups, from its own starting point, and settles them; prints the granted numbers. */
const text = `
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { open, planOf } from './library.mjs';
const [folder, count, from, target] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4]), process.argv[5]];
const row = (number) => Uint8Array.from(createHash('sha256').update(String(number)).digest().subarray(0, 20));
const numbers = Array.from({ length: count }, (_, at) => (from + at) % count);
const ledger = open(folder, target === 'local');
const { run, stop } = await ledger.register(planOf(numbers.map(row)));
if (stop) throw new Error(JSON.stringify(stop));
// Both have registered before either claims.
mkdirSync(folder + '.' + from);
while (![0, count / 2].every((other) => existsSync(folder + '.' + other))) await new Promise((go) => void setTimeout(go, 2));
const granted = [];
for (let at = 0; at < count; at += 16) {
  const group = numbers.slice(at, at + 16);
  const verdicts = await ledger.claim(group.map(row), { run });
  const own = group.filter((_, index) => verdicts[index].verdict === 'yours');
  granted.push(...own);
  if (own.length > 0) await ledger.settle(own.map((number) => ({ run, row: row(number), outcome: 'done' })));
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

it('the heartbeat file of a process is written again after it was removed, until the process ends', async () => {
  const folder = temporaryFolder();
  const owners = () => readdirSync(folder).filter((name) => name.endsWith('.owner'));
  const timers = manualTimers();
  const ledger = openLedger(folder, { later: timers.later });
  await ledger.register(planOf('ada:1'));
  const [name = ''] = owners();
  rmSync(join(folder, name));
  timers.fire(heartbeatInterval);
  expect(owners()).toEqual([name]);
  await ledger.close();
  expect([owners(), [...timers.armed]]).toEqual([[], []]);
});

it('a process that waits for another one says so, and ends on a signal', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'turn'), `${process.pid} - 0123456789abcdef\n`);
  const later = (_: number, run: () => void) => {
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  };
  const stop = new AbortController();
  const holders: string[] = [];
  const onWait = (holder: string) => {
    holders.push(holder);
    stop.abort();
  };
  const ledger = openLedger(folder, { later, signal: stop.signal, onWait });
  await expect(ledger.register(planOf('ada:1'))).rejects.toMatchObject({ name: 'AbortError' });
  expect(holders).toEqual([`process ${process.pid}`]);
  await ledger.close();
});
