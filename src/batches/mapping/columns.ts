import { type Condition, isMet } from '../../base/condition.ts';
import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { cellsOf } from '../../store/columns.ts';
import { type Fields, type Names, quoted } from '../input/row.ts';

/** The column with a name, in any case unless two columns differ only in case. */
export function columnNamed(name: string, columns: readonly string[]): string | undefined {
  if (columns.includes(name)) return name;
  const same = columns.filter((column) => isSameName(column, name));
  return same.length === 1 ? same[0] : undefined;
}

export function isSameName(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

/** The value of the field with this name, in any case. */
export function valueNamed(fields: Fields, name: string): unknown {
  const column = Object.hasOwn(fields, name) ? name : columnNamed(name, Object.keys(fields));
  return column === undefined ? undefined : fields[column];
}

/** The column that an option names; throws if it does not exist. */
export function requireColumn(option: string, name: string, columns: readonly string[]): string {
  const column = columnNamed(name, columns);
  if (column !== undefined) return column;
  throw usage(`${option} names ${quoted(name)}, but the input has no such column`, nearestName(name, columns));
}

/** A hint with the name that was meant, or with all of them. */
export function nearestName(name: string, names: readonly string[], what = 'column'): string {
  const same = names.find((other) => other.trim().toLowerCase() === name.trim().toLowerCase());
  const near = same ?? suggest(name.slice(0, 100), names);
  return near === undefined ? nameList(names, what) : `did you mean ${quoted(near)}?`;
}

function nameList(names: readonly string[], what: string): string {
  const shown = names.slice(0, 12).map(quoted).join(', ');
  return `the ${what}s are ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
}

const usualNames: ReadonlySet<string> = new Set(['phone', 'to', 'mobile']);
/** Words of a column with phones, in several languages. A hotel has none. */
const phoneWords =
  /phone|mobile|msisdn|whats ?app|^to$|(?<!\p{L})(?:tel|tel[eé]f\p{L}*|cell|cellul\p{L}*|mobil\p{L}*|m[oó]vil|handy\p{L}*|rufn\p{L}*)(?!\p{L})/u;

/** Whether a column may have phones, by its name. */
export function isPhoneName(name: string): boolean {
  return phoneWords.test(name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase());
}

export function usualPhoneColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => usualNames.has(column.trim().toLowerCase()));
}

/** The error for an input with no column of phones, or with several. */
export function unclearPhoneColumn(columns: readonly string[]): CliError {
  const usual = usualPhoneColumns(columns);
  const likely = usual.length > 0 ? usual : columns.filter(isPhoneName);
  const choices = likely.map((name) => `--map ${shellQuote(`${name}=phone`)}`).join(' or ');
  if (likely.length > 1) return usage(`the phones may be in ${likely.map(quoted).join(' or ')}`, `choose: ${choices}`);
  const hint = choices || `--map COLUMN=phone; ${nameList(columns, 'column')}`;
  return usage('no column is named phone', `name it: ${hint}`);
}

/** Whether `--where` excludes a row: one that does not meet all conditions. Throws if there is no such column. */
export function whereFilter(conditions: readonly Condition[], names: Names): (fields: Fields) => boolean {
  const placed = conditions.map((wanted) => {
    const name = wanted.path.join('.');
    return placeOf(wanted, names) ?? { ...wanted, path: [requireColumn('--where', name, names.columns)] };
  });
  return (fields) => !placed.every((wanted) => isMet(wanted, fields));
}

/** Whether `--where` excludes a stored row; undefined without conditions. */
export function unwantedCells(
  conditions: readonly Condition[],
): ((cells: string, wasUnwanted: boolean) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  return (cells, wasUnwanted) => {
    const fields = cellsOf(cells);
    const names = { columns: Object.keys(fields), isTable: false };
    // A file that was loaded before may have had other columns.
    const hasAll = conditions.every((wanted) => placeOf(wanted, names));
    return hasAll ? whereFilter(conditions, names)(fields) : wasUnwanted;
  };
}

/** The column with the whole name, in any case, or a place in a field of a record. */
function placeOf({ path, value }: Condition, { columns, isTable }: Names): Condition | undefined {
  const whole = columnNamed(path.join('.'), columns);
  if (whole !== undefined) return { path: [whole], value };
  const [first = '', ...rest] = path;
  const field = isTable ? undefined : columnNamed(first, columns);
  return field === undefined ? undefined : { path: [field, ...rest], value };
}
