import { countryCode } from '../../contract/country.ts';
import { isNational, type NotPhone, openPhones } from '../../contract/phone.ts';
import type { Fields } from '../input/row.ts';
import { quoted } from '../quoted.ts';
import { valueNamed } from './columns.ts';
import { countryColumn } from './flags.ts';
import { ValueError } from './mapped.ts';
import { cellText, fieldName } from './values.ts';

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
  if (likely !== undefined && country === undefined) return `${why}; --country intl reads it as ${likely}`;
  const damage = spreadsheetDamage(text);
  if (damage !== undefined) return `${why}: ${damage}`;
  return country === undefined && isNational(text) ? `${why}; --country reads national numbers` : why;
}

/** Explains how a spreadsheet damaged a phone; undefined if it shows no damage. */
function spreadsheetDamage(text: string): string | undefined {
  const trimmed = text.trim();
  const asText = 'format the column as text first';
  if (/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i.test(trimmed))
    return `a spreadsheet made it scientific notation, so digits are lost: ${asText}`;
  return trimmed.startsWith('#') ? `a spreadsheet shows an error or a full cell in its place: ${asText}` : undefined;
}
