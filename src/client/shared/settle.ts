import type { Book, Party, Waits, Who } from './book.ts';
import { slotsOf } from './book.ts';
import type { Granted, Share } from './ledger.ts';
import { countOf, merged, rounded, timeOf } from './over.ts';
import { spanOf } from './refresh.ts';

export interface Turn {
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
