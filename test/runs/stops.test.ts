import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import * as rig from './engine-rig.ts';

/** `retried` after a 429; `hangs` until the second Ctrl-C. */
type Reply = keyof typeof rig.errors | 'done' | 'retried' | 'hangs';

const replies: readonly Reply[] = ['done', 'done', 'done', 'failed', 'unsure', 'lost', 'unreached', 'barred'];

const scenarios = fc.record({
  rows: fc.integer({ min: 1, max: 30 }),
  concurrency: fc.integer({ min: 1, max: 12 }),
  replies: fc.infiniteStream(fc.constantFrom<Reply>(...replies, 'retried', 'retried', 'hangs')),
  /** The turns of the event loop that a wait takes. */
  turns: fc.infiniteStream(fc.constantFrom(0, 0, 1, 2, 5, 20)),
  /** For each command, the number of events before the first signal, and those between the two. */
  signals: fc.array(fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 20 })), { maxLength: 4 }),
});

type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

const numRuns = Number(process.env['BIZMSG_PROPERTY_RUNS'] ?? (isLong ? 60 : 20));
const timeout = 60_000 + numRuns * 200;

it(
  'signals at any moment: the summary agrees with the ledger, and no row is sent again',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        expect(await sentAgain(scenario)).toEqual([]);
      }),
      { numRuns },
    );
  },
  timeout,
);

/** Runs the command again after each signal, until nothing is left. Returns rows that may have arrived twice. */
async function sentAgain(scenario: Scenario): Promise<readonly string[]> {
  const [input, folder] = [rig.numbered(scenario.rows), rig.stateFolder()];
  const [arrived, again] = [new Map<string, Reply>(), new Array<string>()];
  const reported = { done: 0, failed: 0, unsure: 0 };
  for (let at = 0; at < 300; at++) {
    const own = 1_000 + at;
    const process = { pid: own, kill: (pid: number) => pid === own };
    const shared = slow(await rig.openLedger(folder, process), scenario);
    const service = interrupted(scenario, { arrived, again }, scenario.signals[at]);
    const { concurrency } = scenario;
    const part = await rig.part(folder, input, { ...service.options, shared, concurrency });
    service.end();
    await pass(30);
    for (const { outcome } of part.outcomes) if (outcome !== 'skipped') reported[outcome] += 1;
    const ended = part.outcomes.map(({ row }) => `row ${row.number}`);
    expect(new Set(ended).size).toBe(ended.length);
    expect(service.arrivals.filter((content) => !ended.includes(content))).toEqual([]);
    const { left, failed, ...counts } = part.counts;
    const all = counts.done + failed + counts.unsure + left;
    expect({ ...counts, all }).toEqual({
      done: reported.done,
      unsure: reported.unsure,
      all: scenario.rows,
    });
    if (left === 0) return again;
  }
  throw new Error('the run does not end');
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

/** A client and its service, and signals after a number of events. */
function interrupted(
  { replies, turns }: Scenario,
  { arrived, again }: { readonly arrived: Map<string, Reply>; readonly again: string[] },
  signals: Scenario['signals'][number] | undefined,
) {
  const [stop, leave] = [new AbortController(), new AbortController()];
  const [coming, arrivals] = [new Map<string, Reply>(), new Array<string>()];
  let [events, isOver] = [0, false];
  const event = async () => {
    events += 1;
    if (signals && events === signals[0]) stop.abort('SIGINT');
    if (signals && events === signals[0] + signals[1]) leave.abort('SIGINT');
    await pass(turns.next().value);
  };
  return {
    arrivals,
    end: () => (isOver = true),
    options: {
      signals: { stop: stop.signal, leave: leave.signal },
      async slot(): Promise<void> {
        await event();
        if (stop.signal.aborted) throw rig.failure('interrupted', 'no');
      },
      async isLimited(content: string): Promise<boolean> {
        const reply = replies.next().value;
        coming.set(content, reply);
        if (reply !== 'retried') return false;
        await event();
        if (leave.signal.aborted) throw rig.failure('interrupted', 'unknown');
        return true;
      },
      async send(content: string): Promise<unknown> {
        const reply = coming.get(content) ?? 'done';
        if (isOver) throw new Error(`${content} left after the end`);
        if (reply !== 'unreached' && reply !== 'barred') {
          // A row that the service rejected may be sent again.
          if ((arrived.get(content) ?? 'failed') !== 'failed') again.push(content);
          arrived.set(content, reply);
          arrivals.push(content);
        }
        await event();
        if (reply === 'hangs' && signals) {
          await pass(60);
          stop.abort('SIGINT');
          leave.abort('SIGINT');
          await event();
          throw rig.failure('interrupted', 'unknown');
        }
        if (reply === 'done' || reply === 'hangs' || reply === 'retried') return {};
        throw rig.errors[reply]();
      },
      onOutcome: event,
    },
  };
}

/** Takes some time until a claim is known, as if a disk were slow. */
function slow(ledger: Ledger, { turns }: Scenario): Ledger {
  return {
    ...ledger,
    async claim(...given) {
      const verdicts = await ledger.claim(...given);
      await pass(turns.next().value);
      return verdicts;
    },
  };
}
