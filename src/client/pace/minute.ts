import { type KnownPace, minuteLength, type RequestEnd } from './pace.ts';

/** Grants the slots of a rate limit, to one process or to all that share it. */
export interface SlotSource {
  /** Whether other processes wait for what is reported. */
  readonly isShared: boolean;
  /** Reports results and requests slots. */
  report(report: Report): Grant | Promise<Grant>;
  close?(): Promise<void>;
}

/** How many requests ended at a time. */
type FinishedCount = readonly [time: number, count: number];

export interface Report {
  /** Single requests have priority over runs. */
  readonly kind: 'single' | 'run';
  /** The member gets no slot if one of these windows is full. The first is the longest; without any, only a 429 counts. */
  readonly limits: readonly KnownPace[];
  /** Slots in use; all other granted slots are returned. */
  readonly inUse: number;
  /** Since the last report. */
  readonly finished: readonly FinishedCount[];
  /** The worst result of them. */
  readonly ended: RequestEnd | undefined;
  /** No request may be sent before. */
  readonly heldUntil: number;
  /** One is required, more are optional; 0 only reports. */
  readonly wanted: number;
}

export interface Grant {
  readonly slots: number;
  /** Without slots: milliseconds until the next request for slots, and until there may be one. */
  readonly again: number;
  readonly wait: number;
  /** `held`: after a 429, requests wait or are sent one at a time. */
  readonly why: 'full' | 'held';
}

/** The earlier slots that limit the next ones. Times are milliseconds of one monotonic clock. */
export interface Minute {
  /** After a 429, one request is sent, and the others once it has succeeded. */
  readonly state: 'open' | 'limited' | 'probing';
  readonly heldUntil: number;
  /** Requests within the window, the oldest first. */
  readonly finished: readonly FinishedCount[];
  /** Members with slots or waiting for one. */
  readonly members: readonly Member[];
}

/** One pace of a process. */
export interface MemberId {
  readonly id: string;
  readonly pid: number;
  /** See `processStart`; empty if it is unknown. */
  readonly start: string;
}

export interface Member extends MemberId {
  readonly kind: Report['kind'];
  readonly slots: number;
  /** The time of its last report. */
  readonly seen: number;
  /** While it waits for a slot: since when, and when it will ask again. Otherwise 0. */
  readonly since: number;
  readonly until: number;
}

export const emptyMinute: Minute = { state: 'open', heldUntil: 0, finished: [], members: [] };

/** The slots of one process, which does not share them. */
export function createOwnSlots(now: () => number, start = emptyMinute): SlotSource {
  const member = { id: '', pid: 0, start: '' };
  let minute = start;
  return {
    isShared: false,
    report(report) {
      const after = grantSlots(minute, { member, report, time: now(), isAlive: () => true });
      ({ minute } = after);
      return after.granted;
    },
  };
}

/** The service's clock may be rounded to milliseconds. Ours is not, and the ends of requests are rounded up. */
export const margin = 1;

interface Turn {
  readonly member: MemberId;
  readonly report: Report;
  readonly time: number;
  /** Whether the process of a member is still alive. */
  readonly isAlive: (member: Member) => boolean;
}

/**
 * Applies the report of a member, and grants slots to it. The windows are strict and sliding, with the shortest possible
 * waits: the service counts a request at some time between sending and answer, so its slot is free one window after it
 * has ended. No rate is derived from a 429, since other clients may use the same account.
 */
export function grantSlots(found: Minute, turn: Turn): { readonly minute: Minute; readonly granted: Grant } {
  const { member, report, time } = turn;
  const before = found.members.find(({ id }) => id === member.id);
  const since = before && before.until > 0 ? before.since : time;
  const minute = applyReport(found, turn);
  const granted = grant(minute, { ...turn, since });
  const state = granted.slots > 0 && minute.state === 'limited' ? 'probing' : minute.state;
  const slots = report.inUse + granted.slots;
  const isRefused = report.wanted > 0 && granted.slots === 0;
  const waiting = isRefused ? { since, until: time + granted.again } : { since: 0, until: 0 };
  const after = { ...member, kind: report.kind, slots, seen: time, ...waiting };
  const members = slots > 0 || isRefused ? [...minute.members, after] : minute.members;
  return { minute: { ...minute, state, members }, granted };
}

/** The longest wait after a 429. A longer hold is from before a restart of the machine. */
const longestHold = 130_000;

/** Drops expired counts and dead members, whose slots count as requests that end now. */
function applyReport({ state, heldUntil, finished, members }: Minute, turn: Turn): Minute {
  const { member, report, time } = turn;
  const others = members.filter(({ id }) => id !== member.id);
  const here = others.filter((other) => isHere(other, turn));
  const lost = slotsOf(others) - slotsOf(here);
  const held = heldUntil > time + longestHold ? 0 : heldUntil;
  const isOver = held + minuteLength <= time && slotsOf(here) + report.inUse === 0;
  return {
    state: stateAfter(isOver ? 'open' : state, lost > 0 ? worst('unsent', report.ended) : report.ended),
    heldUntil: Math.max(held, report.heldUntil),
    finished: recentCounts([...finished, [Math.ceil(time), lost], ...report.finished], report.limits, time),
    members: here,
  };
}

/** Times may be this far in the future, since they are rounded up. The clock starts again with the machine. */
const tolerance = 1_000;
/** A waiting member that is overdue by this time loses its place. */
const longestDelay = 2_000;
/** Members that reported within this time are not checked, which takes time while others wait. */
const recently = 1_000;
/** A member that has not reported for this long was stopped or has no request in flight. */
const longestAbsence = 600_000;

