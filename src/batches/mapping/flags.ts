import { usage } from '../../base/errors.ts';
import { chosen } from '../../cli/params.ts';
import { countryCode } from '../../contract/country.ts';

/** A param from a column, or a text for all rows. */
export type ParamSource = { readonly column: string } | { readonly text: string };

/** `-p :column` takes the value of a column; `::` begins a text with a colon. */
export function paramFlag(text: string): ParamSource {
  if (!text.startsWith(':')) return { text };
  if (text.startsWith('::')) return { text: text.slice(1) };
  if (text === ':') throw usage('":" names no column', 'a text that begins with a colon is "::"');
  return { column: text.slice(1) };
}

/** The text where a cell is empty. */
export type Default = Readonly<ReturnType<typeof defaultFlag>>;

/** `--default column=text` */
export function defaultFlag(text: string) {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`"${text}" is not column=text`, "give both, such as --default 'name=friend'");
  return { column: text.slice(0, at), text: text.slice(at + 1) };
}

/** A column of the input and its place in the body. */
export type FieldMap = Readonly<ReturnType<typeof mapFlag>>;

/** `--map column=field`; dots in the field nest. Splits at the last `=`, since column names may contain one. */
export function mapFlag(text: string) {
  const at = text.lastIndexOf('=');
  if (at < 1) throw usage(`"${text}" is not column=field`, "give both, such as --map 'Mobile=phone'");
  const to = text.slice(at + 1).split('.');
  if (to.includes('')) throw usage(`"${text}" has an empty part`, 'such as attributes.city');
  return { from: text.slice(0, at), to };
}

export const fieldTypes = ['number', 'boolean', 'json', 'list', 'list:semicolon'] as const;

/** A field of the body whose text is converted. */
export type TypedField = Readonly<ReturnType<typeof typeFlag>>;

/** `--type field=list:semicolon` */
export function typeFlag(text: string) {
  const at = text.lastIndexOf('=');
  if (at < 1) throw usage(`"${text}" is not field=type`, `such as tags=list; the types are ${fieldTypes.join(', ')}`);
  return { field: text.slice(0, at), type: chosen(text.slice(at + 1), fieldTypes) };
}

/** `--country DE`, Germany, intl, or the column of the row's country as `:column`. */
export function countryFlag(text: string): string {
  const country = /^:./.test(text) ? text : countryCode(text);
  if (country !== undefined) return country;
  throw usage(`"${text}" is not a country`, 'such as DE or Germany, :COLUMN, or intl (49170…)');
}

/** The column of `--country :column`. */
export function countryColumn(country: string | undefined): string | undefined {
  return country?.startsWith(':') ? country.slice(1) : undefined;
}

/** The column of `--per`, whose case does not matter. */
export function perFlag(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
