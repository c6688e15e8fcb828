import { suggest } from '../../base/suggest.ts';
import type { EventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { attributes, fields as exactly, optional } from '../readers.ts';

const receipt = { message: read.id, to: read.phone, template: read.id } as const;

/** The fields that a trigger may set; the sandbox generates the others. */
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

type ValueOf<R> = R extends Reader<infer T> ? T : never;

export type FieldsOf<E extends EventName> = {
  readonly [F in keyof (typeof fields)[E]]?: ValueOf<(typeof fields)[E][F]> | undefined;
};

function fieldNames(event: EventName): readonly string[] {
  return Object.keys(fields[event]);
}

/** Why one of these names is not allowed; undefined if all are. */
export function whyNotFields(event: EventName, names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !Object.hasOwn(fields[event], name));
  if (wrong === undefined) return undefined;
  const near = suggest(wrong, fieldNames(event));
  const hint = near === undefined ? `: it has ${fieldNames(event).join(', ')}` : `; did you mean "${near}"?`;
  return `"${wrong}" is not a field of ${event}${hint}`;
}

/** Reads fields whose names are valid. Throws a Mismatch if a value is not. */
export function readFields<E extends EventName>(event: E, given: Readonly<Record<string, unknown>>): FieldsOf<E>;
export function readFields(event: EventName, given: Readonly<Record<string, unknown>>): object {
  const readers: Readonly<Record<string, Reader<unknown>>> = fields[event];
  const entries = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, readers[name]?.(value, `/${name}`)] as const],
  );
  return Object.fromEntries(entries);
}

/** Why a message failed, as its event reports it. */
export const defaultReason = { code: 'undeliverable', message: 'this message was made to fail' };

/** Code and message are both optional. */
function reason(value: unknown, at = ''): typeof defaultReason {
  return { ...defaultReason, ...exactly({ code: optional(read.id), message: optional(read.string) })(value, at) };
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
