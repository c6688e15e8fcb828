import * as fc from 'fast-check';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import * as rig from './engine-rig.ts';

const outcomes = ['done', 'done', 'done', 'failed', 'unsure', 'lost', 'unreached', 'barred', 'hangs'] as const;

type Outcome = (typeof outcomes)[number];

const scenarios = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
  /** For each send, its result and its duration in event-loop turns. */
  sends: fc.infiniteStream(fc.tuple(fc.constantFrom(...outcomes), fc.integer({ min: 0, max: 4 }))),
  /** For each send, the turns that it waits for a slot. */
  waits: fc.infiniteStream(fc.constantFrom(0, 0, 0, 1, 5)),
  /** The number of sends before each crash. */
  crashes: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
});

it('with any results and crashes, no row is lost, and none that may have arrived is sent again', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { counts, outcomes, twice } = await runToEnd(scenario);
      const count = (...some: readonly Outcome[]) => outcomes.filter((outcome) => some.includes(outcome)).length;
      const doubtful = count('unsure', 'lost', 'hangs');
      expect(twice).toEqual([]);
      expect(counts.done + counts.failed + counts.unsure).toBe(scenario.rows);
      expect(counts.left).toBe(0);
      expect(counts.done).toBeLessThanOrEqual(count('done'));
      expect(counts.unsure).toBeGreaterThanOrEqual(doubtful);
      expect(counts.unsure).toBeLessThanOrEqual(
        doubtful + (scenario.crashes.length + count('hangs')) * scenario.concurrency,
      );
    }),
    { numRuns: Number(process.env['BIZMSG_PROPERTY_RUNS'] ?? (isLong ? 400 : 40)) },
  );
}, 300_000);

type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

/** Runs through its crashes, and then until nothing is left. */
async function runToEnd({ rows, concurrency, sends, waits, crashes }: Scenario) {
  const [input, folder] = [rig.numbered(rows), rig.stateFolder()];
  const world = service(sends);
  let pid = 1_000;
  let ended: rig.Part | undefined;
  for (const after of crashes) ended ??= await crash(after);
  for (let parts = 0; parts < 300 && !ended; parts++) ended = finished(await go());
  if (!ended) throw new Error('the run does not end');
  return { counts: ended.counts, outcomes: [...world.known.values()], twice: world.twice };

  /** Runs the command as a new process; all earlier ones are dead. */
  function go(leave = world.newPatience(), send = world.send) {
    const signals = { stop: new AbortController().signal, leave: leave.signal };
    const own = ++pid;
    const process = { pid: own, kill: (other: number) => other === own };
    return rig.part(folder, input, { concurrency, signals, send, maxErrors: Infinity, slot, ...process });
  }

  async function slot(): Promise<void> {
    const turns = waits.next().value;
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  }

  /** Restores the ledger as it was at the crash, unless the run ended before. */
  async function crash(after: number): Promise<rig.Part | undefined> {
    const dead = world.newPatience();
    const [ledger, copy] = [join(folder, 'local.db'), join(folder, 'copy.db')];
    let [count, isDead] = [0, false];
    const ended = await go(dead, (content) => {
      if (isDead) return new Promise(() => {});
      const sent = world.send(content);
      if (++count !== after) return sent;
      isDead = true;
      copyFileSync(ledger, copy);
      dead.abort();
      return sent;
    });
    if (!isDead) return finished(ended);
    renameSync(copy, ledger);
    return undefined;
  }
}

/** A run without open rows is not continued: the same command would start another run. */
function finished(part: rig.Part): rig.Part | undefined {
  return part.counts.left === 0 ? part : undefined;
}

/** A service that records what arrived. */
function service(sends: Iterator<[Outcome, number], [Outcome, number]>) {
  const [known, twice] = [new Map<string, Outcome>(), new Array<string>()];
  let hanging: AbortController | undefined;
  return {
    known,
    twice,
    /** Returns a controller that is aborted when a request hangs. */
    newPatience() {
      hanging = new AbortController();
      return hanging;
    },
    async send(content: string): Promise<unknown> {
      const [outcome, turns] = sends.next().value;
      if (outcome !== 'unreached' && outcome !== 'barred') {
        // A row that the service rejected may be sent again.
        if (known.has(content) && known.get(content) !== 'failed') twice.push(content);
        known.set(content, outcome);
      }
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      if (outcome === 'hangs') hanging?.abort();
      if (outcome === 'hangs') return new Promise(() => {});
      if (outcome === 'done') return {};
      throw rig.errors[outcome]();
    },
  };
}
