import type { EventName } from '../../contract/events.ts';
import type { MessageStatus, Receipt, SandboxEvent } from './records.ts';
import type { SentMessage } from './state.ts';

// §6: the document provides three test numbers.
export const testNumbers = {
  delivers: '+12025550101',
  fails: '+12025550102',
  delivers5sLater: '+12025550103',
} as const;

/** Status of a message after each event. */
export const statuses: Readonly<Partial<Record<EventName, MessageStatus>>> = {
  'message.delivered': 'delivered',
  'message.read': 'read',
  'message.failed': 'failed',
} satisfies Record<Receipt['type'], MessageStatus>;

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
export function nextReceipt(sent: SentMessage): Receipt | undefined {
  return sent.message.receipts[sent.done];
}

export function receiptEvent(id: string, sent: SentMessage, receipt: Receipt): SandboxEvent {
  const { message } = sent;
  const status = statuses[receipt.type];
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
