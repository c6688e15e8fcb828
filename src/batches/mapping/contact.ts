import { usage } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import type { Fields } from '../input/row.ts';
import { quoted } from '../quoted.ts';
import { columnNamed, isPhoneName, nearestName, requireColumn, unclearPhoneColumn } from './columns.ts';
import { countryColumn, type FieldMap, type TypedField } from './flags.ts';
import { type Mapped, type Mapper, ValueError } from './mapped.ts';
import { type PhoneOfRow, phoneReader } from './phones.ts';
import { fieldName, toBoolean, toJson, toList, toNumber, unpacked } from './values.ts';

/**
 * How a row becomes a contact. A column is the field of its name unless it is mapped. With `keep`, only these columns,
 * mapped ones and the phone are sent. `type` names fields of the body.
 */
export interface ContactOptions {
  readonly map: readonly FieldMap[];
  readonly set: readonly Constant[];
  readonly type: readonly TypedField[];
  readonly keep: readonly string[] | undefined;
  /** Of national numbers: a code, `intl` or `:column`. */
  readonly country: string | undefined;
}

/** A field with the same value in every body. */
interface Constant {
  readonly path: readonly string[];
  readonly text: string;
}

interface Plan extends ContactOptions {
  readonly toPhone: PhoneOfRow;
  readonly isTable: boolean;
  /** The document does not name the fields of a contact: a mapped phone may have another name. */
  readonly needsPhone: boolean;
}

/** A column or constant, and its place in the body. */
interface Place {
  /** Undefined for a constant. */
  readonly column?: string;
  readonly path: readonly string[];
}

interface Step extends Place {
  /** Undefined if there is nothing to send. */
  read(fields: Fields): unknown;
}

const phoneField = 'phone';

/** Creates the mapping from rows to contacts; throws if a table lacks a column. */
export async function contactMapper(options: ContactOptions, columns: readonly string[] | undefined): Promise<Mapper> {
  const targets = [...options.map.map(({ to }) => to), ...options.set.map(({ path }) => path)].map(dotted);
  const needsPhone = targets.includes(phoneField) || !targets.some(isPhoneName);
  const toPhone = await phoneReader(options.country);
  const plan = { ...options, toPhone, needsPhone, isTable: columns !== undefined };
  if (columns) {
    const steps = stepsOfTable(columns, plan);
    return (fields) => contactOf(fields, steps, plan);
  }
  return (fields) => contactOf(fields, stepsOf(Object.keys(fields), plan), plan);
}

function stepsOfTable(columns: readonly string[], plan: Plan): readonly Step[] {
  const country = countryColumn(plan.country);
  if (country !== undefined) requireColumn('--country', country, columns);
  const steps = stepsOf(columns, plan);
  if (plan.needsPhone && !steps.some(({ path }) => dotted(path) === phoneField)) throw unclearPhoneColumn(columns);
  refuseConflicts(steps);
  return steps;
}

