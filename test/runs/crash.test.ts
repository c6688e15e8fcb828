import * as fc from 'fast-check';
import { appendFileSync, cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Departure } from '../../src/client/exchange.ts';
import * as rig from './engine-rig.ts';

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
  concurrency: fc.integer({ min: 1, max: 16 }),
  /** Of each send one after the other, in as many turns. */
  sends: fc.infiniteStream(fc.tuple(fc.constantFrom(...fates), fc.integer({ min: 0, max: 4 }))),
  /** For how many turns each waits before it leaves. */
  waits: fc.infiniteStream(fc.constantFrom(0, 0, 0, 1, 5)),
  /** After so many sends the process is dead, and its last line perhaps torn. */
  crashes: fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 40 })), { maxLength: 4 }),
});

it('whatever happens and whenever it crashes, no row is lost, and none that may have arrived is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { counts, fates, twice } = await runToItsEnd(told);
      const count = (...some: readonly Fate[]) => fates.filter((fate) => some.includes(fate)).length;
      const doubtful = count('unsure', 'lost', 'hangs');
      expect(twice).toEqual([]);
      expect(counts.done + counts.failed + counts.unsure).toBe(told.rows);
      expect(counts.left).toBe(0);
      expect(counts.done).toBeLessThanOrEqual(count('done'));
      expect(counts.unsure).toBeGreaterThanOrEqual(doubtful);
      expect(counts.unsure).toBeLessThanOrEqual(doubtful + (told.crashes.length + count('hangs')) * told.concurrency);
    }),
    { numRuns: Number(process.env['BIZMSG_PROPERTY_RUNS'] ?? 40) },
  );
}, 60_000);

type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Through its crashes, and then as often as it stops. */
async function runToItsEnd({ rows, concurrency, sends, waits, crashes }: Told) {
  const [input, folder] = [rig.numbered(rows), rig.stateFolder()];
  const world = service(sends);
  let pid = 1_000;
  let ended: rig.Part | undefined;
  for (const [after, torn] of crashes) ended ??= await crash(after, torn);
  for (let parts = 0; parts < 300 && !ended; parts++) ended = finished(await go());
  if (!ended) throw new Error('it never ends');
  return { counts: ended.counts, fates: [...world.known.values()], twice: world.twice };

  /** Each command is another process; all earlier ones are dead. */
  function go(leave = world.newPatience(), send = world.send) {
    const signals = { stop: new AbortController().signal, leave: leave.signal };
    const own = ++pid;
    const process = { pid: own, kill: (other: number) => other === own };
    return rig.part(folder, input, { concurrency, signals, send, maxErrors: Infinity, slot, ...process });
  }

  async function slot(_: string, { leaving }: Departure): Promise<void> {
    const turns = waits.next().value;
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    await leaving();
  }

  /** Afterwards the ledger is what it was at that instant, unless the run ended before. */
  async function crash(after: number, torn: number): Promise<rig.Part | undefined> {
    const dead = world.newPatience();
    const [ledger, copy] = [join(folder, 'ledger'), join(folder, 'copy')];
    let [count, isDead] = [0, false];
    const ended = await go(dead, (content) => {
      if (isDead) return new Promise(() => {});
      const sent = world.send(content);
      if (++count !== after) return sent;
      isDead = true;
      cpSync(ledger, copy, { recursive: true });
      dead.abort();
      return sent;
    });
    if (!isDead) return finished(ended);
    rmSync(ledger, { recursive: true });
    cpSync(copy, ledger, { recursive: true });
    rmSync(copy, { recursive: true });
    const segment = join(ledger, readdirSync(ledger).find((one) => /^\d.*\.ndjson$/.test(one)) ?? '');
    appendFileSync(segment, readFileSync(segment).subarray(0, torn).toString('latin1').replaceAll('\n', ''));
    return undefined;
  }
}

/** A run without open rows is not continued: the same command would be another run. */
function finished(part: rig.Part): rig.Part | undefined {
  return part.counts.left === 0 ? part : undefined;
}

/** A service that knows what arrived. */
function service(sends: Iterator<[Fate, number], [Fate, number]>) {
  const [known, twice] = [new Map<string, Fate>(), new Array<string>()];
  let hanging: AbortController | undefined;
  return {
    known,
    twice,
    /** Aborted when a request is never answered. */
    newPatience() {
      hanging = new AbortController();
      return hanging;
    },
    async send(content: string): Promise<unknown> {
      const [fate, turns] = sends.next().value;
      if (fate !== 'unreached' && fate !== 'barred') {
        // A row that the service refused may be sent again.
        if (known.has(content) && known.get(content) !== 'failed') twice.push(content);
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
