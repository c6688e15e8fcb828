import { outcomeOf } from '../../contract/events.ts';
import type { Message, Receipt, SandboxEvent } from '../state/records.ts';
import type { Core } from '../state/state.ts';
import { emit } from './emit.ts';

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

function between(least: number, most: number, random: () => number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** The event of a receipt. `done` is how many receipts of the message have happened then. */
export function receiptEvent(message: Message, receipt: Receipt, done: number): Omit<SandboxEvent, 'id'> {
  const { type, at, reason } = receipt;
  const data = { message_id: message.id, to: message.to, template: message.template, status: outcomeOf(type) };
  return { type, at, message: message.id, done, data: reason ? { ...data, reason } : data };
}

/** Emits each receipt at its time, including those from before a restart; returns a stop function. */
export function scheduleReceipts(core: Core): () => void {
  const { store, clock } = core;
  const { messages } = store.state;
  /** Ids of messages by the time of their next receipt. */
  const waiting = new Map<number, string[]>();
  let isClosed = false;
  for (const message of messages.all()) watch(message);
  store.follow((what) => {
    if (what.type === 'message') watch(what.message);
    else if (what.type === 'event' && what.emitted.event.done !== undefined)
      watch(messages.get(what.emitted.event.message ?? ''));
  });
  return () => {
    isClosed = true;
  };

  function watch(message: Message | undefined): void {
    const at = message?.receipts[message.done]?.at;
    if (!message || at === undefined) return;
    const others = waiting.get(at);
    if (others) return void others.push(message.id);
    waiting.set(at, [message.id]);
    clock.at(
      at,
      () => store.change(() => emitAt(at)),
      () => waiting.get(at)?.some((id) => isDue(messages.get(id), at)) !== true,
    );
  }

  /** A trigger may have moved a message on, or a reset deleted it. */
  function emitAt(time: number): void {
    // A trigger may send a message with its first receipts: then it is in the list twice.
    const ids = new Set(waiting.get(time));
    waiting.delete(time);
    if (isClosed) return;
    for (const message of [...ids].map((id) => messages.get(id))) {
      const receipt = message?.receipts[message.done];
      if (message && receipt && isDue(message, time)) emit(core, receiptEvent(message, receipt, message.done + 1));
    }
  }
}

function isDue(message: Message | undefined, time: number): boolean {
  const at = message?.receipts[message.done]?.at;
  return at !== undefined && at <= time;
}
