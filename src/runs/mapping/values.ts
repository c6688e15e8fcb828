import { parseJson } from '../../base/json.ts';
import { isPhone } from '../../contract/readers.ts';
import { inexactIn } from '../input/json.ts';
import { describe, type Fields, quoted, ValueError } from '../input/row.ts';

/** Converts a value of a row, or returns the reason why it cannot. */
export type Converter = (value: unknown, row: Fields) => unknown;

/** Splits and trims a text, without empty parts. Keeps a list. */
export function toList(separator: string): (value: unknown) => unknown {
  return (value) => {
    if (Array.isArray(value)) return value;
    if (typeof value !== 'string') return new ValueError(`${describe(value)} is not text and cannot be split`);
    const parts = value.split(separator).map((part) => part.trim());
    return parts.filter((part) => part !== '');
  };
}

/** Accepts only exact numbers: no thousands separators, decimal commas or fractions that a double rounds. */
export function toNumber(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text)) return new ValueError(`${describe(value)} is not a number`);
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number)) return BigInt(text.replace('+', ''));
  if (isExact(text, number)) return number;
  return new ValueError(`${quoted(text)} has more digits than a number can hold; keep it as text`);
}

function isExact(text: string, number: number): boolean {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[+\-.]/g, '')
    .replace(/^0+/, '');
  const isShort = digits.length <= 15 && (number !== 0 || digits === '');
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER && (isShort || /^[+-]?\d+$/.test(text));
}

/** In English, German, French, Spanish and Italian. */
const booleans = { true: /^(?:true|yes|y|1|ja|oui|s[ií])$/i, false: /^(?:false|no|n|0|nein|non)$/i } as const;

export function toBoolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (booleans.true.test(text)) return true;
  return booleans.false.test(text) ? false : new ValueError(`${describe(value)} is not true, false, yes, no, 1 or 0`);
}

/** Parses a text as JSON; keeps other values. */
export function toJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read = parseJson(value);
    const inexact = inexactIn(value, read);
    return inexact === undefined ? read : new ValueError(`the number ${inexact} in it is too large to be exact`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new ValueError(`${quoted(value)} is not JSON`);
  }
}

/** A text, or an exact number as text. */
export function textOf(value: unknown): string | ValueError {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'number') return new ValueError(`${describe(value)} is not a text`);
  const text = String(value);
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER && !text.includes('e');
  return isExact ? text : new ValueError(`the number ${text} may not be exact; send it as text`);
}

const asText = 'format the column as text first';

const damages: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'it holds a NUL character'],
  [/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i, `a spreadsheet made it scientific notation, so digits are lost: ${asText}`],
  [/^=\s*"?/, `it is a spreadsheet's formula: write the number alone, with its "+"`],
  [/^['\u2019]/, 'a spreadsheet put an apostrophe before it: take that out'],
  [/^#(?:#+|¡?[\p{Lu}\d/]+[!?]?)$/iu, `a spreadsheet shows an error or a full cell in its place: ${asText}`],
  [/^-\d/, `a spreadsheet calculated it as a sum: ${asText}`],
  [/^\+?\d+[.,]0+$/, `a spreadsheet made it a decimal number: take ".0" off, and ${asText}`],
  [/^\d{1,3}(?:,\d{3}){2,}$/, `a spreadsheet put commas between its thousands: ${asText}`],
  [/^00\d{7,}$/, 'it begins with 00 instead of "+"'],
  [/^\d{7,15}$/, `its "+" is missing, and perhaps its country code: ${asText}`],
];

/** Explains how a spreadsheet damaged a phone number; undefined if it shows no damage. */
export function spreadsheetDamage(text: string): string | undefined {
  const trimmed = text.trim();
  if (isPhone(trimmed)) return undefined;
  return damages.find(([sign]) => sign.test(trimmed))?.[1];
}

export interface SuspectCell {
  readonly field: string;
  readonly reason: string;
}

/** UTF-8 that was read as windows-1252, such as "JÃ¼rgen". */
const mojibake = /Ã[\u0080-\u00bf\u0152-\u2122]|â€|Â[\u00a0-\u00bf]/;

/** Damage in any column. */
const surely = /\0|^[+-]?\d[.,]\d+e\+\d+$|^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/i;
/** The document names no field of a contact, so a phone is recognized by the usual names. A hotel has none. */
const phoneName =
  /phone|mobile|msisdn|whats ?app|^to$|(?<!\p{L})(?:tel|tel[eé]f\p{L}*|cell|cellul\p{L}*|mobil\p{L}*|m[oó]vil|handy\p{L}*|rufn\p{L}*)(?!\p{L})/u;
const phoneCharacters = /^(?=.*\d)[\d\s+().,/e-]+$/i;

const knownNames = new Map<string, boolean>();
const mostNames = 1_000;

/** Finds a cell that looks damaged and is sent unchanged. */
export function findSuspectCell(fields: Fields, content: () => string): SuspectCell | undefined {
  for (const field of Object.keys(fields)) {
    const value = fields[field];
    if (typeof value !== 'string') continue;
    const isGarbled = mojibake.test(value);
    if (!isGarbled && !surely.test(value.trim()) && !isPhoneName(field)) continue;
    const reason = isGarbled ? 'its letters were read with the wrong encoding' : spreadsheetDamage(value);
    if (reason !== undefined && content().includes(JSON.stringify(value)))
      return { field, reason: `${quoted(value)}: ${reason}` };
  }
  return undefined;
}

/** The field of a body that holds a phone, by its name and value. */
export function phoneIn(body: object): readonly [field: string, phone: string] | undefined {
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string' && phoneCharacters.test(value) && isPhoneName(name)) return [name, value];
  return undefined;
}

/** Most inputs have the same few names in all rows. */
export function isPhoneName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase();
  const isPhone = phoneName.test(words);
  if (knownNames.size < mostNames) knownNames.set(name, isPhone);
  return isPhone;
}
