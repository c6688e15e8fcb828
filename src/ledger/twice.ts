import type { State } from './states.ts';

/**
 * The rule against sending a template twice by accident. It decides whether a row is sent, by its own item in the run, the
 * items of other runs for the same person and occasion, the options, and the time.
 */

const hour = 3_600_000;
export const day = 24 * hour;
/** For which the same text counts: a month passes. */
const sameTextCounts = 27 * day;
/** For which another text counts: a daily reminder passes, a correction does not. */
export const otherTextCounts = 20 * hour;
/** For which the same text of another job counts for a job: its name may be mistyped. */
const jobCounts = 400 * day;
/** A script sends an unsure row once more in this time. */
const retryPause = day;
/** For which a single message counts for another with the same text. */
const repeatWindow = hour / 6;

/** The row's item in the run or job that the command continues. */
export interface Own {
  readonly state: State;
  readonly isSameText: boolean;
  /** The process that sends it is alive. */
  readonly isAlive: boolean;
  /** It was tried since the command began. */
  readonly isTried: boolean;
  /** When an unsure row was last sent once more. */
  readonly retriedAt: number | undefined;
}

/** An item of another run or job, or a single message, for the same person and occasion. */
export interface Other {
  readonly state: State;
  /** When it was sent, or may have been. */
  readonly at: number;
  readonly tick: number;
  readonly isSameText: boolean;
  readonly isOfJob: boolean;
  /** A process works on its run. */
  readonly isLive: boolean;
  readonly retriedAt: number | undefined;
}

export interface Terms {
  readonly now: number;
  readonly isJob: boolean;
  /** If something counts, the command asks or stops: with a live key, and for a new job. */
  readonly asks: boolean;
  /** From `--skip-sent`: what was sent within this time counts, whatever its text. */
  readonly skipSent: number | undefined;
  /** Changes by others up to this tick do not count, because of `--again` or an earlier decision. */
  readonly after: number;
  readonly retryUnsure: Retry;
}

/** From `--retry-unsure`. In a script, once in 24 hours. */
export type Retry = 'always' | 'daily' | undefined;

/** `busy`: it is being sent, or will be by a live process. */
export interface Counted<T extends Other = Other> {
  readonly what: 'done' | 'busy' | 'unsure';
  /** The latest item that counts as this. */
  readonly latest: T;
  readonly retriedAt: number | undefined;
}

/** `ask`: the user decides. `noted`: due, with a note. `taken`: it is being sent. `failed`: since the command began. */
export type Decision =
  'due' | 'retry' | 'done' | 'changed' | 'unsure' | 'earlier' | 'busy' | 'ask' | 'noted' | 'taken' | 'failed';

export function decisionOf(
  own: Own | undefined,
  elsewhere: Pick<Counted, 'what' | 'retriedAt'> | undefined,
  terms: Terms,
): Decision {
  const state = own?.state ?? 'absent';
  if (own && state === 'done') return own.isSameText ? 'done' : 'changed';
  if (own && state === 'leaving') return own.isAlive ? 'taken' : 'unsure';
  if (own?.isTried && state === 'failed') return 'failed';
  if (own && state === 'unsure' && (!mayRetry(own, terms) || elsewhere?.what === 'done')) return 'unsure';
  const isFree = !elsewhere || (elsewhere.what === 'unsure' && mayRetry(elsewhere, terms));
  if (isFree) return state === 'failed' ? 'retry' : 'due';
  if (terms.skipSent === undefined) return terms.asks ? 'ask' : 'noted';
  return elsewhere.what === 'done' ? 'earlier' : elsewhere.what;
}

const ranks = { done: 3, busy: 2, unsure: 1 } as const;

/** The item of others that counts: one that was sent, else one in flight, else an unsure one. */
export function countedOf<T extends Other>(others: readonly T[], terms: Terms): Counted<T> | undefined {
  let [counted, retriedAt]: [Counted<T> | undefined, number | undefined] = [undefined, undefined];
  for (const latest of others) {
    if (latest.state === 'unsure' && (latest.retriedAt ?? -1) > (retriedAt ?? -1)) retriedAt = latest.retriedAt;
    const what = countedAs(latest, terms);
    const above = what === undefined ? -1 : ranks[what] - (counted ? ranks[counted.what] : 0);
    if (what && (above > 0 || (above === 0 && counted && latest.tick > counted.latest.tick)))
      counted = { what, latest, retriedAt: undefined };
  }
  return counted && { ...counted, retriedAt };
}

/** As what an item of another run counts, if it does. */
export function countedAs(other: Other, terms: Terms): Counted['what'] | undefined {
  const { state, tick, at, isSameText, isLive } = other;
  if (tick <= terms.after) return undefined;
  const age = terms.now - at;
  if (state === 'done') return age < doneCounts(other, terms) ? state : undefined;
  // Until it is resolved, however old it is.
  if (state === 'unsure') return isSameText || age < otherTextCounts ? state : undefined;
  if (state === 'leaving') return 'busy';
  return isLive && (state === 'planned' || state === 'released') ? 'busy' : undefined;
}

function doneCounts({ isSameText, isOfJob }: Other, { isJob, skipSent = 0 }: Terms): number {
  if (!isSameText) return Math.max(otherTextCounts, skipSent);
  return Math.max(isJob && isOfJob ? jobCounts : sameTextCounts, skipSent);
}

function mayRetry({ retriedAt = -Infinity }: Pick<Own, 'retriedAt'>, { retryUnsure, now }: Terms): boolean {
  return retryUnsure === 'always' || (retryUnsure === 'daily' && retriedAt <= now - retryPause);
}

/** Another item for the recipient of a single message, with a live key. */
export interface SingleOther extends Pick<Other, 'state' | 'at' | 'isSameText'> {
  readonly isSingle: boolean;
}

/** Why a single message is not sent without a question. Another text never asks. */
export function singleCounts(
  { state, at, isSameText, isSingle }: SingleOther,
  { now, again, retryUnsure }: { readonly now: number; readonly again?: boolean; readonly retryUnsure?: boolean },
): 'done' | 'busy' | 'unsure' | undefined {
  if (!isSameText) return undefined;
  if (state === 'leaving') return 'busy';
  if (state === 'unsure') return retryUnsure ? undefined : 'unsure';
  const isRecent = at > now - (isSingle ? repeatWindow : otherTextCounts);
  return state === 'done' && isRecent && !again ? 'done' : undefined;
}
