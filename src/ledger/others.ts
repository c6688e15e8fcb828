import type { Book, KnownOwner } from './book.ts';
import { isFinished, type Run } from './run.ts';
import { hostIn } from '../base/liveness.ts';
import { type Account, type Earlier, isIdleSince } from './ledger.ts';

const day = 86_400_000;
/** Milliseconds for which rows of other runs count. */
export const remembered = 30 * day;
const jobRemembered = 400 * day;

/** Facts that decisions need beyond the book. */
export interface World {
  readonly now: number;
  /** The time by which the age of rows and runs is measured. */
  readonly asOf: number;
  /** The id of this process; the ids of earlier lives, in which it was thought dead. */
  readonly owner: string;
  isOwn(owner: string): boolean;
  isAlive(owner: KnownOwner): boolean;
}

/** At most a day after the last record: the clock may have been far behind then, or far ahead now. */
export function ageTime(now: number, lastAt: number | undefined): number {
  return Math.min(now, (lastAt ?? now) + day);
}

/** Whether a process works on it now. */
export function isLive({ owners }: Run, book: Book, { isAlive, isOwn }: Pick<World, 'isAlive' | 'isOwn'>): boolean {
  return [...owners].some((id) => {
    const owner = book.owners.get(id);
    return owner?.state === 'active' && (isOwn(id) || isAlive(owner));
  });
}

/** Whether another process works on it now. */
export function isShared(run: Run, book: Book, world: World): boolean {
  const isAlive = (owner: KnownOwner) => !world.isOwn(owner.id) && world.isAlive(owner);
  return isLive(run, book, { isAlive, isOwn: () => false });
}

/** A run that still counts: its registration was completed, and it has not expired. */
export function isKnown(run: Run, { asOf }: World): boolean {
  return run.isCommitted && !run.isForgotten && (isRecent(run, asOf) || run.counts.unsure > 0);
}

/** Whether its last activity was not so long ago that it is forgotten. */
export function isRecent({ subject, lastAt }: Run, now: number): boolean {
  return lastAt > now - (subject.job === undefined ? remembered : jobRemembered);
}

export function isIdle({ subject, lastAt, counts }: Pick<Run, 'subject' | 'lastAt' | 'counts'>, now: number): boolean {
  return subject.job === undefined && isIdleSince(lastAt, now) && !isFinished({ counts });
}

/** Whether what one sends counts for the other. Two keys may belong to one account. */
function isSameAccount(one: Account, other: Account): boolean {
  return one.id === other.id || (one.origin === other.origin && (one.isKeyDigest || other.isKeyDigest));
}

export interface Elsewhere {
  readonly entry: number;
  readonly run: Run;
}

export interface Search {
  readonly account: Account;
  /** The run that asks. */
  readonly own: Run | undefined;
  /** Changes up to this one do not count. */
  readonly after: number;
  readonly isPlannedCounted: boolean;
  readonly isUnsureCounted: boolean;
}

/** The latest row of another run that is equal to this one and was sent, may have been sent, or will be. */
export function elsewhere(
  book: Book,
  world: World,
  bytes: Uint8Array,
  at: number,
  search: Search,
): Elsewhere | undefined {
  const { entries } = book;
  let latest: Elsewhere | undefined;
  for (let entry = entries.newest(bytes, at); entry !== -1; entry = entries.older(entry)) {
    const run = book.runOf(entry);
    if (!run || !counts(book, world, entry, run, search)) continue;
    if (!latest || entries.orderOf(entry) > entries.orderOf(latest.entry)) latest = { entry, run };
  }
  return latest;
}

function counts(book: Book, world: World, entry: number, run: Run, search: Search): boolean {
  const { entries } = book;
  if (run === search.own || run.isForgotten || !isSameAccount(run.subject.account, search.account)) return false;
  if (entries.orderOf(entry) <= search.after) return false;
  const state = entries.stateOf(entry);
  // Until it is resolved, however old it is.
  if (state === 'unsure') return search.isUnsureCounted;
  if (entries.timeOf(entry) * 1_000 <= world.asOf - remembered) return false;
  if (state === 'planned' || state === 'released') return search.isPlannedCounted && isLive(run, book, world);
  return state === 'done' || state === 'leaving';
}

/** Adds up which runs have rows of an input. */
export function createEarlier(book: Book) {
  const found = new Map<Run, { at: number; rows: number; unsure: number }>();
  let rows = 0;
  return {
    add({ entry, run }: Elsewhere): void {
      rows += 1;
      const at = book.entries.timeOf(entry) * 1_000;
      const one = found.get(run) ?? { at: 0, rows: 0, unsure: 0 };
      const unsure = one.unsure + (book.entries.stateOf(entry) === 'unsure' ? 1 : 0);
      found.set(run, { at: Math.max(one.at, at), rows: one.rows + 1, unsure });
    },
    rows: () => rows,
    earlier: (): readonly Earlier[] =>
      [...found].map(([run, { at, rows, unsure }]) => ({
        run: run.id,
        job: run.subject.job,
        at,
        host: hostOf(run, book),
        rows,
        unsure,
      })),
  };
}

function hostOf({ owners }: Run, book: Book): string | undefined {
  const last = [...owners].at(-1);
  return last === undefined ? undefined : hostIn(book.owners.get(last)?.start);
}
