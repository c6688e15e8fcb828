import { outcomeOf } from '../../contract/events.ts';
import { withDeliveries } from '../events/fan-out.ts';
import type { Change, Receipt, SandboxEvent } from './records.ts';
import { reasonOf, type SentMessage, type Core } from './state.ts';

// §6: the document provides three test numbers.
export const testNumbers = {
  delivers: '+12025550101',
  fails: '+12025550102',
  delivers5sLater: '+12025550103',
} as const;

const reason = { code: 'undeliverable', message: 'this test number always fails' } as const;

/** Decides the receipts of a message and their times. */
export function receiptsOf(to: string, sentAt: number, random: () => number): readonly Receipt[] {
  const soon = sentAt + between(150, 400, random);
  if (to === testNumbers.fails) return [{ type: 'message.failed', at: soon, reason }];
  // §6: exactly 5 seconds.
  const delivered = to === testNumbers.delivers5sLater ? sentAt + 5_000 : soon;
  return [
    { type: 'message.delivered', at: delivered },
    { type: 'message.read', at: delivered + between(1_000, 3_000, random) },
  ];
}

/** The next receipt of a message that has not happened yet. */
function nextReceipt(sent: SentMessage): Receipt | undefined {
  return sent.message.receipts[sent.done];
}

export function receiptEvent(id: string, sent: SentMessage, receipt: Receipt): SandboxEvent {
  const { message } = sent;
  const status = outcomeOf(receipt.type);
  const { reason } = receipt;
  const data = { message_id: message.id, to: message.to, template: message.template, status };
  const done = message.receipts.indexOf(receipt) + 1;
  return {
    id,
    type: receipt.type,
    at: receipt.at,
    message: message.id,
    done,
    data: reason ? { ...data, reason } : data,
  };
}

function between(least: number, most: number, random: () => number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Milliseconds until the next try after a failed write. */
const retryAfter = 5_000;

/** Records each receipt at its time, including those from before a restart; returns a stop function. */
export function scheduleReceipts({ store, clock, ids, warn }: Core): () => void {
  const { state } = store;
  /** Messages by the time of their next receipt. `record` checks again whether it is still due. */
  const waiting = new Map<number, SentMessage[]>();
  let [closed, hasWarned] = [false, false];
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
    if (events.length === 0) return;
    try {
      store.commit(withDeliveries(events, state, ids));
      hasWarned = false;
    } catch (error) {
      if (!hasWarned) warn(`receipts cannot be recorded for now: ${reasonOf(error)}`);
      hasWarned = true;
      for (const sent of recorded) wait(sent, clock.now() + retryAfter);
    }
  }
}
