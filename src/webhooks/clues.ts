import { isRecord } from '../contract/readers.ts';
import type { Field } from './walk.ts';

const recipientKeys = ['to', 'recipient', 'phone', 'phonenumber', 'from'];
const reasonKeys = ['reason', 'failurereason', 'errorreason', 'error', 'errors', 'failure'];
const codeKeys = ['code', 'type'];
const amountKeys = ['amount', 'total', 'price', 'value'];
/** Ids of what has many events, or of none that a reader knows. */
const commonIds = new Set(['eventid', 'webhookid', 'accountid', 'businessid']);
const messageKeys = ['message', 'title', 'detail', 'details', 'description', 'reason'];

/** What looks like the id of a message, the one nearest to the top. */
export function messageIdIn(fields: readonly Field[]): string | undefined {
  const isId = ({ key, within }: Field) => key === 'messageid' || (key === 'id' && within === 'message');
  return textOf(fields.find((field) => isId(field) && textOf(field.value) !== undefined)?.value);
}

/** What else tells two events of a name apart: what looks like an amount, and an id. */
export function aboutIn(fields: readonly Field[], name = ''): string | undefined {
  const parts = [amountIn(fields), subjectIn(fields, name.replace(/\..*/, ''))];
  return parts.filter((part) => part !== undefined).join(' ') || undefined;
}

/** The id of what an event of a family is about; that at the top is the event's own, and contacts have many events. */
function subjectIn(fields: readonly Field[], family: string): string | undefined {
  const ids = fields.filter((field) => isIdOfSomething(field));
  const found =
    ids.find(({ key, within }) => key === `${family}id` || (key === 'id' && within === family)) ??
    ids.find(({ key }) => key !== 'contactid') ??
    ids[0];
  return textOf(found?.value);
}

/** With the currency that stands beside it; what has none may be anything. */
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

/** What looks like a phone number in a field that is called so. */
export function recipientIn(fields: readonly Field[]): string | undefined {
  const found = recipientKeys
    .map((name) => fields.find(({ key, value }) => key === name && isPhone(value)))
    .find((field) => field !== undefined);
  return textOf(found?.value);
}

/** Code and message of what looks like an error. */
export function reasonIn(fields: readonly Field[]): string | undefined {
  for (const name of reasonKeys) {
    for (const { key, value } of fields) {
      const reason = key === name ? reasonOf(value) : undefined;
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function reasonOf(value: unknown): string | undefined {
  if (!isRecord(value)) return textOf(value);
  const [code, message] = [codeKeys, messageKeys].map((keys) =>
    textOf(keys.map((key) => value[key]).find((part) => textOf(part) !== undefined)),
  );
  return [code, message].filter((part) => part !== undefined).join(': ') || undefined;
}

/** §2: `+` and digits; some leave out the first. */
function isPhone(value: unknown): boolean {
  return typeof value === 'string' && (/^\+\d[\d ().…*-]*$/.test(value) || /^\d{6,15}$/.test(value));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
