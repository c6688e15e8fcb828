import type { Ledger } from './ledger.ts';
import { sizeOf } from './snapshot.ts';

/** Up to here nobody notices how long a sandbox takes to open. */
const unnoticed = 10_000;

/** What is recorded of a state is made small where most of it no longer matters. */
export function compactIfWorthwhile(ledger: Ledger, warn: (text: string) => void): void {
  const { recorded, state } = ledger;
  if (recorded > unnoticed && recorded > 2 * sizeOf(state)) compact(ledger, warn);
}

/** In bytes: no journal is compacted below it while its sandbox runs. */
const small = 16 * 1024 * 1024;
/** Asking for the size of a file costs as much as some changes. */
const every = 100;

/** Compacts the journal whenever it has doubled, since what the logs dropped is still in it. Returns what ends that. */
export function compactAsItGrows(ledger: Ledger, warn: (text: string) => void): () => void {
  let [changes, compacted, isClosed] = [0, ledger.size(), false];
  let soon: NodeJS.Immediate | undefined;
  ledger.follow(() => {
    changes += 1;
    if (changes % every !== 0 || soon || isClosed || ledger.size() < Math.max(small, 2 * compacted)) return;
    // Not within a commit, whose answer would wait for it.
    soon = setImmediate(() => {
      soon = undefined;
      compact(ledger, warn);
      compacted = ledger.size();
    });
  });
  return () => {
    isClosed = true;
    clearImmediate(soon);
  };
}

/** A sandbox goes on as well with the long record, so a failure is only told. */
export function compact(ledger: Ledger, warn: (text: string) => void): void {
  try {
    ledger.compact();
  } catch (error) {
    warn(`what is recorded could not be made smaller: ${String(error)}`);
  }
}
