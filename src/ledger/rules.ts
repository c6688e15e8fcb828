import { basename } from 'node:path';
import { hasDigest, isWithoutOccasion } from './identity.ts';
import type { Accepted, Fate, RunPlan, Stop, Subject } from './ledger.ts';
import { idleSince, isFinished, isSingles, type Item, type Run, waitingIn } from './run.ts';
import { day, type Other, otherTextCounts, type Terms } from './twice.ts';

/** The decisions of the ledger: functions of what was looked up, without I/O. */

/** For which runs are kept after their last activity. */
const remembered = 30 * day;
const messagesRemembered = 400 * day;
/** After which a live run is continued only with `--continue`: Tuesday's job must not complete Monday's. */
const idleUntilAsked = day / 2;
const idleUntilClosed = 7 * day;
/** For which an import is not repeated. */
const importCounts = 30 * day;

/** Facts that decisions need beyond rows and runs. */
export interface World {
  readonly now: number;
  /** The time by which the age of rows and runs is measured, unless the clock is known to be right. */
  readonly asOf: number;
  /** Whether a process works on the run with this number. */
  isLive(run: number): boolean;
}

/** Whether its last activity was not so long ago that it is forgotten. */
export function isRecent({ job, mode, kind, lastAt }: Run, asOf: number): boolean {
  const isKept = job !== undefined || (mode === 'live' && kind === 'message');
  return lastAt > asOf - (isKept ? messagesRemembered : remembered);
}

/** The latest activity of runs that may be forgotten. */
export function forgottenUntil(asOf: number): number {
  return asOf - remembered;
}

/** Whether a single message is forgotten. */
export function isExpired({ at, state }: Pick<Item, 'at' | 'state'>, asOf: number): boolean {
  return state !== 'unsure' && state !== 'leaving' && at <= asOf - messagesRemembered;
}

/** A run that still counts: its registration was completed, and it has not expired. */
function isKnown(run: Run, asOf: number): boolean {
  return !run.isDraft && (isRecent(run, asOf) || run.counts.unsure > 0);
}

/** Whether a run is given up because it was idle for long. */
export function isAbandoned(run: Run, { now, isLive }: World): boolean {
  return run.job === undefined && isIdleFor(run, idleUntilClosed, now) && !isFinished(run) && !isLive(run.n);
}

function isIdleFor(run: Run, time: number, now: number): boolean {
  return idleSince(run) <= now - time;
}

/** Whether a plan sends what the run sends. */
function isAlike(run: Run, { mode, kind, template }: Subject): boolean {
  return run.mode === mode && run.kind === kind && run.template === template;
}

/** The job that a command names. */
export function jobOf(runs: readonly Run[], plan: RunPlan, { asOf }: World): Run | Stop | undefined {
  const { job, mode, account } = plan;
  if (job === undefined) return undefined;
  const found = runs.find(
    (run) => run.job === job && run.mode === mode && run.account === account && isKnown(run, asOf),
  );
  if (!found) return undefined;
  if (!isAlike(found, plan)) return otherSubject(found, plan);
  if (found.isClosed) return { reason: 'job-closed', job };
  if (plan.choice.again && !found.isAgain) return { reason: 'job-known', job };
  return otherPer(found, plan) ?? found;
}

function otherSubject({ id: run, job, ...was }: Run, is: Subject): Stop {
  const text = ({ kind, template = '' }: Subject) => (kind === 'contact' ? 'an import' : `template ${template}`);
  return { reason: 'other-subject', run, job, was: text(was), is: text(is) };
}

function otherPer({ id: run, job, perColumns }: Run, plan: Subject): Stop | undefined {
  const text = (columns: readonly string[]) => columns.map((name) => `--per ${name}`).join(' ') || 'no --per';
  const [was, is] = [text(perColumns), text(plan.perColumns ?? [])];
  return was === is ? undefined : { reason: 'other-per', run, job, was, is };
}

/** The unfinished runs that a command may continue, if they fit its input. */
export function candidates(runs: readonly Run[], plan: RunPlan, world: World): readonly Run[] {
  return runs.filter((run) => isCandidate(run, plan, world));
}

function isCandidate(run: Run, plan: RunPlan, world: World): boolean {
  const { account, choice } = plan;
  if (!isKnown(run, world.asOf) || isSingles(run.id) || run.isClosed || !isAlike(run, plan)) return false;
  if (run.account !== account) return false;
  const isRetried = choice.retryUnsure !== undefined && run.counts.unsure > 0;
  const wasCutShort = !run.hasEnded && !isIdleFor(run, idleUntilClosed, world.now);
  const hasWork = !isFinished(run) || (run.job === undefined && (isRetried || wasCutShort));
  return hasWork && !isAbandoned(run, world);
}

/** Whether a row of a run counts for whether it fits. */
export function isPartOfRun({ state }: Pick<Item, 'state'>): boolean {
  return state !== 'absent' && state !== 'withdrawn';
}

