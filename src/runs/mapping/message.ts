import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { fieldName, type Fields, type Mapped, ValueError } from '../input/row.ts';
import { type Columns, nameList, noColumn, ownValue } from './contact.ts';
import { createPhoneReader, internationalPhone, type PhoneRepairs, textOf } from './values.ts';

/** Options for mapping a row to the body of a message. */
export interface MessageMappingOptions extends RecipientOptions {
  readonly template: string;
  /** In the order of the command line. */
  readonly params: readonly ParamSource[];
  /** From `--per`. */
  readonly perColumns?: readonly string[];
  /** Allow empty params. */
  readonly allowEmpty?: boolean;
}

/** A param from a column, or the same for all rows. */
export type ParamSource =
  | { readonly column: string }
  /** `isWord`: given as --param=VALUE, so that it cannot mean the column of that name. */
  | { readonly value: string; readonly isWord: boolean };

type ParamReader = (fields: Fields) => string | ValueError;

/** Creates the mapping from rows to message bodies; throws on unknown columns. */
export async function createMessageMapping(
  options: MessageMappingOptions,
  source: Columns,
): Promise<(fields: Fields) => Mapped> {
  const recipient = await recipientIn(options, source);
  const params = options.params.map((param, index) => paramReader(param, index + 1, options));
  const { perColumns = [] } = options;
  const unknown = perColumns.find((name) => source.fields?.includes(name) === false);
  if (unknown !== undefined) throw noColumn('--per', unknown, source.fields ?? []);
  for (const param of options.params) {
    if ('column' in param && source.fields?.includes(param.column) === false)
      throw noColumn('--param-column', param.column, source.fields);
    if ('value' in param && !param.isWord && source.fields?.includes(param.value)) throw namesColumn(param.value);
  }
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

function namesColumn(name: string): CliError {
  const text = shellQuote(name);
  const hint = `to send the value of the column: --param-column ${text}; to send the word itself: --param=${text}`;
  return usage(
    `-p ${text} would send the word "${name}" to each recipient, and the input has a column "${name}"`,
    hint,
  );
}

/** Refuses options that are wrong for any input. */
export function checkMessageMapping({ params, allowEmpty = false }: MessageMappingOptions): void {
  const empty = params.findIndex((param) => 'value' in param && param.value === '');
  if (empty !== -1 && !allowEmpty) throw usage(`param ${empty + 1} is empty`, 'add --allow-empty if that is intended');
}

function paramReader(param: ParamSource, place: number, { allowEmpty = false }: MessageMappingOptions): ParamReader {
  if ('value' in param) return () => param.value;
  const { column } = param;
  const where = `param ${place}, ${fieldName(column)}`;
  return (fields) => {
    const text = textIn(fields, column);
    if (text === '' && !allowEmpty) return new ValueError(`${where}: it is empty`);
    return text instanceof ValueError ? new ValueError(`${where}: ${text.why}`) : text;
  };
}

/** The text of a field; null counts as empty. */
function textIn(fields: Fields, column: string): string | ValueError {
  const value = ownValue(fields, column);
  if (value === undefined) return new ValueError('it is missing');
  return value === null ? '' : textOf(value);
}

interface RecipientOptions {
  /** The field with the recipient; default: `to`, then `phone`. */
  readonly toColumn?: string;
  /** Normalizes the recipient's number; the country is for numbers without a country code. */
  readonly phone?: { readonly country?: string; readonly repairs?: PhoneRepairs };
}

const usual = ['to', 'phone'] as const;

/** Returns the recipient of a row. */
async function recipientIn(
  { toColumn, phone }: RecipientOptions,
  { fields: headers }: Columns,
): Promise<(fields: Fields) => string | ValueError> {
  const fixed = headers ? columnOf(toColumn, headers) : toColumn;
  const read = phone ? await createPhoneReader(phone.country, phone.repairs) : internationalPhone;
  return (fields) => {
    const column = fixed ?? usualIn(fields);
    if (column instanceof ValueError) return column;
    const text = textIn(fields, column);
    if (text === '') return new ValueError(`${fieldName(column)}: it is empty`);
    const number = text instanceof ValueError ? text : read(text);
    return number instanceof ValueError ? new ValueError(`${fieldName(column)}: ${number.why}`) : number;
  };
}

function columnOf(toColumn: string | undefined, headers: readonly string[]): string {
  // An empty input has no rows either.
  if (headers.length === 0) return usual[0];
  if (toColumn === undefined) return usualOf(headers);
  if (!headers.includes(toColumn)) throw noColumn('--to-column', toColumn, headers);
  return toColumn;
}

function usualOf(headers: readonly string[]): string {
  const [found, another] = usual.filter((name) => headers.includes(name));
  if (found === undefined && headers.some((name) => /^\d{7,}(?:\.0)?$/.test(name)))
    throw usage(
      'no column is named to or phone, and the first line has a number',
      'if it is not a header line, name the columns: --fields phone,name',
    );
  if (found === undefined)
    throw usage(
      'no column is named to or phone',
      `name the recipient's with --to-column; ${nameList(headers, 'column')}`,
    );
  if (another !== undefined)
    throw usage('the columns to and phone could both be the recipient', 'choose one with --to-column');
  return found;
}

function usualIn(fields: Fields): string | ValueError {
  const [found, another] = usual.filter((name) => Object.hasOwn(fields, name));
  if (found === undefined) return new ValueError('it has neither to nor phone; name the recipient with --to-column');
  return another === undefined ? found : new ValueError('it has both to and phone; choose one with --to-column');
}
