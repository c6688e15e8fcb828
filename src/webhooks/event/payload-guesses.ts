import { isEventName } from '../../contract/events.ts';
import { isRecord } from '../../contract/readers.ts';
import type { Headers } from '../../delivery/headers.ts';

/* The API does not document the payloads of events. Lists of keys begin with the likeliest. */

const titles = ['type', 'event', 'eventtype', 'eventname', 'topic', 'name', 'kind', 'action'];
/** Keys whose value is an event name if it is a text with a dot. */
const surest = titles.slice(0, 5);
const senderKeys = ['from', 'sender', 'phone', 'phonenumber', 'waid', 'msisdn'];
const phoneKeys = ['to', 'recipient', 'phone', 'phonenumber', 'from'];
const reasonKeys = ['reason', 'failurereason', 'errorreason', 'error', 'errors', 'failure'];
const textKeys = ['text', 'body', 'content'];
/** Not `created_at`, which may be the contact's. */
const timeKeys = ['timestamp', 'occurredat', 'receivedat', 'sentat', 'time'];
/** Keys within a reason or an amount. */
const codeKeys = ['code', 'type'];
const messageKeys = ['message', 'title', 'detail', 'details', 'description', 'reason'];
const amountKeys = ['amount', 'total', 'price', 'value'];
/** Contacts have many events, so theirs is the last. */
const subjectKeys = ['orderid', 'campaignid', 'broadcastid', 'flowrunid', 'flowid', 'contactid'];

/** The name of an event. Prefers fields near the top, and then those with a typical name. */
export function nameIn(fields: readonly Field[], headers: Headers): string | undefined {
  const levels: Field[][] = [];
  for (const field of fields) (levels[field.depth] ??= []).push(field);
  const top = levels[1] ?? [];
  return (
    first(top, titles, eventName) ??
    first(top, surest, likelyName) ??
    firstOf(levels, (level) => first(level, titles, eventName) ?? only(level.map(({ value }) => value))) ??
    only(headers.map(([, value]) => value)) ??
    firstOf(levels, (level) => first(level, surest, likelyName))
  );
}

function eventName(value: unknown): string | undefined {
  return isEventName(value) ? value : undefined;
}

/** An undocumented name such as `message.deleted`. */
function likelyName(value: unknown): string | undefined {
  const isLikely =
    typeof value === 'string' && value.length <= 100 && /^[a-z][\w-]*(?:[.:/][a-z][\w-]*)+$/i.test(value);
  return isLikely ? value : undefined;
}

/** The only event name among the values; undefined if there are several. */
function only(values: readonly unknown[]): string | undefined {
  const names = new Set(values.filter(isEventName));
  return names.size === 1 ? [...names][0] : undefined;
}

/** The outermost field that looks like a message id. */
export function messageIdIn(fields: readonly Field[]): string | undefined {
  const isId = ({ key, within }: Field) => key === 'messageid' || (key === 'id' && within === 'message');
  return firstOf(fields, (field) => (isId(field) ? textOf(field.value) : undefined));
}

/** The value of a typical recipient or sender field, if it looks like a phone number. */
export function phoneIn(fields: readonly Field[]): string | undefined {
  return first(fields, phoneKeys, phoneOf);
}

/** The sender of a received message, whose `to` is the account. */
export function senderIn(fields: readonly Field[]): string | undefined {
  return first(fields, senderKeys, phoneOf);
}

/** §2: `+` and digits; some senders leave out the `+`. */
function phoneOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : '';
  return /^\+\d[\d ().…*-]*$/.test(text) || /^\d{6,15}$/.test(text) ? text : undefined;
}

/** The text of a received message. */
export function messageTextIn(fields: readonly Field[]): string | undefined {
  return textOf(first(fields, textKeys, (value) => (typeof value === 'string' ? value : undefined)));
}

/** When an event happened, in milliseconds. */
export function timeIn(fields: readonly Field[]): number | undefined {
  return first(fields, timeKeys, timeOf);
}

function timeOf(value: unknown): number | undefined {
  const text = textOf(value) ?? '';
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  const time = /^\d{13}$/.test(text) ? Number(text) : Date.parse(/^\d{4}-\d\d-\d\dT/.test(text) ? text : '');
  return Number.isNaN(time) ? undefined : time;
}

/** Code and message of the first field that looks like an error. */
export function reasonIn(fields: readonly Field[]): string | undefined {
  return first(fields, reasonKeys, (value) => {
    if (!isRecord(value)) return textOf(value);
    return joined([textAt(value, codeKeys), textAt(value, messageKeys)], ': ');
  });
}

/** A short description: an amount, an id, and the name of a new contact, if there are any. */
export function aboutIn(fields: readonly Field[], name = ''): string | undefined {
  const isName = (value: unknown) => (isEventName(value) ? undefined : textOf(value));
  const contact = name === 'contact.created' ? first(fields, ['name', 'fullname', 'firstname'], isName) : undefined;
  return joined([amountIn(fields), subjectIn(fields), contact], ' ');
}

/** An amount with a currency beside it. */
function amountIn(fields: readonly Field[]): string | undefined {
  return firstOf(fields, ({ value }) => {
    if (!isRecord(value)) return undefined;
    const [amount = '', currency = ''] = [textAt(value, amountKeys), textAt(value, ['currency'])];
    return /^\d[\d.,]{0,20}$/.test(amount) && /^[A-Z]{3}$/i.test(currency) ? `${amount} ${currency}` : undefined;
  });
}

/** The id of the event's subject. The id at the top is the event's own. */
function subjectIn(fields: readonly Field[]): string | undefined {
  return (
    first(fields, subjectKeys, textOf) ??
    first(
      fields.filter(({ depth }) => depth > 1),
      ['id'],
      textOf,
    )
  );
}

/** Reads the first field that has a value: the first key first, then the order of the fields. */
function first<T>(
  fields: readonly Field[],
  keys: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  return firstOf(keys, (wanted) => firstOf(fields, ({ key, value }) => (key === wanted ? read(value) : undefined)));
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

function textAt(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  return firstOf(keys, (key) => textOf(record[key]));
}

function joined(parts: readonly (string | undefined)[], between: string): string | undefined {
  return parts.filter((part) => part !== undefined).join(between) || undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value within JSON and the field that holds it. Items of an array have the field of the array. */
interface Field {
  readonly value: unknown;
  /** Lower case, without `_` and `-`. */
  readonly key: string;
  /** The key of the enclosing field. */
  readonly within: string;
  readonly depth: number;
}

/** More fields than any real event has; a limit for hostile ones. */
const mostFields = 10_000;

/** All values in JSON, from the top down, level by level. */
export function fieldsOf(root: unknown): readonly Field[] {
  const fields: Field[] = [{ value: root, key: '', within: '', depth: 0 }];
  for (const { value, key, within, depth } of fields) {
    if (typeof value !== 'object' || value === null) continue;
    const isArray = Array.isArray(value);
    for (const [name, item] of Object.entries(value)) {
      if (fields.length >= mostFields) return fields;
      if (isArray) fields.push({ value: item, key, within, depth: depth + 1 });
      else fields.push({ value: item, key: plain(name), within: key, depth: depth + 1 });
    }
  }
  return fields;
}

/** Whether JSON contains this text as a value. */
export function holds(value: unknown, text: string): boolean {
  if (typeof value !== 'object' || value === null) return value === text;
  return Object.values(value).some((item) => holds(item, text));
}

function plain(name: string): string {
  return /[^a-z]/.test(name) ? name.replace(/[_-]/g, '').toLowerCase() : name;
}
