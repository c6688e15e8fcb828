import { isRecord } from '../contract/readers.ts';
import type { Field } from './walk.ts';

const recipientKeys = ['to', 'recipient', 'phone', 'phonenumber', 'from'];
const reasonKeys = ['reason', 'failurereason', 'errorreason', 'error', 'errors', 'failure'];
const codeKeys = ['code', 'type'];
const messageKeys = ['message', 'title', 'detail', 'details', 'description', 'reason'];

/** What looks like the id of a message, the one nearest to the top. */
export function messageIdIn(fields: readonly Field[]): string | undefined {
  const isId = ({ key, within }: Field) => key === 'messageid' || (key === 'id' && within === 'message');
  return textOf(fields.find((field) => isId(field) && textOf(field.value) !== undefined)?.value);
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
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