/** How much of a run occurs in an input. */
export interface Share {
  readonly run: Run;
  /** People of the run. */
  readonly all: number;
  /** How many of them are in the input. */
  readonly found: number;
  /** How many of these have the same text there. */
  readonly same: number;
}

/** Whether at least half of its people occur in the input. */
export function hasItsPeople({ all, found }: Share): boolean {
  return found > 0 && found * 2 >= all;
}

/** Whether at least half of these also have the same text. */
export function isFitting(share: Share): boolean {
  return hasItsPeople(share) && share.same * 2 >= share.found;
}

/** The run to continue: of the same file, then with the largest share both ways, then the latest. */
export function bestOf(shares: readonly Share[], { input, about, choice }: RunPlan): Run | undefined {
  const isNamed = ({ run }: Share) =>
    run.file !== undefined && about.file !== undefined && basename(run.file) === basename(about.file);
  const size = ({ all, found }: Share) => found / (all + input.count);
  const isAgain = ({ run }: Share) => choice.again === true && run.isAgain;
  const [best] = shares.toSorted(
    (a, b) =>
      Number(isAgain(b)) - Number(isAgain(a)) ||
      Number(isNamed(b)) - Number(isNamed(a)) ||
      size(b) - size(a) ||
      b.run.tick - a.run.tick,
  );
  return best?.run;
}

/** Why a command does not simply continue the run that fits best. */
export function continuationStop(run: Run, plan: RunPlan, world: World): Stop | undefined {
  const { mode, choice } = plan;
  if (choice.again && !run.isAgain) return { reason: 'unfinished', run: run.id, job: run.job };
  if (run.job !== undefined) return { reason: 'job-unnamed', run: run.id, job: run.job };
  const per = otherPer(run, plan);
  if (per || mode !== 'live' || choice.continue) return per;
  const isDone = isFinished(run) && run.hasEnded;
  if (isDone || !isIdleFor(run, idleUntilAsked + 1, world.now) || world.isLive(run.n)) return undefined;
  return { reason: 'idle', run: run.id, idle: world.now - idleSince(run), left: waitingIn(run) };
}

/** Whether other texts for the people of an unfinished run are likely corrections, and not another message. */
export function isActive(run: Run, { now, isLive }: World): boolean {
  return isLive(run.n) || !isIdleFor(run, otherTextCounts, now);
}

/** By which rule the rows of a plan are decided. `run` is the one that it continues. */
export function termsOf(plan: RunPlan, run: Run | undefined, { now, asOf }: World): Terms {
  const { job, kind, mode, choice } = plan;
  const accepted = choice.again ? (choice.seen ?? Infinity) : 0;
  const kept = job === undefined || !run ? undefined : (run.skipSent ?? 0);
  return {
    now: plan.isClockRight ? now : asOf,
    isJob: job !== undefined,
    asks: mode === 'live' || job !== undefined,
    skipSent: choice.skipSent ?? (kind === 'contact' ? importCounts : kept),
    after: run ? (run.isAgain ? run.tick : 0) : accepted,
    retryUnsure: choice.retryUnsure,
  };
}

/** A row is sent by this command, or by a later one. */
export function isToSend(fate: Fate): boolean {
  return fate === 'due' || fate === 'retry' || fate === 'later';
}

/** Planned rows with this fate are given up. */
export function isGivenUp(fate: Fate): boolean {
  return fate === 'earlier' || fate === 'busy' || fate === 'unsure';
}

/** A row, with its run. */
export interface Found {
  readonly item: Item;
  readonly run: Run;
}

/** Whether an item is for the same occasion, or either is for none. */
export function isSameOccasion({ item, run }: Found, per: Uint8Array): boolean {
  // The `per` of single messages holds their text.
  if (isSingles(run.id) || isWithoutOccasion(item.per) || isWithoutOccasion(per)) return true;
  return hasDigest(item.per, per);
}

/** An item of another run, beside a row. */
export interface Beside extends Other, Found {}

export function besideOf(found: Found, text: Uint8Array, { isLive }: Pick<World, 'isLive'>): Beside {
  const { item, run } = found;
  const { state, at, tick, retriedAt } = item;
  const isSameText = hasDigest(text, item.text);
  return { item, run, state, at, tick, retriedAt, isSameText, isOfJob: run.job !== undefined, isLive: isLive(run.n) };
}

/** Whether rows of this run may count for a row of another run. */
export function mayCount(run: Run, { account, mode, kind }: Subject): boolean {
  return run.mode === mode && run.kind === kind && run.account === account && !run.isDraft;
}

/** Runs of the same kind that are given up now. */
export function abandonedRuns(runs: readonly Run[], plan: RunPlan, world: World): readonly Run[] {
  return runs.filter(
    (run) =>
      isKnown(run, world.asOf) &&
      !run.isClosed &&
      !isSingles(run.id) &&
      isAlike(run, plan) &&
      run.account === plan.account &&
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
