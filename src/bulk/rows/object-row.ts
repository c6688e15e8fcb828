import { parseJson } from '../../json.ts';
import type { Row } from '../row.ts';
import { errorField, heldIn, textField } from './error-field.ts';

/** The row in the text of one JSON value. */
export function objectRow(text: string, number: number, line: number): Row {
  const bad = (reason: string, raw = text): Row => ({ number, line, raw, reason });
  const read = parsed(text);
  if ('reason' in read) return bad(read.reason);
  if (!isObject(read.value)) return bad(`it is ${kindOf(read.value)}, not an object`);
  const inexact = inexactIn(text, read.value);
  if (inexact !== undefined) return bad(`the number ${inexact} is too large to be exact; write it as a text`);
  if (!(errorField in read.value || textField in read.value)) {
    return { number, line, raw: read.value, fields: read.value };
  }
  const { [errorField]: said, [textField]: left, ...fields } = read.value;
  const held = heldIn(said);
  if (typeof left !== 'string') return { number, line, raw: fields, fields, ...(held !== undefined && { held }) };
  if (Object.keys(fields).length === 0) return bad(typeof said === 'string' ? said : 'it is damaged', left);
  return bad(`its ${textField} still holds damaged text: take it out once the row is mended`);
}

type Parsed = { readonly value: unknown } | { readonly reason: string };

function parsed(text: string): Parsed {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `it is not JSON: ${error.message}` };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** A number that would be sent as another one: 17 digits and a fraction are rounded, 1e400 becomes null. */
export function inexactIn(text: string, value: unknown): string | undefined {
  const [hasMany, hasExponent] = [/\d{16}/.test(text), /\de\+?\d{3}/i.test(text)];
  const isLost = (number: number) =>
    !Number.isFinite(number) || (hasMany && Number.isInteger(number) && !Number.isSafeInteger(number));
  const found = hasMany || hasExponent ? findNumber(value, isLost) : undefined;
  return found === undefined || Number.isFinite(found) ? found?.toString() : infiniteIn(text);
}

function findNumber(value: unknown, matches: (number: number) => boolean): number | undefined {
  if (typeof value === 'number') return matches(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const found = findNumber(part, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As it was written. */
function infiniteIn(text: string): string {
  const written = text.match(/-?\d[\d.]*(?:e\+?\d+)?/gi) ?? [];
  const found = written.find((one) => !Number.isFinite(Number(one))) ?? 'Infinity';
  return found.length > 40 ? `${found.slice(0, 40)}…` : found;
}
