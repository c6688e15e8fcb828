import type { Change } from './changes.ts';
import type { Clock } from './clock.ts';
import type { Mint } from './random.ts';
import { nextReceipt, receiptEvent } from './receipts.ts';
import { apply, emptyState } from './state.ts';
import type { SentMessage, State } from './state.ts';

/** Where changes go. What was appended must be safe once `written` resolves. */
export interface Store {
  readonly past: Iterable<Change>;
  /** All of them or none. */
  append(changes: readonly Change[]): void;
  written(): Promise<void>;
}

export interface Ledger {
  readonly state: State;
  readonly commit: (changes: readonly Change[]) => void;
  /** Calls off what is still due. */
  readonly close: () => void;
}

interface LedgerOptions {
  readonly store: Store | undefined;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly warn: (text: string) => void;
}

/** The state, the way into it, and the receipts that follow from it, after a restart as before. */
export function openLedger({ store, clock, mint, warn }: LedgerOptions): Ledger {
  const state = emptyState();
  const due = new Map<SentMessage, () => void>();
  for (const change of store?.past ?? []) apply(state, change);
  const pending = [...state.messages.values()].filter(nextReceipt).toSorted((a, b) => dueAt(a) - dueAt(b));
  for (const sent of pending) watch(sent);
  return { state, commit, close: () => due.forEach((callOff) => callOff()) };

  function commit(changes: readonly Change[]): void {
    store?.append(changes);
    for (const change of changes) {
      apply(state, change);
      const sent = change.type === 'message' ? state.messages.get(change.message.id) : undefined;
      if (sent) watch(sent);
    }
  }

  function watch(sent: SentMessage): void {
    const receipt = nextReceipt(sent);
    if (receipt)
      due.set(
        sent,
        clock.at(receipt.at, () => receive(sent)),
      );
    else due.delete(sent);
  }

  function receive(sent: SentMessage): void {
    const receipt = nextReceipt(sent);
    if (!receipt || state.messages.get(sent.message.id) !== sent) return;
    try {
      commit([{ type: 'event', event: receiptEvent(mint.id('evt', state.serial + 1), sent, receipt) }]);
      watch(sent);
    } catch (error) {
      warn(`the receipt of ${sent.message.id} could not be recorded: ${String(error)}`);
    }
  }
}

function dueAt(sent: SentMessage): number {
  return nextReceipt(sent)?.at ?? 0;
}
