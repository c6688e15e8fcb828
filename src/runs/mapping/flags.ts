import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';

/** A field of the input and its place in the body. */
export interface FieldMap {
  readonly from: string;
  readonly to: readonly string[];
}

export const separators = { comma: ',', semicolon: ';', pipe: '|' } as const;
const separatorNames = ['comma', 'semicolon', 'pipe'] as const;

/** A field of the body whose text is split into a list. */
export interface Split {
  readonly field: string;
  readonly by: keyof typeof separators;
}

/** `--map column=field`; dots in the field nest. Splits at the last `=`, since column names may contain one. */
export function mapFlag(text: string): FieldMap {
  const at = text.lastIndexOf('=');
  if (at < 1) throw usage(`"${text}" is not column=field`, "give both, such as --map 'Mobile=phone'");
  const to = text.slice(at + 1).split('.');
  if (to.includes('')) throw usage(`"${text}" has an empty part`, 'such as attributes.city');
  return { from: text.slice(0, at), to };
}

/** `--split field`, `--split field=comma|semicolon|pipe`, or with the character itself. */
export function splitFlag(text: string): Split {
  const at = text.lastIndexOf('=');
  if (at < 0) return { field: fieldFlag(text), by: 'comma' };
  const field = fieldFlag(text.slice(0, at), text);
  return { field, by: separator(text.slice(at + 1), field) };
}

/** A field of the body, for --number, --boolean, --parse-json and --phone. */
export function fieldFlag(field: string, text = field): string {
  if (field === '') throw usage(`"${text}" does not name a field`, 'name a field of the body');
  return field;
}

/** `--country`: two letters (ISO 3166). */
export function countryFlag(text: string): string {
  if (/^[a-z]{2}$/i.test(text)) return text.toUpperCase();
  throw usage(`"${text}" is not a country`, 'use its two letters, such as US, GB or DE');
}

function separator(word: string, field: string): Split['by'] {
  const found = separatorNames.find((name) => name === word || separators[name] === word);
  if (found !== undefined) return found;
  throw usage(`"${word}" is not one of ${separatorNames.join(', ')}`, separatorHint(word, field));
}

function separatorHint(word: string, field: string): string {
  if (word === 'json') return `did you mean --parse-json ${field}?`;
  const near = suggest(word, separatorNames);
  return near ? `did you mean ${near}?` : `use a name, or the character in quotes: --split '${field}=;'`;
}
