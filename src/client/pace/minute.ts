import { isRecord } from '../../contract/readers.ts';
import { type Ended, margin } from './pace.ts';

/**
 * Where the slots of a plan are handed out to all who share it. A file does it for the processes of one machine; a
 * server that they all reach could do it for a team.
 */
export interface Ledger {
  /** Milliseconds of the clock that all who share it go by. */
  now(): number;
  /** Tells what came of the slots one had, and asks for more. At once unless others are before; throws where it fails. */
  turn(share: Share): Granted | Promise<Granted>;
}

/** When so many requests were over. */
type Over = readonly [time: number, count: number];

export interface Share {
  /** Single requests go before those of runs. */
  readonly kind: 'single' | 'run';
  /** How many a minute may take before this one takes no more. */
  readonly limit: number;
  /** The slots in use; all others that one had are given back. */
  readonly inUse: number;
  /** Since the last turn. */
  readonly over: readonly Over[];
  /** How they ended: the worst of it. */
  readonly ended: Ended | undefined;
  /** Until when nobody may leave. */
  readonly heldUntil: number;
  /** One is needed, and the others are of use; none only tells. */
  readonly wanted: number;
}

export interface Granted {
  readonly slots: number;
  /** Where there are none: in how many milliseconds to ask again, and when there may be one. */
  readonly again: number;
  readonly wait: number;
  readonly why: 'full' | 'held';
}

/** All that those who share a plan know of each other. Times are milliseconds of the machine's clock. */
export interface Book {
  readonly state: 'open' | 'limited' | 'probing';
  readonly heldUntil: number;
  /** What still counts, the oldest first. */
  readonly over: readonly Over[];
  /** Those that have slots or wait for one; whoever was seen last is last. */
  readonly parties: readonly Party[];
}

/** One process, or one of several in it. */
export interface Who {
  readonly id: string;
  readonly pid: number;
  /** When it began, as far as the system tells. */
  readonly start: string | undefined;
}

export interface Party extends Who {
  readonly kind: Share['kind'];
  readonly slots: number;
  readonly seen: number;
  /** Since when it waits for a slot, and when it will ask again. */
  readonly waits: Waits | undefined;
}

interface Waits {
  readonly since: number;
  readonly until: number;
}

export const emptyBook: Book = { state: 'open', heldUntil: 0, over: [], parties: [] };

function slotsOf(parties: readonly Party[]): number {
  return parties.reduce((sum, { slots }) => sum + slots, 0);
}

export function bookText({ state, heldUntil, over, parties }: Book): string {
  return `${JSON.stringify({ state, heldUntil, over, parties })}\n`;
}

