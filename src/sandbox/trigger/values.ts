import * as read from '../../contract/readers.ts';

/** Why a message failed, as an event tells it. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export const usualReason: Reason = { code: 'undeliverable', message: 'this message was made to fail' };

/** Of its two parts each may be missing. */
export function reason(value: unknown, at = ''): Reason {
  if (!read.isRecord(value)) throw new read.Mismatch(at, 'must be an object with code and message');
  const other = Object.keys(value).find((name) => !Object.hasOwn(usualReason, name));
  if (other !== undefined)
    throw new read.Mismatch(`${at}/${other}`, 'is not part of a reason: it has code and message');
  const { code, message } = { ...usualReason, ...value };
  return { code: read.id(code, `${at}/code`), message: read.string(message, `${at}/message`) };
}

/** A text, since a number of JSON would not keep its cents. */
export function amount(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be a decimal in a text, such as "10.00"');
}

export function currency(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^[A-Z]{3}$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be three capital letters, such as USD');
}
