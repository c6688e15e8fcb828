import { outcomeOf } from '../../contract/events.ts';
import type { Message, Receipt, SandboxEvent } from '../state/records.ts';

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
