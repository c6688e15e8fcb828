import { randomBytes } from 'node:crypto';
import { CliError } from '../../base/errors.ts';
import { integer, list, text } from '../../base/redis.ts';
import { sleep } from '../../base/sleep.ts';
import type { Change } from '../book.ts';
import { isFinished } from '../run.ts';
import { rowSize } from '../identity.ts';
import {
  type Accepted,
  type Ledger,
  type Parts,
  type RunPlan,
  type RowDigest,
  type ClaimTerms,
  type RunState,
  type Settled,
  singlesOf,
  type Verdict,
} from '../ledger.ts';
import { isIdle } from '../others.ts';
import { decideRegister } from '../rules.ts';
import { states } from '../states.ts';
import { readRuns, recordsOf, rowsInCall, rowsOf, type ServerRun } from './runs.ts';
import { createServer, type Server, type ServerOptions } from './server.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

export interface RedisLedgerOptions extends ServerOptions {
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Milliseconds that a claim may take. With the time-out of a request it is less than `silence`. Default: 25 s. */
  readonly longestClaim?: number | undefined;
}

/** Milliseconds after which a large registration tries again to begin, while another one is being made. */
const busyPause = 200;

/** The ledger of a team, on a Valkey or Redis server. All promises of one process resolve in the order of the calls. */
export function openRedisLedger(options: RedisLedgerOptions): RedisLedger {
  const { now, steady, longestClaim = 25_000 } = options;
  const server = createServer(options);
  /** The state of the ledger on which this process's registration of a run is based. */
  const registered = new Map<string, number>();
  /** Rows of claims whose answer was lost: the server may think that this process is sending them. */
  const unanswered = new Set<string>();
  let waiting: Waiting[] = [];

  return {
    secret: options.secret,
    register,
    claim,
    settle: (outcomes) =>
      new Promise((resolve, reject) => {
        waiting.push({ outcomes, resolve, reject });
        queueMicrotask(() => void (waiting.length > 0 && work(undefined, []).catch(() => {})));
      }),
    withdraw: async ({ run, rows }) => void (await moveRows(run, 'withdraw', rows)),
    look,
    runs: async () => runStates(server),
    begin: (run, part) =>
      unlessGone(true, async () => {
        const [isFree] = await server.change('begin', { run, part });
        return integer(isFree) === 1;
      }),
    statesOf: (run, rows) =>
      unlessGone([], async () => {
        const records = await recordsOf(server, Buffer.concat(rows), run);
        return records.map(([record]) => record?.state);
      }),
    resolve: (run, found, rows) => moveRows(run, found, rows),
    async closeRun(run) {
      await server.change('shut', { run, refuse: true, forget: false });
      await moveRows(run, 'withdraw', undefined);
    },
    forget: (what) => ('run' in what ? forgetRun(what.run) : forgetSeconds(what.seconds)),
    lossAcceptedAt: server.lossAcceptedAt,
    close: () => server.close(),
  };

  async function register(plan: RunPlan) {
    const newId = memoized(() => randomBytes(6).toString('hex'));
    for (;;) {
      const snapshot = await readSnapshot(server, plan);
      // It was read in several calls.
      if (integer(await server.call('HGET', 'meta', 'registrations')) !== snapshot.registrations) continue;
      const { registered: result, changes } = decideRegister(snapshot.book, snapshot.world, plan, newId);
      if (plan.isRehearsal || result.stop) return result;
      if (!(await commit(snapshot, plan, result, changes))) {
        await server.change('shut', { run: result.run, draft: true, refuse: false, forget: true });
        continue;
      }
      registered.set(result.run, snapshot.order);
      for (const change of changes) if (change.type === 'withdraw') await withdraw(snapshot, change);
      return result;
    }
  }

  /** In parts; with the last one all of it counts. False if another registration came first. */
  async function commit(
    snapshot: Snapshot,
    plan: RunPlan,
    { run }: Accepted,
    changes: readonly Change[],
  ): Promise<boolean> {
    const { account, mode, kind, template, job, choice } = plan;
    const subject = JSON.stringify({ account, mode, kind, template, job });
    const again = choice.again ? 1 : 0;
    const [planned, reopened] = registeredRows(snapshot, run, changes);
    const parts = Math.max(1, Math.ceil(Math.max(planned.length, reopened.length) / (rowsInCall * rowSize)));
    let registration = 0;
    for (let part = 0; part < parts;) {
      const facts = { run, subject, again, after: snapshot.order, registrations: snapshot.registrations };
      const [from, to] = [part * rowsInCall * rowSize, (part + 1) * rowsInCall * rowSize];
      const rows = [planned.subarray(from, to), reopened.subarray(from, to)];
      const reply = await server.change('register', { ...facts, registration, commit: part === parts - 1 }, ...rows);
      const status = text(reply[0]);
      if (status === 'changed') return false;
      if (status === 'busy') await sleep(busyPause, options.later);
      else [part, registration] = [part + 1, integer(reply[1])];
    }
    return true;
  }

  async function withdraw(
    snapshot: Snapshot,
    { run, rows, closes }: Extract<Change, { type: 'withdraw' }>,
  ): Promise<void> {
    if (!closes) return void (await move(run, 'withdraw', rowsAt(snapshot, run, rows)));
    await server.change('shut', { run, refuse: false, forget: false });
    await moveRows(run, 'withdraw', undefined);
  }

  async function claim(rows: readonly RowDigest[], terms: ClaimTerms): Promise<readonly Verdict[]> {
    for (;;) {
      const [at, steadyAt] = [now(), steady()];
      const verdicts = await work(terms, rows);
      // A process that was suspended may count as dead: it claims again.
      if (Math.max(now() - at, steady() - steadyAt) <= longestClaim) return verdicts;
      for (const row of rows) unanswered.add(keyOf(terms, row));
    }
  }

  /** One call for the outcomes that wait, and for a claim. */
  async function work(terms: ClaimTerms | undefined, rows: readonly RowDigest[]): Promise<readonly Verdict[]> {
    const settled = waiting;
    waiting = [];
    const groups = groupsOf(settled.flatMap(({ outcomes }) => outcomes));
    const claimed =
      terms && Buffer.concat(rows.map((row) => Buffer.concat([row, flags[unanswered.has(keyOf(terms, row)) ? 1 : 0]])));
    try {
      const facts = { settled: [...groups.keys()], terms: terms && wireTerms(terms) };
      const outcomes = [...groups.values()].map((group) => Buffer.concat(group));
      const [verdicts] = await server.change('work', facts, ...outcomes, ...(claimed ? [claimed] : []));
      if (terms) for (const row of rows) unanswered.delete(keyOf(terms, row));
      for (const { resolve } of settled) resolve();
      return list(verdicts).map(verdictIn);
    } catch (error) {
      if (terms && error instanceof CliError && error.exit === 'network')
        for (const row of rows) unanswered.add(keyOf(terms, row));
      for (const { reject } of settled) reject(error);
      throw error;
    }
  }

  async function look(row: RowDigest, terms: ClaimTerms): Promise<Verdict> {
    const [verdicts] = await server.read('look', { terms: wireTerms(terms) }, row);
    return verdictIn(list(verdicts)[0] ?? null);
  }

  function wireTerms(terms: ClaimTerms): object {
    if ('single' in terms) return { ...terms, run: singlesOf(terms.single) };
    return { ...terms, after: registered.get(terms.run) };
  }

  async function moveRows(run: string, event: string, rows: readonly RowDigest[] | undefined): Promise<number> {
    if (rows) return move(run, event, Buffer.concat(rows));
    let moved = await move(run, event, new Uint8Array(0));
    const stored = (await readRuns(server)).runs.find(({ facts }) => facts.id === run);
    if (stored) for await (const part of rowsOf(server, stored)) moved += await move(run, event, part);
    return moved;
  }

  async function move(run: string, event: string, rows: Uint8Array): Promise<number> {
    const size = rowsInCall * rowSize;
    let moved = 0;
    for (let from = 0; from === 0 || from < rows.length; from += size) {
      const [count] = await server.change('move', { run, event }, rows.subarray(from, from + size));
      moved += integer(count);
    }
    return moved;
  }

  async function forgetRun(run: string): Promise<void> {
    await server.change('shut', { run, refuse: true, forget: true });
    for (;;) {
      const [isMore] = await server.change('sweep');
      if (integer(isMore) === 0) return;
    }
  }

  async function forgetSeconds(seconds: readonly Uint8Array[]): Promise<void> {
    const forgotten = new Set(seconds.map((second) => Buffer.from(second).toString('latin1')));
    for (const run of (await readRuns(server)).runs) {
      const found: Buffer[] = [];
      let place = 0;
      for await (const rows of rowsOf(server, run))
        for (let at = 0; at < rows.length; at += rowSize, place++) {
          const row = rows.subarray(at, at + rowSize);
          if (forgotten.has(row.subarray(12).toString('latin1'))) found.push(placed(place, row));
        }
      for (let from = 0; from < found.length; from += rowsInCall) {
        const facts = { number: run.number, singles: run.isSingles };
        await server.change('erase', facts, Buffer.concat(found.slice(from, from + rowsInCall)));
      }
    }
  }
}

