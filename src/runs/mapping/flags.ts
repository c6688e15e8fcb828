import { usage } from '../../base/errors.ts';
import { chosen } from '../../cli/params.ts';
import { countryCode } from '../../contract/country.ts';

/** A field of the input and its place in the body. */
export interface FieldMap {
  readonly from: string;
  readonly to: readonly string[];
}

export const fieldTypes = ['number', 'boolean', 'json', 'list', 'list:semicolon', 'list:pipe'] as const;

/** A field of the body whose text is converted. */
export interface TypedField {
  readonly field: string;
  readonly type: (typeof fieldTypes)[number];
}

/** `--map column=field`; dots in the field nest. Splits at the last `=`, since column names may contain one. */
export function mapFlag(text: string): FieldMap {
  const at = text.lastIndexOf('=');
  if (at < 1) throw usage(`"${text}" is not column=field`, "give both, such as --map 'Mobile=phone'");
  const to = text.slice(at + 1).split('.');
  if (to.includes('')) throw usage(`"${text}" has an empty part`, 'such as attributes.city');
  return { from: text.slice(0, at), to };
}

/** `--type field=list:semicolon` */
export function typeFlag(text: string): TypedField {
  const at = text.lastIndexOf('=');
  if (at < 1) throw usage(`"${text}" is not field=type`, `such as tags=list; the types are ${fieldTypes.join(', ')}`);
  return { field: text.slice(0, at), type: chosen(text.slice(at + 1), fieldTypes) };
}

/** The column of `--country :column`. */
export function countryColumn(country: string | undefined): string | undefined {
  return country?.startsWith(':') ? country.slice(1) : undefined;
}

/** `--country DE`, Germany, intl, or the column of the row's country as `:column`. */
export function countryFlag(text: string): string {
  const country = /^:./.test(text) ? text : countryCode(text);
  if (country !== undefined) return country;
  throw usage(`"${text}" is not a country`, 'such as DE or Germany, :COLUMN, or intl (49170…)');
}
