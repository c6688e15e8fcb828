import { usage } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import { type Fields, type Names, quoted } from '../input/row.ts';
import { columnNamed, isPhoneName, nearestName, requireColumn, unclearPhoneColumn } from './columns.ts';
import { countryColumn, type FieldMap, type TypedField } from './flags.ts';
import {
  fieldName,
  type Mapped,
  type Mapper,
  type PhoneOfRow,
  phoneReader,
  toBoolean,
  toJson,
  toList,
  toNumber,
  unpacked,
  ValueError,
} from './values.ts';

/**
 * How a row becomes a contact. A column is the field of its name unless it is mapped. With `keep`, only these columns,
 * mapped ones and the phone are sent. `type` names fields of the body.
 */
export interface ContactOptions {
  readonly map: readonly FieldMap[];
  /** Fields with the same value in every body. */
  readonly set: readonly { readonly path: readonly string[]; readonly text: string }[];
  readonly type: readonly TypedField[];
  readonly keep: readonly string[] | undefined;
  /** Of national numbers: a code, `intl` or `:column`. */
  readonly country: string | undefined;
}

interface Plan extends ContactOptions {
  readonly toPhone: PhoneOfRow;
  readonly isTable: boolean;
  /** The document does not name the fields of a contact: a mapped phone may have another name. */
  readonly needsPhone: boolean;
}

/** A place in the body, and what it gets: the value of a column, or a constant. */
interface Step {
  readonly column?: string;
  readonly field: string;
  readonly path: readonly string[];
  /** Undefined if there is nothing to send. */
  read(fields: Fields): unknown;
}

const phoneField = 'phone';
const dotted = (path: readonly string[]) => path.join('.');

/** Creates the mapping from rows to contacts; throws if the input lacks a column. */
export async function contactMapper(options: ContactOptions, { columns, isTable }: Names): Promise<Mapper> {
  const targets = [...options.map.map(({ to }) => to), ...options.set.map(({ path }) => path)].map(dotted);
  const needsPhone = targets.includes(phoneField) || !targets.some(isPhoneName);
  const toPhone = await phoneReader(options.country);
  const plan = { ...options, toPhone, needsPhone, isTable };
  const country = countryColumn(plan.country);
  if (country !== undefined) requireColumn('--country', country, columns);
  const steps = stepsOf(columns, { ...plan, isTable: true });
  if (needsPhone && !steps.some(({ field }) => field === phoneField)) throw unclearPhoneColumn(columns);
  return (fields) => contactOf(fields, isTable ? steps : stepsOf(Object.keys(fields), plan), plan);
}