/** Undefined where the text is none. */
export function bookIn(text: string): Book | undefined {
  const value = parsed(text);
  return isBook(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isBook(value: unknown): value is Book {
  if (!isRecord(value)) return false;
  const { state, heldUntil, over, parties } = value;
  const isState = state === 'open' || state === 'limited' || state === 'probing';
  return isState && isTime(heldUntil) && Array.isArray(over) && over.every(isOver) && isParties(parties);
}

function isOver(value: unknown): value is Over {
  return Array.isArray(value) && value.length === 2 && isTime(value[0]) && isCount(value[1]);
}

function isParties(value: unknown): value is readonly Party[] {
  return Array.isArray(value) && value.every(isParty);
}

function isParty(value: unknown): value is Party {
  if (!isRecord(value)) return false;
  const { id, pid, start, kind, slots, seen, waits } = value;
  return (
    typeof id === 'string' &&
    isCount(pid) &&
    (start === undefined || typeof start === 'string') &&
    (kind === 'single' || kind === 'run') &&
    isCount(slots) &&
    isTime(seen) &&
    (waits === undefined || (isRecord(waits) && isTime(waits['since']) && isTime(waits['until'])))
  );
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The oldest first, and those of one instant as one. */
function merged(over: readonly Over[], more: readonly Over[]): readonly Over[] {
  if (more.length === 0) return over;
  const counts = new Map(over);
  for (const [time, count] of more) counts.set(time, (counts.get(time) ?? 0) + count);
  return [...counts].sort(([a], [b]) => a - b);
}

/** Those of one millisecond as one. */
export function countsOf(times: readonly number[]): readonly Over[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(Math.ceil(time), (counts.get(Math.ceil(time)) ?? 0) + 1);
  return [...counts];
}

/** Up to so many milliseconds later. */
function rounded(over: readonly Over[], step: number): readonly Over[] {
  return over.map(([time, count]) => [Math.ceil(time / step) * step, count]);
}

function countOf(over: readonly Over[]): number {
  return over.reduce((sum, [, count]) => sum + count, 0);
}

/** When so many of them had come to be over; Infinity where they are fewer. */
function timeOf(over: readonly Over[], count: number): number {
  let rest = count;
  for (const [time, some] of over) {
    rest -= some;
    if (rest <= 0) return time;
  }
  return Infinity;
}

interface Refreshed {
  readonly time: number;
  readonly window: number;
  /** Whether its process is still alive, as far as can be known of one that was last seen then. */
  readonly lives: (party: Party) => boolean;
}

/** No 429 has anybody wait longer; what says so is of the time before the machine was started again. */
const longestHold = 130_000;
/** A time that was rounded up may lie ahead by less. */
const tolerance = 1_000;
/** Who was seen since then is not looked for. */
const lately = 1_000;
/** Looking for a process takes its time, and many may wait. */
const lookedFor = 8;
/** Who was not seen for so long has no request under way, or was stopped. */
const longestAbsence = 600_000;

/** The book as it is at this time: without what no longer counts, and with the slots of the dead as over by now. */
export function refresh(book: Book, { time, window, lives }: Refreshed): Book {
  const { dead, parties } = look(book.parties, time, lives);
  const left = slotsOf(dead);
  const heldUntil = book.heldUntil > time + longestHold ? 0 : book.heldUntil;
  const isOld = heldUntil + window <= time && slotsOf(parties) === 0;
  const state = book.state === 'probing' && left > 0 ? 'limited' : book.state;
  const over = stillCounted(book.over, time, window);
  const more: readonly Over[] = left > 0 ? [[Math.ceil(time), left]] : [];
  return { state: isOld ? 'open' : state, heldUntil, over: merged(over, more), parties };
}

/** How long a request counts after it was over. */
function spanOf(window: number): number {
  return window + margin;
}

/** The clock begins with the machine: a time to come is of an earlier beginning, and was over at this one's. */
function stillCounted(over: readonly Over[], time: number, window: number): readonly Over[] {
  const counted = ([at]: Over) => at + spanOf(window) > time;
  if (over.every(([at]) => at <= time + tolerance)) return over.filter(counted);
  return merged(
    [],
    over.map(([at, count]): Over => [at > time + tolerance ? 0 : at, count]),
  ).filter(counted);
}

/** Those that were looked for and found come last, so that all have their turn. */
function look(parties: readonly Party[], time: number, lives: Refreshed['lives']) {
  const absent = parties.filter(({ seen }) => seen + lately < time || seen > time + tolerance).slice(0, lookedFor);
  const isThere = (party: Party) =>
    party.seen + longestAbsence > time && party.seen <= time + tolerance && lives(party);
  const found = absent.filter(isThere);
  const rest = parties.filter((party) => !absent.includes(party));
  return { dead: absent.filter((party) => !found.includes(party)), parties: [...rest, ...found] };
}

interface Turn {
  readonly who: Who;
  readonly share: Share;
  readonly time: number;
  readonly window: number;
}

/** Who waits and does not come so long after it was to is not waited for. */
const longestDelay = 2_000;
/** However fast a plan is, a window has no more steps, so that the book stays small. */
const steps = 1_000;

/** One turn of one party, in a book that is up to date: what stands in it then, and what the party gets. */
export function settle(book: Book, turn: Turn): { readonly book: Book; readonly granted: Granted } {
  const { who } = turn;
  const waits = book.parties.find(({ id }) => id === who.id)?.waits;
  const told = tell({ ...book, parties: book.parties.filter(({ id }) => id !== who.id) }, turn);
  const granted = grant(told, turn, waits);
  const state = granted.slots > 0 && told.state === 'limited' ? 'probing' : told.state;
  const party = partyOf(turn, granted, waits);
  const isGone = party.slots === 0 && !party.waits;
  return { book: { ...told, state, parties: isGone ? told.parties : [...told.parties, party] }, granted };
}

function tell(book: Book, { share, window }: Turn): Book {
  const step = share.limit > steps ? Math.ceil(window / steps) : 1;
  return {
    state: stateAfter(book.state, share.ended),
    heldUntil: Math.max(book.heldUntil, share.heldUntil),
    over: merged(book.over, rounded(share.over, step)),
    parties: book.parties,
  };
}

/** As the gate has it: after a 429 one goes ahead, and the others when that one is through. */
function stateAfter(state: Book['state'], ended: Share['ended']): Book['state'] {
  if (ended === 'limited') return 'limited';
  if (state !== 'probing' || ended === undefined) return state;
  return ended === 'done' ? 'open' : 'limited';
}

function grant(book: Book, turn: Turn, waits: Waits | undefined): Granted {
  const { share, time, window } = turn;
  if (share.wanted === 0) return { slots: 0, again: 0, wait: 0, why: 'full' };
  if (book.heldUntil > time) return refuse(book.heldUntil - time, 'held');
  const inUse = share.inUse + slotsOf(book.parties);
  const before = ahead(book, turn, waits?.since ?? time);
  const taken = countOf(book.over) + inUse + before;
  if (taken >= share.limit) return full(timeOf(book.over, taken - share.limit + 1) + spanOf(window) - time, window);
  if (book.state === 'open')
    return { slots: Math.min(share.limit - taken, share.wanted), again: 0, wait: 0, why: 'full' };
  return inUse + before > 0 ? refuse(window / 600, 'held') : { slots: 1, again: 0, wait: 0, why: 'held' };
}

function refuse(wait: number, why: Granted['why']): Granted {
  return { slots: 0, again: wait, wait, why };
}

/** Others may give theirs back before it is due, and may be under way for longer than is known. */
function full(due: number, window: number): Granted {
  return { slots: 0, again: Math.max(1, Math.min(due, window / 12)), wait: Math.min(due, window), why: 'full' };
}

/** Those who wait and go first count as if they were gone already. */
function ahead({ parties }: Book, { share, time }: Turn, since: number): number {
  return parties.filter(({ kind, waits }) => {
    if (!waits || waits.until + longestDelay <= time) return false;
    return kind === share.kind ? waits.since < since : kind === 'single';
  }).length;
}

function partyOf({ who, share, time }: Turn, { slots, again }: Granted, before: Waits | undefined): Party {
  const isRefused = share.wanted > 0 && slots === 0;
  const waits = isRefused ? { since: before?.since ?? time, until: time + again } : undefined;
  return { ...who, kind: share.kind, slots: share.inUse + slots, seen: time, waits };
}
