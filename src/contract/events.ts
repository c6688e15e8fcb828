// §6
export const events = {
  'message.received': 'A customer sends a new inbound message.',
  'message.delivered': "An outbound message reaches the customer's device.",
  'message.read': 'The customer reads a message.',
  'message.failed': 'A message fails to send. An error reason is attached.',
  'flow.completed': 'A contact finishes running through an automation flow.',
  'broadcast.completed': 'A broadcast campaign has finished sending to its full audience.',
  'contact.created': 'A new contact is added to the account.',
  'order.paid': 'A payment link sent in a chat, issued through a payment provider, is paid successfully.',
} as const;

export type EventName = keyof typeof events;

export function isEventName(value: unknown): value is EventName {
  return typeof value === 'string' && Object.hasOwn(events, value);
}

export const eventNames: readonly EventName[] = Object.keys(events).filter(isEventName);

/** `message` for `message.read`. */
export function familyOf(event: string): string {
  return event.replace(/\..*/, '');
}

export const eventFamilies: readonly string[] = [...new Set(eventNames.map(familyOf))];

/** §3, §6: the outcome of a message that an event names. */
const outcomes = { 'message.delivered': 'delivered', 'message.read': 'read', 'message.failed': 'failed' } as const;

export type ReceiptName = keyof typeof outcomes;
export type Outcome = (typeof outcomes)[ReceiptName];
export type MessageStatus = 'accepted' | Outcome;

export function outcomeOf(event: string | undefined): Outcome | undefined {
  return event !== undefined && isReceipt(event) ? outcomes[event] : undefined;
}

function isReceipt(event: string): event is ReceiptName {
  return Object.hasOwn(outcomes, event);
}

const ranks = { accepted: 0, delivered: 1, read: 2, failed: 2 } as const;

/** Whether a status replaces another, in whatever order their events arrive. */
export function replaces(next: MessageStatus, current: MessageStatus): boolean {
  return ranks[next] > ranks[current];
}

interface DeliveryAnswer {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

/** True for a complete 2xx answer, as is usual for webhooks. */
export function isDelivered({ status, error }: DeliveryAnswer): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300;
}
