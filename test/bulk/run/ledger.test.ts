import * as fc from 'fast-check';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Summary } from '../../../src/bulk/run/summary.ts';
import { runFolder, runId } from '../../../src/bulk/run/identity.ts';
import { journalPath } from '../../../src/bulk/run/story.ts';
import * as rig from './rig.ts';

const fates = ['done', 'done', 'done', 'failed', 'unsure', 'lost', 'unreached', 'barred', 'hangs'] as const;

type Fate = (typeof fates)[number];

const errors = {
  failed: rig.rejected,
  unsure: rig.fault,
  lost: rig.lost,
  unreached: rig.unreachable,
  barred: () => rig.failure('rateLimited', 'no', 429),
} as const;

const story = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  bad: fc.uniqueArray(fc.integer({ min: 0, max: 59 })),
  concurrency: fc.integer({ min: 1, max: 16 }),
  paced: fc.boolean(),
  /** Of each send one after the other, in as many turns. */
  sends: fc.infiniteStream(fc.tuple(fc.constantFrom(...fates), fc.integer({ min: 0, max: 4 }))),
  /** For how many turns each waits before it leaves. */
  waits: fc.infiniteStream(fc.constantFrom(0, 0, 0, 1, 5)),
  /** After so many sends the process is dead, and its last line perhaps torn. */
  crashes: fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 40 })), { maxLength: 4 }),
});

it('whatever comes and whenever it crashes, no row is lost, and none that arrived is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { summary, fates, twice, left } = await runToItsEnd(told);
      const count = (...some: readonly Fate[]) => fates.filter((fate) => some.includes(fate)).length;
      const refused = told.bad.filter((at) => at < told.rows).length;
      const doubtful = count('unsure', 'lost', 'hangs');
      expect(twice).toEqual([]);
      expect(summary.done + summary.failed + summary.unsure).toBe(told.rows);
      expect(summary.done).toBeLessThanOrEqual(count('done'));
      expect(summary.failed).toBeLessThanOrEqual(count('failed') + refused);
      expect(summary.unsure).toBeGreaterThanOrEqual(doubtful);
      expect(summary.unsure).toBeLessThanOrEqual(doubtful + (told.crashes.length + count('hangs')) * told.concurrency);
      expect(summary.unsureLines).toHaveLength(summary.unsure);
      // A row that only waited is not among them.
      expect(summary.unsureLines.filter((line) => told.paced && !left.has(`row ${line - 1}`))).toEqual([]);
    }),
    { numRuns: Number(process.env['BIZMSG_PROPERTY_RUNS'] ?? 40) },
  );
}, 60_000);

type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Through its crashes, and then as often as it stops. */
async function runToItsEnd({ rows, bad, concurrency, paced, sends, waits, crashes }: Told) {
  const input = Array.from({ length: rows }, (_, at) => (bad.includes(at) ? '!bad' : `row ${at + 1}`));
  const [world, folder, left] = [service(sends), rig.stateFolder(), new Set<string>()];
  const path = journalPath(runFolder(folder, runId(rig.options(folder, input).identity)));
  let summary: Summary | undefined;
  for (const [after, torn] of crashes) summary ??= await crash(after, torn);
  for (let parts = 0; parts < 300 && !summary; parts++) summary = finished(await go());
  if (!summary) throw new Error('it never ends');
  return { summary, fates: [...world.known.values()], twice: world.twice, left };

  function go(leave = world.newPatience(), send = world.send) {
    const signals = { stop: new AbortController().signal, leave: leave.signal };
    const settings = { concurrency, paced, signals, send, maxErrors: Infinity, opening: rig.resume };
    return rig.part(folder, input, { ...settings, slot, clock: rig.virtualClock() });
  }

  async function slot(content: string, leaving: () => Promise<void> | undefined): Promise<void> {
    const turns = waits.next().value;
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    const ready = leaving();
    left.add(content);
    await ready;
  }

  /** What is left is the journal as it was at that instant; unless the run is finished before. */
  async function crash(after: number, torn: number): Promise<Summary | undefined> {
    const dead = world.newPatience();
    const found: Buffer[] = [];
    let count = 0;
    const ended = await go(dead, (content) => {
      if (found.length > 0) return new Promise(() => {});
      const sent = world.send(content);
      if (++count !== after) return sent;
      found.push(readFileSync(path));
      dead.abort();
      return sent;
    });
    const [left] = found;
    if (!left) return finished(ended);
    writeFileSync(path, left);
    appendFileSync(path, left.subarray(0, torn).toString().replaceAll('\n', ''));
    return undefined;
  }
}

function finished({ summary }: { readonly summary: Summary }): Summary | undefined {
  return summary.stopped ? undefined : summary;
}

/** One that knows what arrived. */
function service(sends: Iterator<[Fate, number], [Fate, number]>) {
  const [known, twice] = [new Map<string, Fate>(), new Array<string>()];
  let hanging: AbortController | undefined;
  return {
    known,
    twice,
    /** Aborted when a send hangs for good. */
    newPatience() {
      hanging = new AbortController();
      return hanging;
    },
    async send(content: string): Promise<unknown> {
      const [fate, turns] = sends.next().value;
      if (fate !== 'unreached' && fate !== 'barred') {
        if (known.has(content)) twice.push(content);
        known.set(content, fate);
      }
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      if (fate === 'hangs') hanging?.abort();
      if (fate === 'hangs') return new Promise(() => {});
      if (fate === 'done') return {};
      throw errors[fate]();
    },
  };
}
