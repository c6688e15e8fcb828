import type { Change, Receipt } from '../state/records.ts';
import type { Clock } from './clock.ts';
import type { Ids } from '../state/ids.ts';
import { nextReceipt, receiptEvent } from '../state/receipts.ts';
import type { SentMessage, Store } from '../state/state.ts';

interface ScheduleOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly warn: (text: string) => void;
}

/** Milliseconds until the next try after a failed write. */
const retryAfter = 5_000;

/** Records each receipt at its time, including those from before a restart; returns a stop function. */
export function scheduleReceipts({ store, clock, ids, warn }: ScheduleOptions): () => void {
  const { state } = store;
  /** Messages by the time of their next receipt. `record` checks again whether it is still due. */
  const waiting = new Map<number, SentMessage[]>();
  let closed = false;
  for (const sent of state.messages.values()) watch(sent);
  store.follow((change) => {
    if (change.type === 'message') watch(state.messages.get(change.message.id));
    else if (change.type === 'event' && change.event.done !== undefined)
      watch(state.messages.get(change.event.message ?? ''));
  });
  return () => {
    closed = true;
  };

  function watch(sent: SentMessage | undefined): void {
    const receipt = sent && nextReceipt(sent);
    if (receipt) wait(sent, receipt.at);
  }

  function wait(sent: SentMessage, until: number): void {
    const others = waiting.get(until);
    if (others) return void others.push(sent);
    waiting.set(until, [sent]);
    clock.at(
      until,
      () => record(until),
      () => waiting.get(until)?.some((sent) => dueBy(until, sent) !== undefined) !== true,
    );
  }

  /** The next receipt of a message, unless it is later, or the message was deleted. */
  function dueBy(time: number, sent: SentMessage): Receipt | undefined {
    const receipt = state.messages.get(sent.message.id) === sent ? nextReceipt(sent) : undefined;
    return receipt && receipt.at <= time ? receipt : undefined;
  }

  /** Records all receipts due at this time in one commit. */
  function record(time: number): void {
    // After a failed write, a message may be in the list twice.
    const all = new Set(waiting.get(time));
    waiting.delete(time);
    if (closed) return;
    const events: Change[] = [];
    const recorded: SentMessage[] = [];
    let { serial } = state;
    for (const sent of all) {
      const receipt = dueBy(time, sent);
      if (!receipt) continue;
      events.push({ type: 'event', event: receiptEvent(ids.id('evt', ++serial), sent, receipt) });
      recorded.push(sent);
    }
    try {
      store.commit(events);
    } catch (error) {
      for (const sent of recorded) {
        warn(`the receipt of ${sent.message.id} could not be recorded: ${String(error)}`);
        wait(sent, clock.now() + retryAfter);
      }
    }
  }
}
