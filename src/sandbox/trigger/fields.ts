import type { EventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { fields, optional, record } from '../readers.ts';

const receipt = { message: optional(read.id), to: optional(read.phone), template: optional(read.id) } as const;

/** The fields that a trigger may set; the sandbox generates the others. */
const readers = {
  'message.received': fields({ from: optional(read.phone), text: optional(read.string) }),
  'message.delivered': fields(receipt),
  'message.read': fields(receipt),
  'message.failed': fields({ ...receipt, reason: optional(reason) }),
  'flow.completed': fields({ contact: optional(read.id), flow: optional(read.id) }),
  'broadcast.completed': fields({
    campaign: optional(read.id),
    tag: optional(read.id),
    name: optional(read.id),
    template: optional(read.id),
  }),
  'contact.created': fields({
    phone: optional(read.phone),
    name: optional(read.string),
    tags: optional(read.list(read.id)),
    attributes: optional(record),
  }),
  'order.paid': fields({
    contact: optional(read.id),
    amount: optional(amount),
    currency: optional(currency),
    provider: optional(read.id),
  }),
} as const satisfies Readonly<Record<EventName, Reader<unknown>>>;

export type FieldsOf<E extends EventName> = ReturnType<(typeof readers)[E]>;

/** Throws a Mismatch if a name or a value is not one of the event. */
export const fieldReaders: { readonly [E in EventName]: Reader<FieldsOf<E>> } = readers;

/** Why a message failed, as its event reports it. */
export const defaultReason = { code: 'undeliverable', message: 'this message was made to fail' };

/** Code and message are both optional. */
function reason(value: unknown, at = ''): typeof defaultReason {
  return { ...defaultReason, ...fields({ code: optional(read.id), message: optional(read.string) })(value, at) };
}

/** A string, because a JSON number would lose trailing zeros. */
function amount(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be an amount with a point, such as "10.00"');
}

function currency(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^[A-Z]{3}$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be three capital letters, such as USD');
}
