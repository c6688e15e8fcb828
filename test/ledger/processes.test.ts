import { expect, it } from 'vitest';
import { heartbeatInterval } from '../../src/base/liveness.ts';
import type { RunPlan } from '../../src/ledger/ledger.ts';
import { manualTimers } from '../support/timers.ts';
import type { Process } from './machine.ts';
import { openByDigest } from './opened.ts';
import { accepted, planOf, rowOf, temporaryFolder } from './rig.ts';

it('a process beats every 20 seconds until it ends, for processes in other containers', async () => {
  const folder = temporaryFolder();
  const timers = manualTimers();
  let now = Date.UTC(2026, 2, 4, 12);
  const ledger = await openByDigest(folder, { host: { later: timers.later, now: () => now } });
  const plan = planOf('ada:1');
  const { run } = accepted(await ledger.register(plan));
  await ledger.claim([rowOf(plan, 0)], { run });
  const other = await openByDigest(folder, { host: { pid: 1, now: () => now } });
  await other.register(plan);
  for (const beat of [now + heartbeatInterval, now + 2 * heartbeatInterval]) {
    now = beat;
    timers.fire(heartbeatInterval);
    await expect.poll(() => beatIn(other, plan, run)).toBe(beat);
  }
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
