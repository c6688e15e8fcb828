import { margin } from '../gate.ts';
import type { Book, Party } from './book.ts';
import { slotsOf } from './book.ts';
import type { Over } from './ledger.ts';
import { merged } from './over.ts';

export interface Refreshed {
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
export function spanOf(window: number): number {
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
