import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadSqlite } from '../../../bin/sqlite.js';
import type { Sqlite } from '../../../src/base/host.ts';
import { isRecord } from '../../../src/contract/readers.ts';
import { later } from '../../support/cli.ts';
import { isLong } from '../../support/long-tests.ts';
import type { Asked, Reply } from '../../support/service.ts';
import { day, hour, minute, openMachine, people } from './rig.ts';

const numRuns = Number(process.env['BIZMSG_MODEL_RUNS'] ?? (isLong ? 60 : 15));
const seldom = <T>(value: T) => fc.option(fc.constant(value), { freq: 4, nil: undefined });
const often = <T>(times: number, ...values: readonly T[]) => values.flatMap((value) => Array<T>(times).fill(value));

const steps = fc.array(
  fc.record({
    do: fc.constantFrom(
      ...often(5, 'batch' as const),
      ...often(2, 'single' as const, 'die' as const, 'wait' as const),
      ...often(9, 'answer' as const),
      ...often(1, 'interrupt' as const, 'drift' as const),
    ),
    slot: fc.integer({ min: 0, max: 1 }),
    /** For each person the number of the text; 2 leaves the person out. */
    texts: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 3, maxLength: 3 }),
    job: fc.option(fc.constantFrom('one', 'two'), { freq: 2, nil: undefined }),
    again: seldom(true),
    retryUnsure: seldom(true),
    more: fc.subarray(['--skip-sent', '--continue', '--first=1'], { maxLength: 2 }),
    reply: fc.constantFrom<Reply[]>(200, 200, 200, 422, 429, 500, 'reset'),
    span: fc.constantFrom(minute, hour, 13 * hour, 22 * hour, 8 * day, 29 * day),
    drift: fc.constantFrom(0, 40 * minute, -40 * minute),
  }),
  { minLength: 3, maxLength: 16 },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/** After a 429, processes wait for each other for seconds. */
const hurried = {
  later: (milliseconds: number, run: () => void) => later(milliseconds / 20, run),
  steady: () => performance.now() * 20,
};

it('two processes send to each person once and leave out none', { timeout: 30_000 + numRuns * 2_000 }, async () => {
  await fc.assert(fc.asyncProperty(steps, check), { numRuns });
});

interface Sender extends Partial<Pick<Step, 'job' | 'again' | 'retryUnsure'>> {
  readonly isSingle: boolean;
}

interface Command extends Sender {
  ended: Promise<void>;
  /** Answers to requests that are in flight. */
  readonly inFlight: ((reply: Reply) => void)[];
  readonly interrupt: AbortController;
  isDead: boolean;
  /** Called at each request. */
  onRequest: () => void;
}

interface Request {
  readonly message: Omit<Asked, 'reply'>;
  readonly at: number;
  /** When it may have been claimed, if the clock was moved just before it arrived. */
  readonly from: number;
  readonly by: Sender;
  reply: Reply | undefined;
}

