import { isRecord } from '../../contract/readers.ts';
import type { Over, Share } from './ledger.ts';

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

export interface Waits {
  readonly since: number;
  readonly until: number;
}

export const emptyBook: Book = { state: 'open', heldUntil: 0, over: [], parties: [] };

export function slotsOf(parties: readonly Party[]): number {
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