function isHere(member: Member, { time, isAlive }: Turn): boolean {
  const { slots, seen } = member;
  if (seen > time + tolerance) return false;
  if (slots === 0) return isWaiting(member, time);
  return seen + recently >= time || (seen + longestAbsence > time && isAlive(member));
}

function stateAfter(state: Minute['state'], ended: Report['ended']): Minute['state'] {
  if (ended === 'limited') return 'limited';
  if (state !== 'probing' || ended === undefined) return state;
  return ended === 'done' ? 'open' : 'limited';
}

/** The end of several requests that decides what follows. */
export function worst(one: RequestEnd, other: RequestEnd | undefined): RequestEnd {
  if (one === 'limited' || other === 'limited') return 'limited';
  return one === 'done' || other === undefined ? one : other;
}

/** Merges and sorts the counts that the limits still need, with times rounded up. */
export function recentCounts(
  counts: readonly FinishedCount[],
  limits: readonly KnownPace[],
  time: number,
): readonly FinishedCount[] {
  const sums = new Map<number, number>();
  const longest = Math.max(...limits.map(({ window }) => window));
  for (const [given, count] of counts) {
    const known = given > time + tolerance ? 0 : given;
    if (count === 0 || known + longest + margin <= time) continue;
    const step = stepAfter(time - known, limits);
    const at = Math.ceil(known / step) * step;
    sums.set(at, (sums.get(at) ?? 0) + count);
  }
  return [...sums].sort(([a], [b]) => a - b);
}

/** A window has at most this many times, which keeps the state small: its last slots may be free 0.2 % too late. */
const steps = 500;

/** How exact the time of a request has to be: less so once it is far outside the shorter windows. */
function stepAfter(age: number, limits: readonly KnownPace[]): number {
  let step = Infinity;
  for (const { perWindow, window } of limits)
    if (age < 2 * window) step = Math.min(step, perWindow > steps ? window / steps : 1);
  return step;
}

/** Counts per millisecond. */
export function countsOf(times: readonly number[]): readonly FinishedCount[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(Math.ceil(time), (counts.get(Math.ceil(time)) ?? 0) + 1);
  return [...counts];
}

export function sumOf(counts: readonly FinishedCount[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** The requests of the last minute, and those that may be sent now. */
export function usedOf({ finished, members }: Minute, now: number): number {
  return sumOf(finished.filter(([at]) => at > now - 60_000)) + slotsOf(members);
}

function slotsOf(members: readonly Member[]): number {
  return members.reduce((sum, { slots }) => sum + slots, 0);
}

interface Waiting extends Turn {
  readonly since: number;
}

function grant(minute: Minute, turn: Waiting): Grant {
  const { report, time } = turn;
  if (report.wanted === 0) return { slots: 0, again: 0, wait: 0, why: 'full' };
  if (minute.heldUntil > time) return refuse(minute.heldUntil - time, 'held');
  const taken = report.inUse + slotsOf(minute.members) + countAhead(minute, turn);
  const rooms = report.limits.map((limit) => roomIn(limit, minute, taken, time));
  const free = Math.min(...rooms.map((room) => room.free));
  if (free <= 0) return rooms.map(({ due, window }) => full(due, window)).reduce((a, b) => (a.wait > b.wait ? a : b));
  if (minute.state === 'open') return { slots: Math.min(free, report.wanted), again: 0, wait: 0, why: 'full' };
  return taken > 0 ? refuse(probeInterval, 'held') : { slots: 1, again: 0, wait: 0, why: 'held' };
}

/** Milliseconds between two questions whether a request of another process has succeeded. */
const probeInterval = 100;

function refuse(wait: number, why: Grant['why']): Grant {
  return { slots: 0, again: wait, wait, why };
}

/** Asks again early, because other members may return slots sooner. */
function full(due: number, window: number): Grant {
  return {
    slots: 0,
    again: Math.max(1, Math.min(due, Math.ceil(window / 12))),
    wait: Math.min(due, window),
    why: 'full',
  };
}

/** The waiting members that go first. They count as if they had their slots. */
function countAhead({ members }: Minute, { report, time, since }: Waiting): number {
  const isFirst = (other: Member) => (other.kind === report.kind ? other.since < since : other.kind === 'single');
  return members.filter((other) => isWaiting(other, time) && isFirst(other)).length;
}

function isWaiting({ until }: Member, time: number): boolean {
  return until > 0 && until + longestDelay > time;
}

/** The free slots of one window, and the milliseconds until there is one; Infinity if a request has to end first. */
function roomIn({ perWindow, window }: KnownPace, { finished }: Minute, taken: number, time: number) {
  const counted = finished.filter(([at]) => at + window + margin > time);
  const free = perWindow - taken - sumOf(counted);
  const due = free > 0 ? 0 : timeOf(counted, 1 - free) + window + margin - time;
  return { free, due, window };
}

/** The time at which `count` requests had ended; Infinity if there are fewer. */
function timeOf(counts: readonly FinishedCount[], count: number): number {
  let rest = count;
  for (const [time, some] of counts) {
    rest -= some;
    if (rest <= 0) return time;
  }
  return Infinity;
}

/** Parses what `JSON.stringify` has stored. The version of the database's schema is that of its form, too. */
export function parseMinute(text: string): Minute {
  return JSON.parse(text);
}
