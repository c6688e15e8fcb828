import fc from 'fast-check';
import {
  type Fate,
  fates,
  type RowDigest,
  type RunPlan,
  type Settlement as AnySettlement,
} from '../../src/ledger/ledger.ts';
import type { Machine, Process as Opened, RowVerdict } from './machine.ts';
import { day, hour, planOf, type PlanOptions, rowOf } from './rig.ts';

/** Of a request. */
type Settlement = Exclude<AnySettlement, 'withdraw'>;

export type Step =
  | { readonly do: 'start'; readonly process: number; readonly rows: readonly string[]; readonly options: PlanOptions }
  | { readonly do: 'claim'; readonly process: number; readonly count: number }
  | { readonly do: 'send'; readonly process: number; readonly outcomes: readonly Settlement[] }
  | { readonly do: 'settle' | 'die' | 'stall' | 'revive' | 'end'; readonly process: number }
  | { readonly do: 'wait'; readonly milliseconds: number };

const processes = fc.integer({ min: 0, max: 1 });
const someRows = fc.shuffledSubarray(['ada:1', 'ada:2', 'bob:1', 'bob:2', 'cyd:1', 'dan:1', 'eve:1'], { minLength: 1 });
const options: fc.Arbitrary<PlanOptions> = fc.record({
  mode: fc.oneof(
    { weight: 4, arbitrary: fc.constant('live' as const) },
    { weight: 1, arbitrary: fc.constant('sandbox' as const) },
  ),
  job: seldom('job'),
  first: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 4, nil: undefined }),
  skipSent: fc.constantFrom(undefined, 20 * hour, 30 * day),
  again: seldom(true),
  besides: fc.boolean(),
  firstOfEach: fc.boolean(),
  isClockRight: fc.boolean(),
  continue: fc.option(fc.constant(true), { freq: 2, nil: undefined }),
  retryUnsure: fc.constantFrom(undefined, undefined, undefined, 'always', 'daily'),
});
const outcome = fc.constantFrom<Settlement>('done', 'done', 'done', 'failed', 'unsure', 'release');

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('start' as const), process: processes, rows: someRows, options }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      process: processes,
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      process: processes,
      outcomes: fc.array(outcome, { minLength: 4, maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), process: processes }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('die' as const, 'stall' as const, 'revive' as const, 'end' as const),
      process: processes,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(1_000, hour, 13 * hour, 21 * hour, 8 * day, 28 * day),
    }),
  },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 4, maxLength: 40 });

/** Grants of a row, and their outcomes. */
interface Grant {
  readonly run: string;
  readonly text: string;
  /** It may have been sent before, so it is done or stays unsure. */
  readonly isRetry: boolean;
  readonly process: Process;
  state: 'leaving' | 'done' | 'failed' | 'unsure' | 'release';
  at: number;
}

interface Process {
  readonly ledger: Opened;
  isStalled: boolean;
  command: Command | undefined;
}

interface Command {
  readonly plan: RunPlan;
  readonly run: string;
  readonly due: number[];
  /** Granted but not sent. */
  readonly granted: Flight[];
  /** Sent, with an outcome that is not recorded yet. */
  readonly sent: { readonly flight: Flight; readonly outcome: Settlement }[];
}

interface Flight {
  readonly person: string;
  readonly row: RowDigest;
  readonly grant: Grant;
}

