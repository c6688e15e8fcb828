import { type EventName, familyOf, isEventName } from '../../contract/events.ts';
import { isRecord } from '../../contract/readers.ts';
import type { Headers } from '../../delivery/headers.ts';

/** Fields that may name an event, most likely first. */
const titles = ['type', 'event', 'eventtype', 'eventname', 'topic', 'name', 'kind', 'action'];
/** Fields in which any text with a dot is an event name. */
const surest = titles.slice(0, 5);

/** The name of an event. Prefers fields near the top and fields with a typical name. */
export function nameIn(fields: readonly Field[], headers: Headers): string | undefined {
  const top = fields.filter(({ depth }) => depth === 1);
  return titled(top, titles, isEventName) ?? titled(top, surest, looksLikeName) ?? nameBelow(fields, headers);
}

function nameBelow(fields: readonly Field[], headers: Headers): string | undefined {
  const levels = levelsOf(fields);
  return (
    firstOf(levels, (level) => titled(level, titles, isEventName) ?? only(level.map(({ value }) => value))) ??
    only(headers.map(([, value]) => value)) ??
    firstOf(levels, (level) => titled(level, surest, looksLikeName))
  );
}

function levelsOf(fields: readonly Field[]): readonly (readonly Field[])[] {
  const levels: Field[][] = [];
  for (const field of fields) (levels[field.depth] ??= []).push(field);
  return levels;
}

function titled(
  fields: readonly Field[],
  titles: readonly string[],
  isName: (value: unknown) => value is string,
): string | undefined {
  return firstOf(titles, (title) => {
    const value = fields.find((field) => field.key === title && isName(field.value))?.value;
    return isName(value) ? value : undefined;
  });
}

/** The only event name among the values; undefined if there are several. */
function only(values: readonly unknown[]): EventName | undefined {
  const names = new Set(values.filter(isEventName));
  return names.size === 1 ? [...names][0] : undefined;
}

/** True for undocumented names such as `message.deleted`. */
function looksLikeName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 100 && /^[a-z][\w-]*(?:[.:/][a-z][\w-]*)+$/i.test(value);
}

function firstOf<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const senderKeys = ['from', 'sender', 'phone', 'phonenumber', 'waid', 'msisdn'];
const phoneKeys = ['to', 'recipient', 'phone', 'phonenumber', 'from'];
const reasonKeys = ['reason', 'failurereason', 'errorreason', 'error', 'errors', 'failure'];
const codeKeys = ['code', 'type'];
const amountKeys = ['amount', 'total', 'price', 'value'];
/** Ids that are too generic to show. */
const commonIds = new Set(['eventid', 'webhookid', 'accountid', 'businessid']);
const messageKeys = ['message', 'title', 'detail', 'details', 'description', 'reason'];

/** The outermost field that looks like a message id. */
export function messageIdIn(fields: readonly Field[]): string | undefined {
  const isId = ({ key, within }: Field) => key === 'messageid' || (key === 'id' && within === 'message');
  return textOf(fields.find((field) => isId(field) && textOf(field.value) !== undefined)?.value);
}

/** A short description: an amount, an id, and the name of a new contact, if found. */
export function aboutIn(fields: readonly Field[], name = ''): string | undefined {
  const contact = name === 'contact.created' ? contactNameIn(fields) : undefined;
  const parts = [amountIn(fields), subjectIn(fields, familyOf(name)), contact];
  return parts.filter((part) => part !== undefined).join(' ') || undefined;
}

const textKeys = ['text', 'body', 'content'];

/** The text of a received message. */
export function messageTextIn(fields: readonly Field[]): string | undefined {
  return textOf(
    firstOf(textKeys, (name) => fields.find(({ key, value }) => key === name && typeof value === 'string'))?.value,
  );
}

/** Not `created_at`, which may be the contact's. */
const timeKeys = ['timestamp', 'occurredat', 'receivedat', 'sentat', 'time'];

/** When an event happened, in milliseconds. */
export function timeIn(fields: readonly Field[]): number | undefined {
  return firstOf(timeKeys, (name) => firstOf(fields, ({ key, value }) => (key === name ? timeOf(value) : undefined)));
}

function timeOf(value: unknown): number | undefined {
  const text = textOf(value) ?? '';
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  const time = /^\d{13}$/.test(text) ? Number(text) : Date.parse(/^\d{4}-\d\d-\d\dT/.test(text) ? text : '');
  return Number.isNaN(time) ? undefined : time;
}

function contactNameIn(fields: readonly Field[]): string | undefined {
  const isName = ({ key, value }: Field) =>
    ['name', 'fullname', 'firstname'].includes(key) && typeof value === 'string' && !isEventName(value);
  return textOf(fields.find(isName)?.value);
}

/** The id of the event's subject. The id at the top is the event's own, and contacts have many events. */
function subjectIn(fields: readonly Field[], family: string): string | undefined {
  const ids = fields.filter((field) => isIdOfSomething(field));
  const found =
    ids.find(({ key, within }) => key === `${family}id` || (key === 'id' && within === family)) ??
    ids.find(({ key }) => key !== 'contactid') ??
    ids[0];
  return textOf(found?.value);
}

/** An amount with a currency beside it. */
function amountIn(fields: readonly Field[]): string | undefined {
  for (const { value } of fields) {
    if (!isRecord(value)) continue;
    const [amount, currency] = [amountKeys, ['currency']].map((keys) =>
      textOf(keys.map((key) => value[key]).find((part) => textOf(part) !== undefined)),
    );
    if (/^\d[\d.,]{0,20}$/.test(amount ?? '') && /^[A-Z]{3}$/i.test(currency ?? '')) return `${amount} ${currency}`;
  }
  return undefined;
}

function isIdOfSomething({ key, depth, value }: Field): boolean {
  const isNamed = key === 'id' ? depth > 1 : key.endsWith('id') && !/(?:paid|valid|void)$/.test(key);
  return isNamed && !commonIds.has(key) && /^[\w.:-]{1,80}$/.test(textOf(value) ?? '');
}

/** The value of a typical recipient or sender field, if it looks like a phone number. */
export function phoneIn(fields: readonly Field[]): string | undefined {
  return phoneNamed(phoneKeys, fields);
}

/** The sender of a received message, whose `to` is the account. */
export function senderIn(fields: readonly Field[]): string | undefined {
  return phoneNamed(senderKeys, fields);
}

function phoneNamed(keys: readonly string[], fields: readonly Field[]): string | undefined {
  return textOf(firstOf(keys, (name) => fields.find(({ key, value }) => key === name && isPhone(value)))?.value);
}

/** Code and message of the first field that looks like an error. */
export function reasonIn(fields: readonly Field[]): string | undefined {
  const candidates = fields.filter(({ key }) => reasonKeys.includes(key));
  return firstOf(reasonKeys, (name) =>
    firstOf(candidates, ({ key, value }) => (key === name ? reasonOf(value) : undefined)),
  );
}

function reasonOf(value: unknown): string | undefined {
  if (!isRecord(value)) return textOf(value);
  const [code, message] = [codeKeys, messageKeys].map((keys) =>
    textOf(keys.map((key) => value[key]).find((part) => textOf(part) !== undefined)),
  );
  return [code, message].filter((part) => part !== undefined).join(': ') || undefined;
}

/** §2: `+` and digits; some senders leave out the `+`. */
function isPhone(value: unknown): boolean {
  return typeof value === 'string' && (/^\+\d[\d ().…*-]*$/.test(value) || /^\d{6,15}$/.test(value));
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
