import type { Change } from '../state/records.ts';
import type { Clock } from './clock.ts';
import type { Store } from '../state/store.ts';
import type { Ids } from '../state/ids.ts';
import { nextReceipt, receiptEvent } from '../state/receipts.ts';
import type { SentMessage } from '../state/state.ts';

interface ScheduleOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly warn: (text: string) => void;
}

/** Milliseconds until the next try after a failed write. */
const retryAfter = 5_000;

/** Records each receipt when it is due, including those from before a restart; returns a stop function. */
export function scheduleReceipts({ store, clock, ids, warn }: ScheduleOptions): () => void {
  const { state } = store;
  /** Messages by the time of their next receipt. `record` checks again whether it is still due. */
  const waiting = new Map<number, Set<SentMessage>>();
  let closed = false;
  for (const sent of state.messages.values()) watch(sent);
  store.follow((change) => {
    const id =
      change.type === 'message' ? change.message.id : change.type === 'event' ? change.event.message : undefined;
    const sent = id === undefined ? undefined : state.messages.get(id);
    if (sent) watch(sent);
  });
  return () => {
    closed = true;
  };

  function watch(sent: SentMessage): void {
    const receipt = nextReceipt(sent);
    if (receipt) wait(sent, receipt.at);
  }

  function wait(sent: SentMessage, until: number): void {
    const others = waiting.get(until);
    if (others) return void others.add(sent);
    waiting.set(until, new Set([sent]));
    clock.at(until, () => record(until));
  }

  /** Records all receipts due at this time in one commit. */
  function record(time: number): void {
    const all = waiting.get(time) ?? [];
    waiting.delete(time);
    if (closed) return;
    const events = new Map<SentMessage, Change>();
    let { serial } = state;
    for (const sent of all) {
      const receipt = state.messages.get(sent.message.id) === sent ? nextReceipt(sent) : undefined;
      if (!receipt || receipt.at > time) continue;
      events.set(sent, { type: 'event', event: receiptEvent(ids.id('evt', ++serial), sent, receipt) });
    }
    try {
      store.commit([...events.values()]);
    } catch (error) {
      for (const { message } of events.keys())
        warn(`the receipt of ${message.id} could not be recorded: ${String(error)}`);
      for (const sent of events.keys()) wait(sent, clock.now() + retryAfter);
    }
  }
}
