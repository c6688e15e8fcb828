import { type CliError, usage } from '../../base/errors.ts';
import { redact } from '../../base/redact.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { fieldName, type Fields, type Mapped, ValueError } from '../input/row.ts';
import {
  columnNamed,
  type Columns,
  noPhoneColumn,
  phoneColumns,
  requireColumn,
  severalPhoneColumns,
  valueNamed,
} from './columns.ts';
import { countryColumn, type FieldMap } from './flags.ts';
import { openRowPhones } from './phones.ts';
import { textOf } from './values.ts';

/** Options for mapping a row to the body of a message. */
export interface MessageMappingOptions {
  readonly template: string;
  /** In the order of the command line. */
  readonly params: readonly ParamSource[];
  /** The column with the phones. */
  readonly map?: readonly FieldMap[];
  /** Of numbers without a country code: its code, `intl` or `:column`. */
  readonly country?: string | undefined;
  /** From `--per`. */
  readonly perColumns?: readonly string[];
  /** Allow empty params. */
  readonly allowEmpty?: boolean;
}

/** A param from a column, or the same for all rows. */
export type ParamSource = { readonly column: string } | { readonly value: string };

/** `-p :column` takes the value of a column; `::` begins a text with a colon. */
export function paramFlag(text: string): ParamSource {
  if (!text.startsWith(':')) return { value: text };
  if (text.startsWith('::')) return { value: text.slice(1) };
  if (text === ':') throw usage('":" names no column', 'a text that begins with a colon is "::"');
  return { column: text.slice(1) };
}

type ParamReader = (fields: Fields) => string | ValueError;

/** Creates the mapping from rows to message bodies; throws on unknown columns. */
export async function createMessageMapping(
  options: MessageMappingOptions,
  source: Columns,
): Promise<(fields: Fields) => Mapped> {
  const recipient = await recipientIn(options, source);
  const { perColumns = [] } = options;
  if (source.fields) checkColumns(options, source.fields);
  const params = options.params.map((param, index) => paramReader(param, index + 1, options));
  return (fields) => {
    const to = recipient(fields);
    if (to instanceof ValueError) return { reason: to.why };
    const texts: string[] = [];
    for (const read of params) {
      const text = read(fields);
      if (text instanceof ValueError) return { reason: text.why };
      texts.push(text);
    }
    const per: string[] = [];
    for (const name of perColumns) {
      const text = textIn(fields, name);
      if (text instanceof ValueError) return { reason: `--per, ${fieldName(name)}: ${text.why}` };
      if (text.trim() === '') return { reason: `--per, ${fieldName(name)}: it is empty` };
      per.push(text);
    }
    return { body: { to, template: options.template, params: texts }, ...(per.length > 0 && { per }) };
  };
}

function checkColumns({ params, perColumns = [], country }: MessageMappingOptions, columns: readonly string[]): void {
  for (const name of perColumns) requireColumn('--per', name, columns);
  const ofCountry = countryColumn(country);
  if (ofCountry !== undefined) requireColumn('--country', ofCountry, columns);
  for (const param of params)
    if ('column' in param) requireColumn('-p', param.column, columns);
    else if (columnNamed(param.value, columns) !== undefined) throw namesColumn(param.value);
}

function namesColumn(name: string): CliError {
  return usage(
    `-p ${shellQuote(name)} would send the word "${name}" to each recipient, and the input has a column "${name}"`,
    `to send the value of the column: -p ${shellQuote(`:${name}`)}`,
  );
}

/** Refuses options that are wrong for any input. */
export function checkMessageMapping({ map = [] }: MessageMappingOptions): void {
  const other = map.find(({ to }) => to.join('.') !== 'phone');
  if (other)
    throw usage(
      `--map ${other.from}=${other.to.join('.')}: a message has no field ${other.to.join('.')}`,
      `--map COLUMN=phone names the column of the phones; -p ${shellQuote(`:${other.from}`)} sends the value of a column`,
    );
  if (map.length > 1) throw usage('--map names two columns of phones', 'name one');
}

function paramReader(param: ParamSource, place: number, { allowEmpty = false }: MessageMappingOptions): ParamReader {
  if ('value' in param) return () => param.value;
  const { column } = param;
  const where = `param ${place}, ${fieldName(column)}`;
  return (fields) => {
    const text = textIn(fields, column);
    if (text === '' && !allowEmpty) return new ValueError(`${where}: it is empty`);
    if (text instanceof ValueError) return new ValueError(`${where}: ${text.why}`);
    return redact(text) === text ? text : new ValueError(`${where}: it contains something that looks like a key`);
  };
}

/** The text of a field; null counts as empty. */
function textIn(fields: Fields, column: string): string | ValueError {
  const value = valueNamed(fields, column);
  if (value === undefined) return new ValueError('it is missing');
  return value === null ? '' : textOf(value);
}

/** Returns the recipient of a row. */
async function recipientIn(
  { map = [], country }: MessageMappingOptions,
  { fields: columns }: Columns,
): Promise<(fields: Fields) => string | ValueError> {
  const [{ from: named } = { from: undefined }] = map;
  const fixed = columns ? phoneColumnIn(columns, named) : named;
  const read = await openRowPhones(country);
  return (fields) => {
    const column = fixed ?? phoneField(fields);
    if (column instanceof ValueError) return column;
    const text = textIn(fields, column);
    if (text === '') return new ValueError(`${fieldName(column)}: it is empty`);
    const number = text instanceof ValueError ? text : read(text, fields);
    return number instanceof ValueError ? new ValueError(`${fieldName(column)}: ${number.why}`) : number;
  };
}

/** The column of the phones: the named one, or the one with a usual name. */
export function phoneColumnIn(columns: readonly string[], named?: string): string {
  // An empty input has no rows either.
  if (columns.length === 0) return 'phone';
  if (named !== undefined) return requireColumn('--map', named, columns);
  const [found, another] = phoneColumns(columns);
  if (found === undefined) throw noPhoneColumn(columns);
  if (another !== undefined) throw severalPhoneColumns(phoneColumns(columns));
  return found;
}

function phoneField(fields: Fields): string | ValueError {
  const [found, another] = phoneColumns(Object.keys(fields));
  if (found === undefined) return new ValueError('it has no phone; name its field: --map FIELD=phone');
  return another === undefined
    ? found
    : new ValueError(`the phone may be in ${found} or ${another}; choose one: --map FIELD=phone`);
}
