import { isRecord } from '../../contract/readers.ts';
import type { RequestEnd } from './pace.ts';

/** Grants the slots of a plan's rate limit to all processes that share it. */
export interface SharedMinute {
  /** Reports results and requests slots. Returns a promise only if another process is using the shared minute. */
  report(share: Report): Grant | Promise<Grant>;
}

/** How many requests ended at a time. */
type FinishedCount = readonly [time: number, count: number];

export interface Report {
  /** Single requests have priority over runs. */
  readonly kind: 'single' | 'run';
  /** The member gets no slot if the minute has this many requests. */
  readonly limit: number;
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
  readonly why: 'full' | 'held';
}

/** The state shared by all processes. Times are milliseconds of the machine's monotonic clock. */
export interface Minute {
  readonly state: 'open' | 'limited' | 'probing';
  readonly heldUntil: number;
  /** Requests within the window, the oldest first. */
  readonly finished: readonly FinishedCount[];
  /** Members with slots or waiting for one; the last one reported most recently. */
  readonly members: readonly Member[];
}

/** A process, or one of several paces within it. */
export interface MemberId {
  readonly id: string;
  readonly pid: number;
  /** Start of the process, if the system reports it. */
  readonly start: string | undefined;
}

export interface Member extends MemberId {
  readonly kind: Report['kind'];
  readonly slots: number;
  readonly seen: number;
  /** Since when it is waiting for a slot, and when it will ask again. */
  readonly waiting: Waiting | undefined;
}

interface Waiting {
  readonly since: number;
  readonly until: number;
}

export const emptyMinute: Minute = { state: 'open', heldUntil: 0, finished: [], members: [] };

function slotsOf(members: readonly Member[]): number {
  return members.reduce((sum, { slots }) => sum + slots, 0);
}

export function minuteText({ state, heldUntil, finished, members }: Minute): string {
  return `${JSON.stringify({ state, heldUntil, finished, members })}\n`;
}