/** Executes the steps, and throws if a row is granted that must not be. */
export async function check(world: Machine, steps: readonly Step[]): Promise<void> {
  const slots: (Process | undefined)[] = [undefined, undefined];
  const grants = new Map<string, Grant[]>();
  const startedAgain = new Map<string, number>();
  for (const step of steps) await act(step);
  await finish();

  async function act(step: Step): Promise<void> {
    if (step.do === 'wait') return world.wait(step.milliseconds);
    const process = slots[step.process];
    if (step.do === 'start') return start(step);
    if (!process) return;
    if (step.do === 'die') return die(step.process, process);
    if (step.do === 'revive') return revive(process);
    if (process.isStalled) return;
    if (step.do === 'stall') return stall(process);
    if (step.do === 'end') return end(step.process, process);
    if (step.do === 'claim') await claim(process, step.count);
    else if (step.do === 'send') send(process, step.outcomes);
    else await settle(process);
  }

  async function start({ process: slot, rows, options }: Extract<Step, { do: 'start' }>): Promise<void> {
    const process = (slots[slot] ??= opened());
    if (process.isStalled || process.command) return;
    const plan = planOf(rows.join(' '), options);
    const known = await process.ledger.runs();
    const registered = await process.ledger.register(plan);
    if (registered.stop) return;
    if (plan.choice.again && !known.some(({ id }) => id === registered.run))
      startedAgain.set(registered.run, world.now());
    const counted = Object.values(registered.counts).reduce((sum, count) => sum + count, 0);
    expectThat(counted === plan.input.count, `${counted} fates for ${plan.input.count} rows`);
    const isDue = (fate: Fate | undefined) => fate === 'due' || fate === 'retry';
    const due = [...registered.fates].flatMap((code, row) => (isDue(fates[code]) ? [row] : []));
    process.command = { plan, run: registered.run, due, granted: [], sent: [] };
  }

  function opened(): Process {
    return { ledger: world.start(), isStalled: false, command: undefined };
  }

  async function claim(process: Process, count: number): Promise<readonly RowVerdict[]> {
    const { command } = process;
    if (!command || command.due.length === 0) return [];
    const numbers = command.due.splice(0, count);
    const rows = numbers.map((number) => rowOf(command.plan, number));
    const terms = { run: command.run, retryUnsure: command.plan.choice.retryUnsure };
    const verdicts = await process.ledger.claim(rows, terms);
    rows.forEach((row, at) => {
      if (verdicts[at]?.verdict === 'taken') command.due.push(numbers[at] ?? 0);
      if (verdicts[at]?.verdict === 'yours') command.granted.push({ row, ...grant(process, command, row) });
    });
    return verdicts;
  }

  function grant(process: Process, { run, plan }: Command, row: RowDigest) {
    const [person, text] = [`${plan.mode} ${hexOf(row.subarray(0, 24))}`, hexOf(row.subarray(24))];
    const earlier = grants.get(person) ?? [];
    let isRetry = false;
    for (const other of earlier) {
      const mayBeSent = other.state === 'leaving' || other.state === 'done' || other.state === 'unsure';
      if (!mayBeSent) continue;
      // With --retry-unsure the user accepts the risk, whatever the outcome of the new attempt.
      if (other.state === 'unsure' && plan.choice.retryUnsure) {
        isRetry = true;
        continue;
      }
      expectThat(other.run !== run, `a row of run ${run} was granted again, after ${other.state}`);
      const isKnown = plan.mode === 'sandbox' || other.at <= (startedAgain.get(run) ?? -1);
      const isOver = world.now() - other.at >= (counts(other, text, plan) ?? Infinity);
      expectThat(isKnown || isOver, `run ${run} was granted a row that is ${other.state} in run ${other.run}`);
    }
    const made: Grant = { run, text, isRetry, process, state: 'leaving', at: world.now() };
    grants.set(person, [...earlier, made]);
    return { person, grant: made };
  }

  /** For which time a grant counts. */
  function counts({ state, text }: Grant, own: string, { choice: { skipSent = 0 } }: RunPlan): number | undefined {
    if (state === 'done') return Math.max(text === own ? 27 * day : 20 * hour, skipSent);
    return state === 'unsure' && text !== own ? 20 * hour : undefined;
  }

  function send({ command }: Process, outcomes: readonly Settlement[]): void {
    if (!command) return;
    for (const outcome of outcomes) {
      const flight = command.granted.shift();
      if (flight) command.sent.push({ flight, outcome });
    }
  }

  async function settle({ ledger, command }: Process): Promise<void> {
    if (!command || command.sent.length === 0) return;
    const sent = command.sent.splice(0);
    await ledger.settle(sent.map(({ flight: { row }, outcome }) => ({ run: command.run, row, outcome })));
    for (const { flight, outcome } of sent) {
      const { person, grant } = flight;
      if (grant.isRetry && outcome !== 'done') grant.state = 'unsure';
      else grant.state = outcome;
      grant.at = world.now();
      if (!grant.isRetry || outcome !== 'done') continue;
      for (const other of grants.get(person) ?? []) if (other.state === 'unsure') other.state = 'done';
    }
  }

  /** To the others, every row it had in flight may have been sent. */
  function doubt(process: Process): void {
    for (const grant of [...grants.values()].flat())
      if (grant.process === process && grant.state === 'leaving') grant.state = 'unsure';
  }

  function die(slot: number, process: Process): void {
    doubt(process);
    world.kill(process.ledger.pid);
    slots[slot] = undefined;
  }

  function stall(process: Process): void {
    doubt(process);
    process.isStalled = true;
    world.kill(process.ledger.pid);
  }

  /** Its claims have expired, so it does not send rows granted before. */
  function revive(process: Process): void {
    if (!process.isStalled) return;
    world.revive(process.ledger.pid);
    process.isStalled = false;
    if (process.command) process.command.granted.length = 0;
  }

  /** A normal end: rows that were not sent are released. */
  async function end(slot: number, process: Process): Promise<void> {
    send(process, process.command?.granted.map(() => 'release' as const) ?? []);
    await settle(process);
    doubt(process);
    await process.ledger.close();
    slots[slot] = undefined;
  }

  /** When all other processes have ended, one command handles all its rows: each ends with an outcome or a reason. */
  async function finish(): Promise<void> {
    for (const [slot, process] of slots.entries()) if (process) die(slot, process);
    const rows = ['ada:1', 'bob:1', 'cyd:1', 'dan:1', 'eve:1'];
    const last = opened();
    // Without its name, a job is not continued.
    for (const { id, job } of await last.ledger.runs()) if (job !== undefined) await last.ledger.closeRun(id);
    await last.ledger.close();
    await start({ do: 'start', process: 0, rows, options: { continue: true, skipSent: 30 * day } });
    const [process] = slots;
    if (!process?.command) throw new Error('the last command did not start');
    await goThrough(process, process.command);
    await process.ledger.close();
  }

  async function goThrough(process: Process, { run, due }: Command): Promise<void> {
    while (due.length > 0) {
      const verdicts = await claim(process, 3);
      expectThat(
        verdicts.every(({ verdict }) => verdict !== 'taken'),
        'a row is still taken after all others are gone',
      );
      send(process, ['done', 'failed', 'unsure']);
      await settle(process);
    }
    const state = (await process.ledger.runs()).find(({ id }) => id === run);
    expectThat(state?.isFinished === true, `the last run is not finished: ${JSON.stringify(state?.counts)}`);
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function seldom<T>(value: T): fc.Arbitrary<T | undefined> {
  return fc.option(fc.constant(value), { freq: 5, nil: undefined });
}

function expectThat(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}