/** The ledger of a team. */
export interface RedisLedger extends Ledger, Parts {
  /** Keys the digests of rows. */
  readonly secret: string;
  /** When the user last accepted that the server has lost data. */
  lossAcceptedAt(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Outcomes to be recorded with the next call. */
interface Waiting {
  readonly outcomes: readonly Settled[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const flags = [Buffer.of(0), Buffer.of(1)] as const;
const letters = {
  done: Buffer.from('d'),
  failed: Buffer.from('f'),
  unsure: Buffer.from('u'),
  release: Buffer.from('r'),
};

function groupsOf(outcomes: readonly Settled[]): ReadonlyMap<string, readonly Uint8Array[]> {
  const groups = new Map<string, Uint8Array[]>();
  for (const { run, row, outcome } of outcomes) {
    const group = groups.get(run) ?? [];
    group.push(row, letters[outcome]);
    groups.set(run, group);
  }
  return groups;
}

function keyOf(terms: ClaimTerms, row: RowDigest): string {
  const run = 'single' in terms ? singlesOf(terms.single) : terms.run;
  return `${run} ${Buffer.from(row).toString('latin1')}`;
}

function verdictIn(reply: Parameters<typeof text>[0]): Verdict {
  if (!Array.isArray(reply)) {
    const verdict = text(reply);
    if (verdict === 'yours' || verdict === 'done' || verdict === 'failed') return { verdict };
    throw new Error(`the verdict ${verdict} is unknown`);
  }
  const [verdict, run, third, fourth, fifth, sixth] = list(reply);
  switch (text(verdict)) {
    case 'taken': {
      const start = text(fifth);
      const owner = {
        id: text(third),
        pid: integer(fourth),
        start: start === '' ? undefined : start,
        at: integer(sixth),
      };
      return { verdict: 'taken', run: text(run), owner };
    }
    case 'unsure':
      return { verdict: 'unsure', run: text(run), at: integer(third) };
    default: {
      const state = states.find((one) => one === text(fourth)) ?? 'absent';
      return { verdict: 'elsewhere', run: text(run), at: integer(third), state };
    }
  }
}

/** The rows to plan and to reopen. */
function registeredRows(
  snapshot: Snapshot,
  run: string,
  changes: readonly Change[],
): readonly [Uint8Array, Uint8Array] {
  const added: Uint8Array[] = [];
  const known = snapshot.book.runs.get(run)?.rows.count() ?? 0;
  let [plan, reopen]: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
  for (const change of changes) {
    if (change.type === 'rows') added.push(change.bytes);
    if (change.type !== 'commit') continue;
    plan = rowsAt(snapshot, run, below(change.plan, known));
    reopen = rowsAt(snapshot, run, change.reopen);
  }
  return [Buffer.concat([plan, ...added]), reopen];
}

/** The ranges of rows that the run had before: new rows follow them. */
function below(ranges: readonly number[], end: number): readonly number[] {
  const kept: number[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const [from = 0, size = 0] = [ranges[at], ranges[at + 1]];
    if (from < end) kept.push(from, Math.min(size, end - from));
  }
  return kept;
}

function rowsAt({ book }: Snapshot, run: string, ranges: readonly number[]): Uint8Array {
  const rows: Uint8Array[] = [];
  book.runs.get(run)?.rows.each(ranges, (entry) => {
    const row = new Uint8Array(rowSize);
    book.entries.read(entry, row, 0);
    rows.push(row);
  });
  return Buffer.concat(rows);
}

function placed(place: number, row: Uint8Array): Buffer {
  const at = Buffer.alloc(4);
  at.writeUInt32BE(place);
  return Buffer.concat([at, row]);
}

async function runStates(server: Server): Promise<readonly RunState[]> {
  const { runs } = await readRuns(server);
  return runs.filter(({ facts }) => facts.isCommitted).map((run) => runState(run, server.now()));
}

function runState({ facts, counts, isLive }: ServerRun, now: number): RunState {
  const { id, subject, startedAt, lastAt } = facts;
  return {
    ...subject,
    id,
    startedAt,
    lastAt,
    counts,
    isRunning: isLive,
    isFinished: isFinished({ counts }),
    isClosed: facts.isClosed || (!isLive && isIdle({ ...facts, counts }, now)),
  };
}

/** Without an answer, the claims of the rows decide. */
async function unlessGone<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CliError && error.exit === 'network') return otherwise;
    throw error;
  }
}

function memoized<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
