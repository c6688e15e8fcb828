import { usage } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import type { Fields } from '../input/row.ts';
import {
  columnNamed,
  isSameName,
  requireColumn,
  unclearPhoneColumn,
  usualPhoneColumns,
  valueNamed,
} from './columns.ts';
import { countryColumn, type Default, type ParamSource } from './flags.ts';
import { cellText, fieldName, type Mapper, perValue, phoneReader, ValueError } from './values.ts';

export interface MessageOptions {
  readonly template: string;
  /** The column of `--per`, or ''. */
  readonly per: string;
  /** The variables in order. */
  readonly params: readonly ParamSource[];
  readonly defaults: readonly Default[];
  /** The column of the phones; undefined for one with a usual name. */
  readonly phone: string | undefined;
  /** Of national numbers: a code, `intl` or `:column`. */
  readonly country: string | undefined;
}

type TextReader = (fields: Fields) => string | ValueError;

/** Creates the mapping from rows to messages; throws if the input lacks a column. */
export async function messageMapper(typed: MessageOptions, columns: readonly string[]): Promise<Mapper> {
  const options = spelledAs(columns, typed);
  const { template, per: perColumn, phone } = options;
  const read = await phoneReader(options.country);
  const params = options.params.map((param, at) => paramReader(param, at + 1, options.defaults));
  const occasion: TextReader = (fields) =>
    perColumn === '' ? '' : named(`--per, ${fieldName(perColumn)}`, perValue(valueNamed(fields, perColumn)));
  return (fields) => {
    const to = named(fieldName(phone), read(valueNamed(fields, phone), fields));
    const texts = params.map((read) => read(fields));
    const per = occasion(fields);
    const fault = [to, ...texts, per].find((text) => text instanceof ValueError);
    return {
      // A row that fails keeps its person, so that a corrected one replaces it.
      phone: to instanceof ValueError ? undefined : to,
      per: per instanceof ValueError ? '' : per,
      body: fault ? '' : jsonText({ to, template, params: texts }),
      problem: fault?.why,
    };
  };
}

/** The options with the names of columns as the input spells them. */
function spelledAs(columns: readonly string[], options: MessageOptions) {
  const { params, defaults, per, phone } = options;
  const spelled = (option: string, name: string) => requireColumn(option, name, columns);
  const country = countryColumn(options.country);
  return {
    ...options,
    params: params.map((param) => {
      if ('column' in param) return { column: spelled('-p', param.column) };
      if (columnNamed(param.text, columns) === undefined) return param;
      throw namesColumn(param.text);
    }),
    defaults: defaults.map(({ column, text }) => ({ column: spelled('--default', column), text })),
    per: per === '' ? '' : spelled('--per', per),
    country: country === undefined ? options.country : `:${spelled('--country', country)}`,
    phone: phoneColumnOf(columns, phone),
  };
}

function namesColumn(name: string): Error {
  return usage(
    `-p ${shellQuote(name)} would send the word "${name}" to each recipient, and the input has a column "${name}"`,
    `to send the value of the column: -p ${shellQuote(`:${name}`)}`,
  );
}

function paramReader(param: ParamSource, place: number, defaults: readonly Default[]): TextReader {
  if ('text' in param) return () => param.text;
  const { column } = param;
  const usual = defaults.findLast((other) => isSameName(other.column, column))?.text;
  const where = `param ${place}, ${fieldName(column)}`;
  return (fields) => {
    const value = valueNamed(fields, column);
    const isEmpty = value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
    if (isEmpty && usual !== undefined) return usual;
    return named(where, cellText(value));
  };
}

/** With the place in the reason. */
function named(where: string, text: string | ValueError): string | ValueError {
  return text instanceof ValueError ? new ValueError(`${where}: ${text.why}`) : text;
}

/** The column of the phones: the one that `--map` names, or one with a usual name. */
function phoneColumnOf(columns: readonly string[], phone: string | undefined): string {
  if (phone !== undefined) return requireColumn('--map', phone, columns);
  const [column, ...others] = usualPhoneColumns(columns);
  if (column === undefined || others.length > 0) throw unclearPhoneColumn(columns);
  return column;
}