/** The phone comes first, and the order of columns does not change a body. */
function stepsOf(columns: readonly string[], plan: Plan): readonly Step[] {
  const places = [...placesOf(columns, plan), ...plan.set];
  const types = typesOf(places, plan);
  const steps = places.map((place) =>
    'text' in place ? constantStep(place, plan, types) : columnStep(place, plan, types),
  );
  const order = ({ path }: Step) => (dotted(path) === phoneField ? '' : dotted(path));
  return steps.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

interface ColumnPlace extends Place {
  readonly column: string;
}

function placesOf(columns: readonly string[], plan: Plan): readonly ColumnPlace[] {
  const { map, set, keep, isTable } = plan;
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

const dotted = (path: readonly string[]) => path.join('.');

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

function typesOf(places: readonly Place[], { type, isTable }: Plan): Types {
  const sent = places.map(({ path }) => dotted(path));
  const types = new Map<string, Converter>();
  for (const { field, type: word } of type) {
    const name = columnNamed(field, sent);
    if (name !== undefined) types.set(name, converters[word]);
    else if (isTable)
      throw usage(`--type names ${quoted(field)}, but no such field is sent`, nearestName(field, sent, 'field'));
  }
  return types;
}

function columnStep({ column, path }: ColumnPlace, { toPhone, isTable }: Plan, types: Types): Step {
  const valueOf = (fields: Fields) => (Object.hasOwn(fields, column) ? fields[column] : undefined);
  if (dotted(path) === phoneField) return { column, path, read: (fields) => toPhone(valueOf(fields), fields) };
  const convert = types.get(dotted(path)) ?? ((value) => value);
  const read = (fields: Fields) => {
    const value = valueOf(fields);
    if (isTable) return value === '' || value === undefined ? undefined : convert(unpacked(value));
    // Other fields may be added to an object, and the row is stored, too.
    return value === '' || value === null ? value : convert(isRecord(value) ? structuredClone(value) : value);
  };
  return { column, path, read };
}

function constantStep({ path, text }: Constant, { toPhone }: Plan, types: Types): Step {
  const field = dotted(path);
  const convert = field === phoneField ? (value: unknown) => toPhone(value, {}) : types.get(field);
  const value = convert && text !== '' ? convert(text) : text;
  if (value instanceof ValueError) throw usage(`--set ${field}: ${value.why}`, 'give a value that can be read');
  return { path, read: () => value };
}

function contactOf(fields: Fields, steps: readonly Step[], { needsPhone }: Plan): Mapped {
  const body: Body = {};
  const problems: string[] = [];
  let isEmpty = true;
  for (const { column = '--set', path, read } of steps) {
    const value = read(fields);
    if (value instanceof ValueError) problems.push(`${fieldName(column)}: ${value.why}`);
    else if (value !== undefined && !setAt(body, path, value))
      problems.push(`${fieldName(column)}: the field ${dotted(path)} has a value already`);
    else if (value !== undefined && column !== '--set') isEmpty = false;
  }
  const phone = typeof body[phoneField] === 'string' && body[phoneField] !== '' ? body[phoneField] : undefined;
  if (phone === undefined && needsPhone) problems.push(`${phoneField}: it is missing`);
  if (isEmpty) problems.push('it has nothing to send');
  const [problem] = problems;
  return problem === undefined ? { phone, per: '', body: jsonText(body) } : { phone, per: '', body: '', problem };
}

type Body = Record<string, unknown>;

/** Sets the value at a path, and creates objects on the way; returns false if another value is there. */
function setAt(body: Body, path: readonly string[], value: unknown, from = 0): boolean {
  const name = path[from] ?? '';
  const isTaken = Object.hasOwn(body, name);
  if (from + 1 >= path.length) {
    if (!isTaken) setField(body, name, value);
    return !isTaken;
  }
  const inner = isTaken ? body[name] : {};
  if (!isRecord(inner)) return false;
  if (!isTaken) setField(body, name, inner);
  return setAt(inner, path, value, from + 1);
}

/** Sets a field of its own, even if it is named `__proto__`. */
function setField(body: Body, name: string, value: unknown): void {
  if (name !== '__proto__') body[name] = value;
  else Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Refuses two columns for the same field, or for a field and a part of it. */
function refuseConflicts(places: readonly Place[]): void {
  const byField = new Map<string, Place>();
  for (const place of places) {
    const wholes = place.path.map((_, at) => dotted(place.path.slice(0, at + 1)));
    const whole = wholes.find((field) => byField.has(field));
    const other = whole === undefined ? undefined : byField.get(whole);
    if (whole !== undefined && other) throw conflict(other, place, whole);
    byField.set(dotted(place.path), place);
  }
}

function conflict(place: Place, other: Place, field: string): Error {
  const part = dotted(other.path) === field ? '' : ' and a part of it';
  return usage(
    `${originOf(place)} and ${originOf(other)} both give the field ${fieldName(field)}${part}`,
    'leave one out; --keep names the columns to import',
  );
}

function originOf({ column, path }: Place): string {
  return column === undefined ? `--set ${dotted(path)}` : `the column ${quoted(column)}`;
}
