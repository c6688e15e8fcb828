import type { Change } from './changes.ts';
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

/** Milliseconds after which a disk that was full is asked again. */
const again = 5_000;

/** Has every receipt happen when it is due, after a restart as before. What is returned calls off the rest. */
export function scheduleReceipts({ ledger, clock, mint, warn }: ScheduleOptions): () => void {
  const { state } = ledger;
  const due = new Map<SentMessage, () => void>();
  let arrived: SentMessage[] = [];
  let recording: Promise<void> | undefined;
  let closed = false;
  const pending = [...state.messages.values()].filter(nextReceipt).toSorted((a, b) => dueAt(a) - dueAt(b));
  for (const sent of pending) watch(sent);
  ledger.follow((change) => {
    if (change.type === 'reset') for (const sent of due.keys()) if (!isCurrent(sent)) forget(sent);
    const id =
      change.type === 'message' ? change.message.id : change.type === 'event' ? change.event.message : undefined;
    const sent = id === undefined ? undefined : state.messages.get(id);
    if (sent) watch(sent);
  });
  return () => {
    closed = true;
    due.forEach((callOff) => callOff());
  };

  function watch(sent: SentMessage): void {
    forget(sent);
    const receipt = nextReceipt(sent);
    if (receipt) wait(sent, receipt.at);
  }

  function wait(sent: SentMessage, until: number): void {
    due.set(
      sent,
      clock.at(until, () => receive(sent)),
    );
  }

  function forget(sent: SentMessage): void {
    due.get(sent)?.();
    due.delete(sent);
  }

  function isCurrent(sent: SentMessage): boolean {
    return state.messages.get(sent.message.id) === sent;
  }

  /** Those that fall due together are recorded together. */
  function receive(sent: SentMessage): Promise<void> {
    due.delete(sent);
    arrived.push(sent);
    recording ??= Promise.resolve().then(record);
    return recording;
  }

  function record(): void {
    const taken = closed ? [] : arrived.filter(isCurrent);
    [arrived, recording] = [[], undefined];
    let { serial } = state;
    const changes = taken.flatMap((sent): Change[] => {
      const receipt = nextReceipt(sent);
      return receipt ? [{ type: 'event', event: receiptEvent(mint.id('evt', ++serial), sent, receipt) }] : [];
    });
    try {
      ledger.commit(changes);
    } catch (error) {
      for (const { message } of taken) warn(`the receipt of ${message.id} could not be recorded: ${String(error)}`);
      for (const sent of taken) wait(sent, clock.now() + again);
    }
  }
}

function dueAt(sent: SentMessage): number {
  return nextReceipt(sent)?.at ?? 0;
}
