import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { type Fields, quoted } from '../input/row.ts';
import type { Source } from '../input/source.ts';
import { addHeader } from '../input/table.ts';
import type { FieldMap } from './flags.ts';
import { isPhoneName } from './values.ts';

/** The known facts about an input before its first row. */
export type Columns = Pick<Source, 'fields'>;

/** The column with a name, in any case unless two columns differ only in case. */
export function columnNamed(name: string, columns: readonly string[]): string | undefined {
  if (columns.includes(name)) return name;
  const [found, another] = columns.filter((column) => column.toLowerCase() === name.toLowerCase());
  return another === undefined ? found : undefined;
}

/** The value of an own field. */
export function ownValue(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The value of the field with this name, in any case. */
export function valueNamed(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  const found = columnNamed(name, Object.keys(fields));
  return found === undefined ? undefined : fields[found];
}

/** Names of the column with the phones, in any case. */
const phoneNames: ReadonlySet<string> = new Set(['phone', 'to', 'mobile']);

/** The columns that have a usual name. */
export function phoneColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => phoneNames.has(column.trim().toLowerCase()));
}

/** The error for an input without a column of phones. */
export function noPhoneColumn(columns: readonly string[]): CliError {
  if (columns.some((name) => /^\+?\d{7,}(?:\.0)?$/.test(name)))
    return usage('no column is named phone, and the first line has a number', `if it is no header line, ${addHeader}`);
  const [likely, another] = columns.filter(isPhoneName);
  if (another !== undefined) return severalPhoneColumns(columns.filter(isPhoneName));
  const name = likely ?? 'COLUMN';
  const hint = `name it: --map ${shellQuote(`${name}=phone`)}`;
  return usage('no column is named phone', likely === undefined ? `${hint}; ${nameList(columns, 'column')}` : hint);
}

/** The error for an input with several columns that may have the phones. */
export function severalPhoneColumns(columns: readonly string[]): CliError {
  const choices = columns.map((name) => `--map ${shellQuote(`${name}=phone`)}`).join(' or ');
  return usage(`the phones may be in ${columns.map(quoted).join(' or ')}`, `choose one: ${choices}`);
}

type Maps = readonly FieldMap[] | undefined;

/** The column that an option names; throws if there is none. */
export function requireColumn(option: string, name: string, columns: readonly string[], maps?: Maps): string {
  const found = columnNamed(name, columns);
  if (found !== undefined) return found;
  const hint = optionMistake(option, name, columns, maps) ?? nearestName(name, columns, 'column');
  throw usage(`${option} names ${quoted(name)}, but the input has no such column`, hint);
}

export function nearestName(name: string, known: readonly string[], what: string): string {
  const same = known.find((one) => one.trim().toLowerCase() === name.trim().toLowerCase());
  const near = same ?? suggest(name.slice(0, 100), known);
  return near === undefined ? nameList(known, what) : `did you mean ${quoted(near)}?`;
}

/** A hint for several names in one value, or for a reversed --map. */
export function optionMistake(
  option: string,
  name: string,
  known: readonly string[],
  maps: Maps = [],
): string | undefined {
  const to = option === '--map' ? maps.find(({ from }) => from === name)?.to.join('.') : undefined;
  const parts = (to === undefined ? name : `${name}=${to}`).split(',').map((part) => part.trim());
  const isKnown = (part: string) =>
    columnNamed(to === undefined ? part : part.replace(/=[^=]*$/, ''), known) !== undefined;
  if (parts.length > 1 && parts.every(isKnown))
    return `one ${option} for each: ${parts.map((part) => `${option} ${shellQuote(option === '-p' ? `:${part}` : part)}`).join(' ')}`;
  const isReversed = to !== undefined && known.includes(to) && suggest(name.slice(0, 100), known) === undefined;
  return isReversed ? `did you mean --map ${shellQuote(`${to}=${name}`)}?` : undefined;
}

/** Lists the first names. */
function nameList(names: readonly string[], what: string): string {
  const shown = names.slice(0, 12).map(quoted).join(', ');
  return `the ${what}s are ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
}
