import { suggest } from '../../base/suggest.ts';
import { type EventName, eventNames } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { attributes } from '../api/bodies.ts';

const receipt = { message: read.id, to: read.phone, template: read.id } as const;

/** What may be said of each event; whatever is not said, the sandbox makes up. */
const fields = {
  'message.received': { from: read.phone, text: read.string },
  'message.delivered': receipt,
  'message.read': receipt,
  'message.failed': { ...receipt, reason },
  'flow.completed': { contact: read.id, flow: read.id },
  'broadcast.completed': { campaign: read.id, tag: read.id, name: read.id, template: read.id },
  'contact.created': { phone: read.phone, name: read.string, tags: read.list(read.id), attributes },
  'order.paid': { contact: read.id, amount, currency, provider: read.id },
} as const satisfies Readonly<Record<EventName, Readonly<Record<string, Reader<unknown>>>>>;

/** What stands in an event's data too, and only the sandbox can tell. */
const told: Readonly<Record<EventName, readonly string[]>> = {
  'message.received': ['message_id', 'contact_id'],
  'message.delivered': ['status'],
  'message.read': ['status'],
  'message.failed': ['status'],
  'flow.completed': ['flow_run_id'],
  'broadcast.completed': ['audience', 'counts'],
  'contact.created': ['id', 'created_at'],
  'order.paid': ['order_id'],
};

type ValueOf<R> = R extends Reader<infer T> ? T : never;

export type FieldsOf<E extends EventName> = {
  readonly [F in keyof (typeof fields)[E]]?: ValueOf<(typeof fields)[E][F]> | undefined;
};

export function whyNoEvent(name: string): string {
  const near = suggest(name, eventNames);
  return `"${name}" is not an event; ${near ? `did you mean "${near}"?` : `the events are ${eventNames.join(', ')}`}`;
}

export function fieldNames(event: EventName): readonly string[] {
  return Object.keys(fields[event]);
}

/** What speaks against fields of these names, if anything does. */
export function whyNotFields(event: EventName, names: readonly string[]): string | undefined {
  const wrong = names.find((name) => fieldMeant(event, name) === undefined);
  if (wrong === undefined) return undefined;
  if (told[event].includes(wrong)) return `"${wrong}" of ${event} is not yours to say; leave it out`;
  const near = suggest(wrong, fieldNames(event));
  const hint = near === undefined ? `: it has ${fieldNames(event).join(', ')}` : `; did you mean "${near}"?`;
  return `"${wrong}" is not a field of ${event}${hint}`;
}

/** Reads fields whose names are right; a Mismatch says what is wrong with one. */
export function readFields<E extends EventName>(event: E, given: Readonly<Record<string, unknown>>): FieldsOf<E>;
export function readFields(event: EventName, given: Readonly<Record<string, unknown>>): object {
  const readers: Readonly<Record<string, Reader<unknown>>> = fields[event];
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  const entries = said.map(([name, value]) => {
    const field = fieldMeant(event, name) ?? name;
    return [field, readers[field]?.(value, `/${name}`)] as const;
  });
  const twice = entries.find(([field], at) => entries.findIndex(([other]) => other === field) < at);
  if (twice) throw new read.Mismatch(`/${twice[0]}`, 'is given twice');
  return Object.fromEntries(entries);
}

/** An event's data names a record by `contact_id` where `contact` is enough for us. */
function fieldMeant(event: EventName, name: string): string | undefined {
  return [name, name.replace(/_id$/, '')].find((field) => Object.hasOwn(fields[event], field));
}

/** Why a message failed, as an event tells it. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export const usualReason: Reason = { code: 'undeliverable', message: 'this message was made to fail' };

/** Of its two parts each may be missing. */
function reason(value: unknown, at = ''): Reason {
  if (!read.isRecord(value)) throw new read.Mismatch(at, 'must be an object with code and message');
  const other = Object.keys(value).find((name) => !Object.hasOwn(usualReason, name));
  if (other !== undefined)
    throw new read.Mismatch(`${at}/${other}`, 'is not part of a reason: it has code and message');
  const { code, message } = { ...usualReason, ...value };
  return { code: read.id(code, `${at}/code`), message: read.string(message, `${at}/message`) };
}

/** A text, since a number of JSON would not keep its cents. */
function amount(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be a decimal in a text, such as "10.00"');
}

function currency(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^[A-Z]{3}$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be three capital letters, such as USD');
}
