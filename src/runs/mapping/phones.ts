import { countryCode } from '../../contract/country.ts';
import { isNational, type NotPhone, openPhones } from '../../contract/phone.ts';
import { type Fields, fieldName, quoted, ValueError } from '../input/row.ts';
import { valueNamed } from './columns.ts';
import { countryColumn } from './flags.ts';
import { spreadsheetDamage } from './values.ts';

/** Reads a phone of a row as E.164, or returns the reason why it cannot. */
export type RowPhoneReader = (text: string, fields?: Fields) => string | ValueError;

/** `country` is a code, `intl`, or `:column`. */
export async function openRowPhones(country: string | undefined): Promise<RowPhoneReader> {
  const read = await openPhones();
  const column = countryColumn(country);
  if (column === undefined)
    return (text) => {
      const phone = read(text, country);
      return typeof phone === 'string' ? phone : new ValueError(`${quoted(text)} ${reasonOf(text, phone, country)}`);
    };
  return (text, fields = {}) => {
    const value = valueNamed(fields, column);
    const named = typeof value === 'string' ? value : '';
    const code = countryCode(named);
    const phone = read(text, code);
    if (typeof phone === 'string') return phone;
    const why =
      code === undefined && isNational(text) ? `has no country: ${fieldName(column)} is ${quoted(named)}` : '';
    return new ValueError(`${quoted(text)} ${why || reasonOf(text, phone, code)}`);
  };
}

function reasonOf(text: string, { why, likely }: NotPhone, country: string | undefined): string {
  if (likely !== undefined && country === undefined) return `${why}; --country intl reads it as ${likely}`;
  const damage = /^\d+$/.test(text.trim()) ? undefined : spreadsheetDamage(text);
  if (damage !== undefined) return `${why}: ${damage}`;
  return country === undefined && isNational(text) ? `${why}; --country reads national numbers` : why;
}