async function check(steps: readonly Step[]): Promise<void> {
  await using machine = await openMachine();
  const hosts = ['127.0.0.1', 'localhost'];
  const slots: (Command | undefined)[] = [];
  const requests: Request[] = [];
  const wrong: string[] = [];
  /** When jobs that were made with --again sent something first, or ended. */
  const madeAgain = new Map<string, number>();
  const living = new Map<number, Command>();
  let [lastPid, hasDrifted] = [900_000, false];
  let moved = { from: 0, at: -Infinity };

  machine.reply = (message) => {
    const by = slots[hosts.indexOf(message.host)];
    if (!by || by.isDead) return 'reset';
    noteAgain(by);
    const one = record(message, by);
    return new Promise((resolve) => {
      by.inFlight.push((reply) => resolve((one.reply = reply)));
      by.onRequest();
    });
  };
  for (const step of steps) await act(step);
  await finish();
  expect(wrong).toEqual([]);

  function record(message: Request['message'], by: Sender): Request {
    const at = machine.now();
    const from = performance.now() - moved.at < 1_000 ? Math.min(moved.from, at) : at;
    const one: Request = { message, at, from, by, reply: undefined };
    for (const earlier of requests) if (!mayFollow(one, earlier)) wrong.push(`${textOf(one)} after ${textOf(earlier)}`);
    requests.push(one);
    return one;
  }

  function noteAgain({ job, again }: Sender): void {
    if (again && job !== undefined && !madeAgain.has(job)) madeAgain.set(job, machine.now());
  }

  async function act(step: Step): Promise<void> {
    if (step.do === 'wait') {
      moved = { from: machine.now(), at: performance.now() };
      return machine.wait(step.span);
    }
    if (step.do === 'drift') [machine.drift, hasDrifted] = [step.drift, true];
    const command = slots[step.slot];
    if (step.do === 'batch' || step.do === 'single') return command ? undefined : start(step);
    if (command && step.do === 'die') return die(command);
    if (command && step.do === 'interrupt') command.interrupt.abort('SIGINT');
    // A batch waits for the responses, a single message does not.
    if (command?.isSingle && step.do === 'interrupt') for (const answer of command.inFlight.splice(0)) answer('reset');
    if (!command || step.do !== 'answer') return;
    command.inFlight.shift()?.(step.reply);
    await untilItWaits(command);
  }

  /** Until it has requests in flight or has ended; it may also wait for the other process. */
  async function untilItWaits(command: Command): Promise<void> {
    if (command.inFlight.length > 0) return;
    await Promise.race([command.ended, new Promise<void>((resolve) => (command.onRequest = resolve)), sleep(50)]);
  }

  async function start({ do: kind, slot, texts, ...choice }: Step): Promise<void> {
    const rows = people(1, 3).flatMap((row, at) => (texts[at] === 2 ? [] : [{ ...row, name: `text ${texts[at]}` }]));
    if (rows.length === 0) return;
    const isSingle = kind === 'single';
    const { job, again, retryUnsure, more } = isSingle ? { ...choice, job: undefined, more: [] } : choice;
    const pid = ++lastPid;
    const [interrupt, ended, onRequest] = [new AbortController(), Promise.resolve(), () => {}];
    const sender = { job, again, retryUnsure, isSingle };
    const command: Command = { ...sender, interrupt, inFlight: [], ended, isDead: false, onRequest };
    slots[slot] = command;
    living.set(pid, command);
    const words = [again && '--again', retryUnsure && '--retry-unsure', job && `--job=${job}`, ...more];
    const options = {
      env: { ...machine.env, BIZMSG_BASE_URL: machine.service.url.replace('127.0.0.1', hosts[slot] ?? '') },
      pid,
      kill: (one: number) => one === process.pid || living.has(one),
      signal: interrupt.signal,
      sqlite: () => mortal(command),
      ...hurried,
      name: `${pid}.csv`,
    };
    const typed = words.filter(Boolean).join(' ');
    const running = isSingle ? machine.single(rows[0], typed, options) : machine.batch(rows, typed, options);
    command.ended = untilEnded();
    await untilItWaits(command);

    async function untilEnded(): Promise<void> {
      const { code, stderr } = await running;
      if (!command.isDead && code === 1) wrong.push(`exit 1: ${stderr}`);
      if (code !== 2 && code !== 11) noteAgain(command);
      living.delete(pid);
      slots[slot] = undefined;
    }
  }

  async function die(command: Command): Promise<void> {
    command.isDead = true;
    for (const [pid, one] of living) if (one === command) living.delete(pid);
    command.interrupt.abort('SIGINT');
    for (const answer of command.inFlight.splice(0)) answer('reset');
    await command.ended;
  }

  /** Whether the rule allows a second request to the same person. */
  function mayFollow({ by, message, at }: Request, { by: other, reply, ...earlier }: Request): boolean {
    if (earlier.message.phone !== message.phone || reply === 422 || reply === 429) return true;
    const isUnsure = reply !== undefined && reply !== 200;
    if (isUnsure && by.retryUnsure) return true;
    const isSame = earlier.message.text === message.text;
    const age = at - earlier.from;
    if (by.isSingle) {
      if (!isSame || (reply === 200 && by.again)) return true;
      return reply === 200 && (other.isSingle ? hasDrifted || age >= 10 * minute : age > 18 * hour);
    }
    if (by.job !== undefined && earlier.from <= (madeAgain.get(by.job) ?? -1)) return true;
    if (reply === undefined || (by.job !== undefined && by.job === other.job)) return false;
    // The clocks of the machine may differ by two hours.
    if (!isSame) return age > 18 * hour;
    return reply === 200 && age > 26.9 * day;
  }

  /** One command for all people: each gets the template, has got it, or is held back. */
  async function finish(): Promise<void> {
    for (const command of slots) if (command) await die(command);
    machine.drift = 0;
    const runs: unknown = JSON.parse((await machine.run(['runs', 'list', '-o', 'json'])).stdout || '[]');
    for (const run of Array.isArray(runs) ? runs.filter(isRecord) : [])
      if (run['job'] !== null && run['state'] === 'unfinished') await machine.run(['runs', 'close', String(run['id'])]);
    machine.reply = (message) => (record(message, { isSingle: false }).reply = 200);
    const all = people(1, 3, () => ({ name: 'text 0' }));
    const { code, stderr, summary } = await machine.batch(all, '--skip-sent --continue', hurried);
    const reached = new Set(requests.flatMap(({ message, reply }) => (reply === 200 ? [message.phone] : [])));
    const held = code === 10 ? (summary?.skipped['unsure'] ?? 0) : 0;
    if ((code !== 0 && code !== 10) || reached.size + held < 3)
      wrong.push(`in the end ${reached.size} are reached, ${held} held back, exit ${code}: ${stderr}`);
  }
}

function textOf({ message: { phone, text }, by, reply }: Request): string {
  return `${phone} ${text} ${JSON.stringify(by, ['isSingle', 'job', 'again', 'retryUnsure'])} (${reply})`;
}

/** SQLite of a process, which no longer begins a transaction once it is dead. */
function mortal(owner: Pick<Command, 'isDead'>): Sqlite {
  const sqlite: Sqlite | undefined = loadSqlite();
  if (!sqlite) throw new Error('this Node has no SQLite');
  return {
    DatabaseSync: class extends sqlite.DatabaseSync {
      override exec(sql: string): void {
        if (owner.isDead) throw new Error('this process is dead');
        super.exec(sql);
      }
    },
  };
}
