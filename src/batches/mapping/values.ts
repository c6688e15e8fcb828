import { parseJson } from '../../base/json.ts';
import { countryCode } from '../../contract/country.ts';
import { asciiDigits, isNational, type NotPhone, openPhones } from '../../contract/phone.ts';
import type { NewRow } from '../../store/draft.ts';
import { type Fields, quoted } from '../input/row.ts';
import { valueNamed } from './columns.ts';
import { countryColumn } from './flags.ts';

/** The request for a row, or why it cannot be sent: "phone: it is empty". */
export type Mapped = Pick<NewRow, 'phone' | 'per' | 'body' | 'problem'>;

export type Mapper = (fields: Fields) => Mapped;

/** The reason why a value cannot be sent, in place of the value. */
export class ValueError {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** A name of a column or field, quoted unless it is plain. */
export function fieldName(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoted(name);
}

/** Describes any value. */
function describe(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** A text, or an exact number as text. */
function textOf(value: unknown): string | ValueError {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'number') return new ValueError(`${describe(value)} is not a text`);
  const text = String(value);
  const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER && !text.includes('e');
  return isExact ? text : new ValueError(`the number ${text} may not be exact; send it as text`);
}

/** The text of a cell; null is empty, and so are blanks alone. */
export function cellText(value: unknown): string | ValueError {
  if (value === undefined) return new ValueError('it is missing');
  const text = value === null ? '' : textOf(value);
  if (text instanceof ValueError) return text;
  if (text.trim() === '') return new ValueError('it is empty');
  return sheetError.test(text) ? new ValueError(`${text} is an error of a spreadsheet`) : text;
}

const sheetError = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!)$/;

/** The value of `--per`. Equal numbers are one, since a spreadsheet drops zeros: 1, 1.0 and 001. */
export function perValue(value: unknown): string | ValueError {
  const text = cellText(value);
  if (text instanceof ValueError) return text;
  const plain = text.trim().normalize('NFC');
  const [, sign = '', whole = '', part = ''] = /^([+-]?)0*(\d+?)(?:\.(\d*?)0*)?$/.exec(asciiDigits(plain)) ?? [];
  if (whole === '') return plain;
  const number = part === '' ? whole : `${whole}.${part}`;
  return sign === '-' && number !== '0' ? `-${number}` : number;
}

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
    const parsed = parseJson(value);
    return hasRounded(parsed) ? new ValueError('a number in it is too large to be exact') : parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new ValueError(`${quoted(value)} is not JSON`);
  }
}

/** Large integers are bigints already. */
function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}

/** Returns the list or object that an export wrote as JSON; keeps other values. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  const parsed = toJson(value);
  return parsed instanceof ValueError ? value : parsed;
}

/** Reads a phone of a row as E.164, or returns the reason why it cannot. */
export type PhoneOfRow = (value: unknown, fields: Fields) => string | ValueError;

/** `country` is a code, `intl`, or `:column`. */
export async function phoneReader(country: string | undefined): Promise<PhoneOfRow> {
  const read = await openPhones();
  const column = countryColumn(country);
  return (value, fields) => {
    const text = cellText(value);
    if (text instanceof ValueError) return text;
    const named = column === undefined ? undefined : cellText(valueNamed(fields, column));
    const code = column === undefined ? country : typeof named === 'string' ? countryCode(named) : undefined;
    const phone = read(text, code);
    if (typeof phone === 'string') return phone;
    if (column === undefined || code !== undefined || !isNational(text))
      return new ValueError(`${quoted(text)} ${reasonOf(text, phone, code)}`);
    const why = named instanceof ValueError ? named.why : `${quoted(named ?? '')} is not a country`;
    return new ValueError(`${quoted(text)} has no country, ${fieldName(column)}: ${why}`);
  };
}

function reasonOf(text: string, { why, likely }: NotPhone, country: string | undefined): string {
  if (/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i.test(text.trim()))
    return `${why}: a spreadsheet has lost its digits; format the column as text`;
  if (likely !== undefined && country === undefined) return `${why}; --country intl reads it as ${likely}`;
  return country === undefined && isNational(text) ? `${why}; --country reads national numbers` : why;
}
