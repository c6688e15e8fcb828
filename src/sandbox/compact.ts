import type { Ledger } from './ledger.ts';
import { sizeOf } from './snapshot.ts';

/** Up to here nobody notices how long a sandbox takes to open. */
const unnoticed = 10_000;

/** What is recorded of a state is made small where most of it no longer matters. */
export function compactIfWorthwhile(ledger: Ledger, warn: (text: string) => void): void {
  const { recorded, state } = ledger;
  if (recorded > unnoticed && recorded > 2 * sizeOf(state)) compact(ledger, warn);
}

/** A sandbox goes on as well with the long record, so a failure is only told. */
export function compact(ledger: Ledger, warn: (text: string) => void): void {
  try {
    ledger.compact();
  } catch (error) {
    warn(`what is recorded could not be made smaller: ${String(error)}`);
  }
}
