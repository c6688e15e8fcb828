import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchWithId } from '../../src/store/batch.ts';
import { beginResume, redecide } from '../../src/store/load.ts';
import { worker } from '../store/rig.ts';
import type { Answering } from '../support/service.ts';
import { numbers, openTables, passing, phoneOf, serving, type Tables, working } from './work-rig.ts';
import { release } from '../../src/store/work.ts';

const answers = {
  sent: { reply: 200 },
  slow: { reply: 200, after: 3 },
  failed: { reply: 400 },
  unsure: { reply: 500 },
  lost: { reply: 'reset' },
  limited: { reply: 429, headers: { 'retry-after': '1' } },
  refused: { reply: 401 },
  hangs: { reply: 'hang' },
} as const satisfies Readonly<Record<string, Answering>>;

type Name = keyof typeof answers;

const names = ['sent', 'slow', 'failed', 'unsure', 'lost', 'limited', 'refused', 'hangs'] as const;
const often = ['sent', 'sent', 'slow'] as const;

const scenarios = fc.record({
  rows: fc.integer({ min: 1, max: 30 }),
  startWith: fc.integer({ min: 1, max: 12 }),
  answers: fc.infiniteStream(fc.constantFrom<Name>(...often, ...names)),
  /** For each command, the number of requests before the first signal, and between the two. */
  signals: fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 6 })), { maxLength: 4 }),
});

type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

const numRuns = Number(process.env['BIZMSG_PROPERTY_RUNS'] ?? 25);

it(`whatever is answered and interrupted in ${numRuns} batches, each person gets one message at most, and the outcomes are those on record`, async () => {
  await fc.assert(fc.asyncProperty(scenarios, check), { numRuns });
});

/** Works on a batch again and again until no row waits. */
async function check(scenario: Scenario): Promise<void> {
  const tables = await openTables();
  let batch = await tables.load(scenario.rows);
  const arrived: string[] = [];
  const accepted: string[] = [];
  const reported = { sent: [0], failed: [0], unsure: [0] };
  for (let part = 0; part < 200; part++) {
    const signals = scenario.signals[part];
    const [stop, leave] = [new AbortController(), new AbortController()];
    let requests = 0;
    const service = await serving(({ phone }) => {
      requests += 1;
      const name = nameOf(scenario, signals !== undefined);
      const isLast = signals && (requests === signals[0] + signals[1] || name === 'hangs');
      if (isLast || requests === signals?.[0]) stop.abort('SIGINT');
      if (isLast) leave.abort('SIGINT');
      if (!['failed', 'limited', 'refused'].includes(name)) arrived.push(phone);
      if (name === 'sent' || name === 'slow') accepted.push(phone);
      return answers[name];
    });
    const about = { batch, url: service.url, startWith: scenario.startWith, isOfFile: false };
    const signalled = { stop: stop.signal, leave: leave.signal };
    const worked = await passing(tables.clock, 250, working(tables, { ...about, signals: signalled }));
    service.close();
    for (const state of ['sent', 'failed', 'unsure'] as const) reported[state].push(...numbers(worked, state));
    const rows = await tables.rows(batch);
    for (const state of ['sent', 'failed', 'unsure'] as const) {
      const recorded = rows.flatMap((row) => (row.state === state ? [row.n] : []));
      expect([0, ...recorded]).toEqual(reported[state].toSorted((a, b) => a - b));
    }
    expect(rows.filter(({ state }) => state === 'under way')).toEqual([]);
    expect(new Set(arrived).size).toBe(arrived.length);
    const sent = rows.flatMap(({ n, state }) => (state === 'sent' ? [phoneOf(n)] : []));
    expect(accepted).toEqual(expect.arrayContaining(sent));
    if (rows.every(({ state }) => state !== 'waiting')) return;
    batch = await resumed(tables, batch.id);
  }
  throw new Error('it does not end');
}

/** A request hangs only if a signal may end it. */
function nameOf({ answers: names }: Scenario, isSignaled: boolean): Name {
  const name = names.next().value;
  return name === 'hangs' && !isSignaled ? 'sent' : name;
}

async function resumed({ database, clock }: Tables, id: string) {
  await release(database, id, worker, clock.now());
  const batch = await database.read(() => batchWithId(id));
  if (!batch) throw new Error('the batch is gone');
  const begun = await beginResume(database, { batch, excluded: [], resend: [], worker, now: clock.now() });
  await redecide(database, { batch: begun, worker, clock: clock.now });
  return begun;
}
