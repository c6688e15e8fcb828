import type { Clock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import type { Mint } from './random.ts';
import { nextReceipt, receiptEvent } from './receipts.ts';
import type { SentMessage } from './state.ts';

interface ScheduleOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly warn: (text: string) => void;
}

/** Has every receipt happen when it is due, after a restart as before. What is returned calls off the rest. */
export function scheduleReceipts({ ledger, clock, mint, warn }: ScheduleOptions): () => void {
  const { state } = ledger;
  const due = new Map<SentMessage, () => void>();
  const pending = [...state.messages.values()].filter(nextReceipt).toSorted((a, b) => dueAt(a) - dueAt(b));
  for (const sent of pending) watch(sent);
  ledger.follow((change) => {
    if (change.type === 'reset') for (const sent of due.keys()) if (!isCurrent(sent)) forget(sent);
    const id =
      change.type === 'message' ? change.message.id : change.type === 'event' ? change.event.message : undefined;
    const sent = id === undefined ? undefined : state.messages.get(id);
    if (sent) watch(sent);
  });
  return () => due.forEach((callOff) => callOff());

  function watch(sent: SentMessage): void {
    forget(sent);
    const receipt = nextReceipt(sent);
    if (receipt)
      due.set(
        sent,
        clock.at(receipt.at, () => receive(sent)),
      );
  }

  function forget(sent: SentMessage): void {
    due.get(sent)?.();
    due.delete(sent);
  }

  function isCurrent(sent: SentMessage): boolean {
    return state.messages.get(sent.message.id) === sent;
  }

  function receive(sent: SentMessage): void {
    due.delete(sent);
    const receipt = nextReceipt(sent);
    if (!receipt || !isCurrent(sent)) return;
    try {
      ledger.commit([{ type: 'event', event: receiptEvent(mint.id('evt', state.serial + 1), sent, receipt) }]);
    } catch (error) {
      warn(`the receipt of ${sent.message.id} could not be recorded: ${String(error)}`);
    }
  }
}

function dueAt(sent: SentMessage): number {
  return nextReceipt(sent)?.at ?? 0;
}
