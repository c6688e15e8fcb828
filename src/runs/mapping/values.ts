import { parseJson } from '../../json.ts';
import { inexactIn } from '../rows/object-row.ts';
import { separators } from './flags.ts';
import type { Split } from './flags.ts';
import { Refused, described, quoted } from './refused.ts';

/** A field's value as another one, or why there is none. */
export type Convert = (value: unknown) => unknown;

/** The parts between separators, trimmed; empty ones are none. A list stays as it is. */
export function splitBy(by: Split['by']): Convert {
  const separator = separators[by];
  return (value) => {
    if (Array.isArray(value)) return value;
    if (typeof value !== 'string') return new Refused(`${described(value)} is not a text to be split`);
    const parts = value.split(separator).map((part) => part.trim());
    return parts.filter((part) => part !== '');
  };
}

/** Only what comes out as it went in: no thousands separators, no decimal comma, no fraction that a double rounds. */
export function toNumber(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text)) return new Refused(`${described(value)} is not a number`);
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number)) return BigInt(text.replace('+', ''));
  if (isExact(text, number)) return number;
  return new Refused(`${quoted(text)} has more digits than a number keeps; leave it a text`);
}

function isExact(text: string, number: number): boolean {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[+\-.]/g, '')
    .replace(/^0+/, '');
  const isShort = digits.length <= 15 && (number !== 0 || digits === '');
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER && (isShort || /^[+-]?\d+$/.test(text));
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

export function toBoolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'number' ? String(value) : value;
  const found = typeof text === 'string' ? booleans.get(text.trim().toLowerCase()) : undefined;
  return found ?? new Refused(`${described(value)} is not true, false, yes, no, 1 or 0`);
}

/** What a text of JSON says; what is no text has been read already. */
export function toJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read = parseJson(value);
    const inexact = inexactIn(value, read);
    return inexact === undefined ? read : new Refused(`the number ${inexact} in it is too large to be exact`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new Refused(`${quoted(value)} is not JSON`);
  }
}

/** A field's text; a number becomes one where that loses nothing. */
export function textOf(value: unknown): string | Refused {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'number') return new Refused(`${described(value)} is not a text`);
  const text = String(value);
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER && !text.includes('e');
  return isExact ? text : new Refused(`the number ${text} may not be exact; give it as a text`);
}
