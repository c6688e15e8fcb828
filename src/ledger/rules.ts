import type { Account, Accepted, Choice, Fate, RunPlan, RunTerms, SingleTerms, Stop, Subject } from './ledger.ts';
import { isFinished, isSingles, type Item, type Run, waitingIn } from './run.ts';
import { answer, type Answer, type State } from './states.ts';

/** The decisions of the ledger: functions of what was looked up, without I/O. */

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** For which rows of other runs count, and runs are kept. */
const remembered = 30 * day;
const jobRemembered = 400 * day;
/** After which a live run is continued only with `--continue`: Tuesday's job must not complete Monday's. */
const idleUntilAsked = 12 * hour;
const idleUntilClosed = 7 * day;
/** Within which a single message is not sent twice without a question. */
const repeatWindow = 10 * minute;

/** Facts that decisions need beyond rows and runs. */
export interface World {
  readonly now: number;
  /** The time by which the age of rows and runs is measured. */
  readonly asOf: number;
  /** Whether a process works on the run with this number. */
  isLive(run: number): boolean;
}

/** Whether its last activity was not so long ago that it is forgotten. */
export function isRecent({ job, lastAt }: Pick<Run, 'job' | 'lastAt'>, asOf: number): boolean {
  return lastAt > asOf - (job === undefined ? remembered : jobRemembered);
}

/** Whether a single message is forgotten. */
export function isExpired({ at, state }: Pick<Item, 'at' | 'state'>, asOf: number): boolean {
  return state !== 'unsure' && state !== 'leaving' && at <= asOf - remembered;
}

/** Whether an unfinished run without activity since then is closed. */
function isIdleSince(lastAt: number, now: number): boolean {
  return lastAt <= now - idleUntilClosed;
}

/** A run that still counts: its registration was completed, and it has not expired. */
function isKnown(run: Run, asOf: number): boolean {
  return !run.isDraft && (isRecent(run, asOf) || run.counts.unsure > 0);
}

/** Whether a run is given up because it was idle for long. */
export function isAbandoned(run: Run, { now, isLive }: World): boolean {
  return run.job === undefined && isIdleSince(run.lastAt, now) && !isFinished(run) && !isLive(run.n);
}

/** Whether a plan sends what the run sends. */
function isAlike(run: Run, { mode, kind, template, job }: Subject): boolean {
  return run.mode === mode && run.kind === kind && (job !== undefined || run.template === template);
}

/** Whether what one sends counts for the other. Two keys may belong to one account. */
function isSameAccount(one: Account, other: Account): boolean {
  return one.id === other.id || (one.origin === other.origin && (one.isKeyDigest || other.isKeyDigest));
}

/**
 * The runs or jobs that a command may continue: those of its own account first, then those of the same origin, since the
 * key may have been changed; of each the latest first. A run without a job must also be mostly in the input.
 */
export function candidates(runs: readonly Run[], plan: RunPlan, world: World): readonly Run[] {
  const { account } = plan;
  const isOwn = (run: Run) => run.account.id === account.id;
  return runs
    .filter((run) => isCandidate(run, plan, world) && (isOwn(run) || run.account.origin === account.origin))
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || b.tick - a.tick);
}

function isCandidate(run: Run, plan: RunPlan, world: World): boolean {
  const { job, choice } = plan;
  if (!isKnown(run, world.asOf) || isSingles(run.id) || run.job !== job || !isAlike(run, plan)) return false;
  if (job !== undefined) return true;
  if (choice.again && !run.isAgain) return false;
  const hasWork = !isFinished(run) || (choice.retryUnsure && run.counts.unsure > 0);
  const wasCutShort = !run.hasEnded && !isIdleSince(run.lastAt, world.now);
  return (hasWork || wasCutShort) && !run.isClosed && !isAbandoned(run, world);
}

/** Whether enough of a run occurs in an input: of its people for messages, of its rows for contacts. */
export function isMostly({ found, all }: { readonly found: number; readonly all: number }): boolean {
  return all > 0 && found * 2 >= all;
}

/** Whether a row of a run counts for that. */
export function isPartOfRun({ state }: Pick<Item, 'state'>): boolean {
  return state !== 'absent' && state !== 'withdrawn';
}

/** What a command does with the run that it could continue. */
export type Continuation = { readonly stop: Stop } | 'continue' | 'start';

export function continuationOf(run: Run, plan: RunPlan, world: World): Continuation {
  const { account, mode, choice, job } = plan;
  if (run.account.id !== account.id) {
    if (choice.again) return 'start';
    return choice.continue ? 'continue' : { stop: { reason: 'other-account', run: run.id } };
  }
  const idle = world.now - run.lastAt;
  const asks = mode === 'live' && job === undefined && idle > idleUntilAsked && !world.isLive(run.n);
  if (!asks || choice.continue) return 'continue';
  if (choice.again) return 'start';
  return { stop: { reason: 'idle', run: run.id, idle, left: waitingIn(run) } };
}

