import type { Ledger } from './ledger.ts';

export type Happening = 'event' | 'call';

/** A wait for the next change of a kind; it also ends, saying nothing, when the signal says so. */
export function awaiting(ledger: Ledger): (type: Happening, signal: AbortSignal) => Promise<void> {
  const waiting = { event: new Set<() => void>(), call: new Set<() => void>() };
  ledger.follow(({ type }) => {
    if (type === 'event' || type === 'call') for (const wake of waiting[type]) wake();
  });
  return (type, signal) =>
    new Promise((resolve) => {
      const wake = () => {
        waiting[type].delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) return resolve();
      waiting[type].add(wake);
      signal.addEventListener('abort', wake);
    });
}