/** Parses the file; undefined if it is damaged. */
export function parseMinute(text: string): Minute | undefined {
  const value = parsed(text);
  return isMinute(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMinute(value: unknown): value is Minute {
  if (!isRecord(value)) return false;
  const { state, heldUntil, finished, members } = value;
  const isState = state === 'open' || state === 'limited' || state === 'probing';
  return (
    isState && isTime(heldUntil) && Array.isArray(finished) && finished.every(isFinishedCount) && areMembers(members)
  );
}

function isFinishedCount(value: unknown): value is FinishedCount {
  return Array.isArray(value) && value.length === 2 && isTime(value[0]) && isCount(value[1]);
}

function areMembers(value: unknown): value is readonly Member[] {
  return Array.isArray(value) && value.every(isMember);
}

function isMember(value: unknown): value is Member {
  if (!isRecord(value)) return false;
  const { id, pid, start, kind, slots, seen, waiting } = value;
  return (
    typeof id === 'string' &&
    isCount(pid) &&
    (start === undefined || typeof start === 'string') &&
    (kind === 'single' || kind === 'run') &&
    isCount(slots) &&
    isTime(seen) &&
    (waiting === undefined || (isRecord(waiting) && isTime(waiting['since']) && isTime(waiting['until'])))
  );
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Merges counts of the same time, the oldest first. */
function merged(counts: readonly FinishedCount[], more: readonly FinishedCount[]): readonly FinishedCount[] {
  if (more.length === 0) return counts;
  const sums = new Map(counts);
  for (const [time, count] of more) sums.set(time, (sums.get(time) ?? 0) + count);
  return [...sums].sort(([a], [b]) => a - b);
}

/** Counts per millisecond. */
export function countsOf(times: readonly number[]): readonly FinishedCount[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(Math.ceil(time), (counts.get(Math.ceil(time)) ?? 0) + 1);
  return [...counts];
}

/** Rounds times up to a multiple of `step`. */
function rounded(counts: readonly FinishedCount[], step: number): readonly FinishedCount[] {
  return counts.map(([time, count]) => [Math.ceil(time / step) * step, count]);
}

function countOf(counts: readonly FinishedCount[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
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

interface ExpireOptions {
  readonly time: number;
  readonly window: number;
  /** How long a request counts after its end. */
  readonly span: number;
  /** Whether the process of a member is still alive. */
  readonly isAlive: (member: Member) => boolean;
}

/** The longest wait after a 429. A longer hold is from before a restart of the machine. */
const longestHold = 130_000;
/** Rounded times may be this far in the future. */
const tolerance = 1_000;
/** Members that reported within this time are not checked. */
const recently = 1_000;
/** Checking a process takes time while others wait, so only this many are checked in one turn. */
const checksPerTurn = 8;
/** A member that has not reported for this long was stopped or has no request in flight. */
const longestAbsence = 600_000;

/** Drops expired counts and dead members. The slots of the dead count as requests that end now. */
export function expire(minute: Minute, { time, window, span, isAlive }: ExpireOptions): Minute {
  const { dead, members } = findDead(minute.members, time, isAlive);
  const left = slotsOf(dead);
  const heldUntil = minute.heldUntil > time + longestHold ? 0 : minute.heldUntil;
  const isOld = heldUntil + window <= time && slotsOf(members) === 0;
  const state = minute.state === 'probing' && left > 0 ? 'limited' : minute.state;
  const finished = stillCounted(minute.finished, time, span);
  const more: readonly FinishedCount[] = left > 0 ? [[Math.ceil(time), left]] : [];
  return { state: isOld ? 'open' : state, heldUntil, finished: merged(finished, more), members };
}

/** The clock starts with the machine, so times in the future are from before a restart and become 0. */
function stillCounted(counts: readonly FinishedCount[], time: number, span: number): readonly FinishedCount[] {
  const isRecent = ([at]: FinishedCount) => at + span > time;
  if (counts.every(([at]) => at <= time + tolerance)) return counts.filter(isRecent);
  return merged(
    [],
    counts.map(([at, count]): FinishedCount => [at > time + tolerance ? 0 : at, count]),
  ).filter(isRecent);
}

/** Checks members that have not reported recently. Living ones move to the end, so that all get checked in turn. */
function findDead(members: readonly Member[], time: number, isAlive: ExpireOptions['isAlive']) {
  const absent = members
    .filter(({ seen }) => seen + recently < time || seen > time + tolerance)
    .slice(0, checksPerTurn);
  const isFound = (member: Member) =>
    member.seen + longestAbsence > time && member.seen <= time + tolerance && isAlive(member);
  const found = absent.filter(isFound);
  const rest = members.filter((member) => !absent.includes(member));
  return { dead: absent.filter((member) => !found.includes(member)), members: [...rest, ...found] };
}

interface Turn {
  readonly member: MemberId;
  readonly report: Report;
  readonly time: number;
  readonly window: number;
  /** How long a request counts after its end. */
  readonly span: number;
}

/** A waiting member that is overdue by this time loses its place. */
const longestDelay = 2_000;
/** Times are rounded so that a window has at most this many, which keeps the file small. */
const steps = 1_000;

/** Applies the report of a member and grants slots to it. The minute must have been expired first. */
export function grantSlots(minute: Minute, turn: Turn): { readonly minute: Minute; readonly granted: Grant } {
  const { id } = turn.member;
  const waiting = minute.members.find((other) => other.id === id)?.waiting;
  const others = minute.members.filter((other) => other.id !== id);
  const reported = applyReport({ ...minute, members: others }, turn);
  const granted = grant(reported, turn, waiting);
  const state = granted.slots > 0 && reported.state === 'limited' ? 'probing' : reported.state;
  const member = memberAfter(turn, granted, waiting);
  const isGone = member.slots === 0 && !member.waiting;
  return { minute: { ...reported, state, members: isGone ? others : [...others, member] }, granted };
}

function applyReport(minute: Minute, { report, window }: Turn): Minute {
  const step = report.limit > steps ? Math.ceil(window / steps) : 1;
  return {
    state: stateAfter(minute.state, report.ended),
    heldUntil: Math.max(minute.heldUntil, report.heldUntil),
    finished: merged(minute.finished, rounded(report.finished, step)),
    members: minute.members,
  };
}

/** The same rule as in a gate: after a 429, one request is sent, and the others once it has succeeded. */
function stateAfter(state: Minute['state'], ended: Report['ended']): Minute['state'] {
  if (ended === 'limited') return 'limited';
  if (state !== 'probing' || ended === undefined) return state;
  return ended === 'done' ? 'open' : 'limited';
}

function grant(minute: Minute, turn: Turn, waiting: Waiting | undefined): Grant {
  const { report, time, window, span } = turn;
  if (report.wanted === 0) return { slots: 0, again: 0, wait: 0, why: 'full' };
  if (minute.heldUntil > time) return refuse(minute.heldUntil - time, 'held');
  const inUse = report.inUse + slotsOf(minute.members);
  const ahead = countAhead(minute, turn, waiting?.since ?? time);
  const taken = countOf(minute.finished) + inUse + ahead;
  if (taken >= report.limit) return full(timeOf(minute.finished, taken - report.limit + 1) + span - time, window);
  if (minute.state === 'open')
    return { slots: Math.min(report.limit - taken, report.wanted), again: 0, wait: 0, why: 'full' };
  return inUse + ahead > 0 ? refuse(Math.ceil(window / 600), 'held') : { slots: 1, again: 0, wait: 0, why: 'held' };
}

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
function countAhead({ members }: Minute, { report, time }: Turn, since: number): number {
  return members.filter(({ kind, waiting }) => {
    if (!waiting || waiting.until + longestDelay <= time) return false;
    return kind === report.kind ? waiting.since < since : kind === 'single';
  }).length;
}

function memberAfter({ member, report, time }: Turn, { slots, again }: Grant, before: Waiting | undefined): Member {
  const isRefused = report.wanted > 0 && slots === 0;
  const waiting = isRefused ? { since: before?.since ?? time, until: time + again } : undefined;
  return { ...member, kind: report.kind, slots: report.inUse + slots, seen: time, waiting };
}
