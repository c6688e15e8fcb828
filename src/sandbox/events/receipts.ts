import type { Change, Receipt } from '../state/records.ts';
import { receiptEvent } from '../state/receipts.ts';
import type { Core, SentMessage } from '../state/state.ts';
import { createPatientCommit } from '../state/store.ts';
import { withDeliveries } from './fan-out.ts';

/** Records each receipt at its time, including those from before a restart; returns a stop function. */
export function scheduleReceipts(core: Core): () => void {
  const { store, clock, ids } = core;
  const { state } = store;
  const commit = createPatientCommit(core, 'receipts');
  /** Messages by the time of their next receipt. `eventsAt` checks again whether it is still due. */
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
    const until = sent && nextReceipt(sent)?.at;
    if (!sent || until === undefined) return;
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
    // A trigger may send a message with its first receipts: then it is in the list twice.
    const all = [...new Set(waiting.get(time))];
    waiting.delete(time);
    commit(() => (closed ? [] : withDeliveries(eventsAt(time, all), state, ids)));
  }

  function eventsAt(time: number, all: readonly SentMessage[]): readonly Change[] {
    let { serial } = state;
    return all.flatMap((sent): readonly Change[] => {
      const receipt = dueBy(time, sent);
      return receipt ? [{ type: 'event', event: receiptEvent(ids.id('evt', ++serial), sent.message, receipt) }] : [];
    });
  }
}

/** The next receipt of a message that has not happened yet. */
function nextReceipt({ message, done }: SentMessage): Receipt | undefined {
  return message.receipts[done];
}