/** The phone comes first, and the order of columns does not change a body. */
function stepsOf(columns: readonly string[], plan: Plan): readonly Step[] {
  const places = placesOf(columns, plan);
  const types = typesOf(
    [...places, ...plan.set].map(({ path }) => dotted(path)),
    plan,
  );
  const steps = [
    ...places.map(({ column, path }) => columnStep(column, path, plan, types)),
    ...plan.set.map(({ path, text }) => constantStep(path, text, plan, types)),
  ];
  const order = ({ field }: Step) => (field === phoneField ? '' : field);
  return steps.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

function placesOf(columns: readonly string[], { map, set, keep, isTable }: Plan) {
  // A record may lack any field.
  const name = (option: string, text: string) =>
    isTable ? requireColumn(option, text, columns) : columnNamed(text, columns);
  const maps = map.map(({ from, to }) => ({ column: name('--map', from), to }));
  const kept = keep && new Set(keep.map((text) => name('--keep', text)));
  const used = maps.filter(({ column }) => column !== undefined);
  const hasPhone = [...used.map(({ to }) => to), ...set.map(({ path }) => path)].map(dotted).includes(phoneField);
  const phoneColumn = columnNamed(phoneField, columns);
  return columns.flatMap((column) => {
    const mapped = maps.filter((other) => other.column === column);
    if (mapped.length > 0) return mapped.map(({ to }) => ({ column, path: to }));
    if (column === phoneColumn) return hasPhone ? [] : [{ column, path: [phoneField] }];
    return kept?.has(column) === false ? [] : [{ column, path: isTable ? pathOf(column) : [column] }];
  });
}

/** Dots nest, as in options. A record nests its fields itself. */
function pathOf(column: string): readonly string[] {
  const parts = column.split('.');
  return parts.includes('') ? [column] : parts;
}

/** Converts a value, or returns the reason why it cannot. */
type Converter = (value: unknown) => unknown;
type Types = ReadonlyMap<string, Converter>;

const converters: Readonly<Record<TypedField['type'], Converter>> = {
  number: toNumber,
  boolean: toBoolean,
  json: toJson,
  list: toList(','),
  'list:semicolon': toList(';'),
};

function typesOf(sent: readonly string[], { type, isTable }: Plan): Types {
  const types = new Map<string, Converter>();
  for (const { field, type: word } of type) {
    const name = columnNamed(field, sent);
    if (name !== undefined) types.set(name, converters[word]);
    else if (isTable)
      throw usage(`--type names ${quoted(field)}, but no such field is sent`, nearestName(field, sent, 'field'));
  }
  return types;
}

function columnStep(column: string, path: readonly string[], { toPhone, isTable }: Plan, types: Types): Step {
  const field = dotted(path);
  const convert = types.get(field) ?? ((value) => value);
  const read = (fields: Fields) => {
    const value = Object.hasOwn(fields, column) ? fields[column] : undefined;
    if (field === phoneField) return toPhone(value, fields);
    if (isTable) return value === '' || value === undefined ? undefined : convert(unpacked(value));
    // Other fields may be added to an object, and the row is stored, too.
    return value === '' || value === null ? value : convert(isRecord(value) ? structuredClone(value) : value);
  };
  return { column, field, path, read };
}

function constantStep(path: readonly string[], text: string, { toPhone }: Plan, types: Types): Step {
  const field = dotted(path);
  const convert = field === phoneField ? (value: unknown) => toPhone(value, {}) : types.get(field);
  const value = convert && text !== '' ? convert(text) : text;
  if (value instanceof ValueError) throw usage(`--set ${field}: ${value.why}`, 'give a value that can be read');
  return { field, path, read: () => value };
}

function contactOf(fields: Fields, steps: readonly Step[], { needsPhone }: Plan): Mapped {
  const body: Record<string, unknown> = {};
  const problems: string[] = [];
  let isEmpty = true;
  for (const { column = '--set', field, path, read } of steps) {
    const value = read(fields);
    if (value instanceof ValueError) problems.push(`${fieldName(column)}: ${value.why}`);
    else if (value !== undefined && !setAt(body, path, value))
      problems.push(`${fieldName(column)}: the field ${field} has a value already; --keep names the columns to import`);
    else if (value !== undefined && column !== '--set') isEmpty = false;
  }
  const phone = typeof body[phoneField] === 'string' && body[phoneField] !== '' ? body[phoneField] : undefined;
  if (phone === undefined && needsPhone) problems.push(`${phoneField}: it is missing`);
  if (isEmpty) problems.push('it has nothing to send');
  const [problem] = problems;
  return problem === undefined ? { phone, per: '', body: jsonText(body) } : { phone, per: '', body: '', problem };
}

/** Sets the value at a path, and creates objects on the way; returns false if another value is there. */
function setAt(body: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): boolean {
  const isTaken = Object.hasOwn(body, name);
  if (rest.length === 0 && isTaken) return false;
  const inner = isTaken ? body[name] : rest.length === 0 ? value : {};
  // A field of its own, even if it is named `__proto__`.
  Object.defineProperty(body, name, { value: inner, enumerable: true, configurable: true, writable: true });
  return rest.length === 0 || (isRecord(inner) && setAt(inner, rest, value));
}
