import { isWaiting } from './deliveries/standing.ts';
import type { State } from './state.ts';

/** What a clock that goes back leaves behind: it is due at its own time, which is far away now. */
export interface Stranded {
  /** How many receipts and deliveries. */
  readonly later: number;
  /** When the first of them is due. */
  readonly from: string | null;
}

export const none: Stranded = { later: 0, from: null };

/** Those that are due after that time. What waits for a webhook that gets nothing more is due no more. */
export function strandedAfter(time: number, state: State): Stranded {
  const receipts = [...state.messages.values()].flatMap(({ message, done }) => message.receipts.slice(done));
  const waiting = [...state.deliveries.values()].filter((sending) => isWaiting(sending, state));
  const times = [...receipts.map(({ at }) => at), ...waiting.map(({ next }) => Number(next))];
  const due = times.filter((at) => at > time);
  const first = due.reduce((least, at) => Math.min(least, at), Infinity);
  return due.length === 0 ? none : { later: due.length, from: new Date(first).toISOString() };
}