/** The fate of a row by its own run or job alone. `isNow`: it is not beyond `--first`. */
export function fateOf(state: State, { retryUnsure }: Choice, isNow: boolean): Fate {
  if (state === 'done') return 'done';
  if (state === 'unsure' && !retryUnsure) return 'unsure';
  if (!isNow) return 'later';
  return state === 'failed' ? 'retry' : 'due';
}

/** A row is sent by this command, or by a later one. */
export function isToSend(fate: Fate): boolean {
  return fate === 'due' || fate === 'retry' || fate === 'later';
}

/** Planned rows with this fate are given up. */
export function isGivenUp(fate: Fate): boolean {
  return fate === 'earlier' || fate === 'changed' || fate === 'unsure';
}

/** Whether the recipient got, or may have got, the message in this row. */
export function isServed(state: State): boolean {
  return state === 'done' || state === 'unsure' || state === 'leaving';
}

/** A row, with its run. */
export interface Found {
  readonly item: Item;
  readonly run: Run;
}

export interface Search {
  readonly account: Account;
  /** The number of the run that asks. */
  readonly own: number | undefined;
  /** Changes up to this tick do not count. */
  readonly after: number;
  readonly isPlannedCounted: boolean;
  readonly isUnsureCounted: boolean;
}

/** Whether a row of another run was sent, may have been sent, or will be. */
export function countsElsewhere({ item, run }: Found, search: Search, { asOf, isLive }: World): boolean {
  if (run.n === search.own || run.isDraft || !isSameAccount(run.account, search.account)) return false;
  if (item.tick <= search.after) return false;
  // Until it is resolved, however old it is.
  if (item.state === 'unsure') return search.isUnsureCounted;
  if (item.at <= asOf - remembered) return false;
  if (item.state === 'planned' || item.state === 'released') return search.isPlannedCounted && isLive(run.n);
  return item.state === 'done' || item.state === 'leaving';
}

/** Whether rows of this run may count for a plan, so that they have to be looked up. */
export function mayCount(run: Run, { account, mode, kind, template }: RunPlan): boolean {
  const isSame = run.mode === mode && run.kind === kind && isSameAccount(run.account, account);
  return isSame && !run.isDraft && (isSingles(run.id) || run.template === template);
}

/** Whether a claim asks what other runs have done since its command registered. */
export function asksOthers({ mode, kind, job }: Run, { ignoreOthers }: RunTerms): boolean {
  return mode === 'live' && kind === 'message' && job === undefined && !ignoreOthers;
}

/** The answer of its own run to a claim. `after`: the tick at which the command registered. */
export function answerOf({ state, tick }: Item, { retryUnsure }: RunTerms, after: number): Answer {
  const isRetry = state === 'failed' ? tick <= after : state === 'unsure' && retryUnsure;
  return answer(state, isRetry ? 'retry' : 'claim');
}

export interface Refusal extends Found {
  readonly why: 'taken' | 'unsure' | 'elsewhere';
}

/** Why a single message is not sent: rows that are in flight or unsure count, and those of the last 10 minutes. */
export function refusalOf(
  rows: readonly Found[],
  { single, again, retryUnsure }: SingleTerms,
  now: number,
): Refusal | undefined {
  let refusal: Refusal | undefined;
  for (const { item, run } of rows) {
    if (run.isDraft || run.mode !== single.mode || !isSameAccount(run.account, single.account)) continue;
    if (item.state === 'leaving') return { why: 'taken', item, run };
    if (item.state === 'unsure' && !retryUnsure) refusal = { why: 'unsure', item, run };
    const isRecent = item.state === 'done' && item.at > now - repeatWindow && !again;
    if (isRecent) refusal ??= { why: 'elsewhere', item, run };
  }
  return refusal;
}

/** Runs of the same kind that are given up now. */
export function abandonedRuns(runs: readonly Run[], plan: RunPlan, world: World): readonly Run[] {
  return runs.filter(
    (run) =>
      isKnown(run, world.asOf) &&
      !run.isClosed &&
      !isSingles(run.id) &&
      isAlike(run, plan) &&
      run.account.id === plan.account.id &&
      isAbandoned(run, world),
  );
}

/** Whether a run was begun since this tick that another decision may depend on. */
export function isNewFor(run: Run, plan: RunPlan, tick: number): boolean {
  return !run.isDraft && run.tick > tick && run.mode === plan.mode && run.kind === plan.kind;
}

export function dueIn({ counts }: Pick<Accepted, 'counts'>): number {
  return counts.due + counts.retry;
}
