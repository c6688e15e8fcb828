import { type CliError, usage } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import { describe, fieldName, type Fields, type Mapped, quoted, ValueError } from '../input/row.ts';
import {
  columnNamed,
  type Columns,
  nearestName,
  noPhoneColumn,
  optionMistake,
  ownValue,
  requireColumn,
} from './columns.ts';
import { type FieldOrigin, type ContactMappingOptions, type Named, refuseConflicts } from './contact-options.ts';
import { countryColumn, type FieldMap, type TypedField } from './flags.ts';
import { openRowPhones, type RowPhoneReader } from './phones.ts';
import { type Converter, isPhoneName, toBoolean, toJson, toList, toNumber } from './values.ts';

/** Creates the mapping from rows to contact bodies; throws on unknown columns. */
export async function createContactMapping(
  options: ContactMappingOptions,
  { fields }: Columns,
): Promise<(fields: Fields) => Mapped> {
  if (!fields) return phoneNeeded(recordMapping(await createMapping(options)), isPhoneElsewhere(options));
  const named = withColumns(options, fields);
  const map = tableMapping(await createMapping(named), fields);
  return phoneNeeded(map, isPhoneElsewhere(named));
}

/** The options with the columns as the input spells them; throws if one is missing. */
function withColumns({ map = [], keep, ...options }: ContactMappingOptions, columns: readonly string[]) {
  const kept = keep?.map((name) => requireColumn('--keep', name, columns)) ?? columns;
  const named = {
    ...options,
    keep: kept,
    map: map.map(({ from, to }) => ({ from: requireColumn('--map', from, columns, map), to })),
  };
  const column = countryColumn(options.country);
  if (column !== undefined) requireColumn('--country', column, columns);
  const phone = columnNamed(phoneField, columns);
  const [isGiven, isElsewhere] = [hasOwnPhone(named), isPhoneElsewhere(named)];
  if (phone !== undefined && !named.map.some(({ from }) => from === phone))
    return isGiven || (isElsewhere && !kept.includes(phone))
      ? { ...named, keep: kept.filter((name) => name !== phone) }
      : { ...named, map: [...named.map, { from: phone, to: [phoneField] }] };
  if (!isGiven && !isElsewhere && columns.length > 0) throw noPhoneColumn(columns);
  return named;
}

const phoneField = 'phone';

/** Whether --map or --set gives the phone. */
function hasOwnPhone({ map = [], set = [] }: ContactMappingOptions): boolean {
  return [...map.map(({ to }) => to), ...set.map(({ key }) => key)].some((path) => path.join('.') === phoneField);
}

/** Whether --map sends phones in a field of another name only. */
function isPhoneElsewhere(options: ContactMappingOptions): boolean {
  const { map = [] } = options;
  return !hasOwnPhone(options) && map.some(({ to }) => isPhoneName(to.join('.')));
}

/** The options of a mapping, before the input is known. */
interface Mapping {
  readonly options: ContactMappingOptions;
  readonly maps: readonly FieldMap[];
  /** The fields of the input that are sent; undefined for all. */
  readonly kept: ReadonlySet<string> | undefined;
  readonly constants: readonly Step[];
  readonly conversions: ReadonlyMap<string, Converter>;
}

/** One value and its place in the body. */
interface Step {
  /** The field of the input, or the value of a constant. */
  readonly from: string;
  readonly path: readonly string[];
  /** The path in messages. */
  readonly field: string;
  readonly convert: Converter | undefined;
}

async function createMapping(options: ContactMappingOptions): Promise<Mapping> {
  const { map = [], keep } = options;
  const conversions = await conversionsOf(options);
  const kept = keep && new Set(keep);
  return { options, maps: map, kept, conversions, constants: constantsOf(options, conversions) };
}

function stepOf(mapping: Pick<Mapping, 'conversions'>, from: string, path: readonly string[]): Step {
  const field = path.join('.');
  return { from, path, field: fieldName(field), convert: mapping.conversions.get(field) };
}

/** Sets the value of a step in a body; returns the reason if it cannot. */
function setValue(body: Body, { path, field, convert }: Step, value: unknown, row: Fields): string | undefined {
  const sent = convertedBy(convert, value, row);
  if (sent instanceof ValueError) return `${field}: ${sent.why}`;
  return setAt(body, path, sent) ? undefined : `${field}: it, or a part of it, is given twice`;
}

/** Empty values are sent as they are. */
function convertedBy(convert: Converter | undefined, value: unknown, row: Fields): unknown {
  return convert && value !== '' && value !== null ? convert(value, row) : value;
}

/** The input fields without which an option has no effect, including unmapped ones. */
function neededInputs(options: ContactMappingOptions): readonly Named[] {
  const { map = [], set = [], type = [], keep = [], country } = options;
  const ofCountry = countryColumn(country);
  const given = new Set([...map.map(({ to }) => to.join('.')), ...set.map(({ key }) => key.join('.'))]);
  const fields = type.filter(({ field }) => !given.has(field));
  return [
    ...map.map(({ from }) => ['--map', from] as const),
    ...keep.map((name) => ['--keep', name] as const),
    ...fields.map(({ field }) => ['--type', field] as const),
    ...(ofCountry === undefined ? [] : [['--country', ofCountry] as const]),
  ];
}

function constantOrigin({ path }: Step): FieldOrigin {
  return { path, by: `--set ${path.join('.')}` };
}

async function conversionsOf(options: ContactMappingOptions): Promise<ReadonlyMap<string, Converter>> {
  const { type = [], country } = options;
  const toPhone = phoneConvert(await openRowPhones(country));
  return new Map([[phoneField, toPhone], ...type.map(({ field, type: to }) => [field, converters[to]] as const)]);
}

const converters: Readonly<Record<TypedField['type'], Converter>> = {
  number: toNumber,
  boolean: toBoolean,
  json: toJson,
  list: toList(','),
  'list:semicolon': toList(';'),
  'list:pipe': toList('|'),
};

function phoneConvert(read: RowPhoneReader): Converter {
  return (value, row) => {
    if (typeof value === 'string') return read(value, row);
    const isNumber = typeof value === 'number' || typeof value === 'bigint';
    return isNumber ? read(String(value), row) : new ValueError(`${describe(value)} is not a phone number`);
  };
}

/** Sorted, so that the order of flags does not change bodies. */
function constantsOf(options: ContactMappingOptions, conversions: Mapping['conversions']): readonly Step[] {
  const { set = [] } = options;
  const steps = set.map(({ key, value }) => stepOf({ conversions }, value, key));
  for (const step of steps) {
    const trouble = setValue({}, step, step.from, {});
    if (trouble !== undefined) throw usage(`--set ${trouble}`, 'give a value that can be read');
  }
  return steps.sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** Maps the rows of a table, with steps derived from its header. Empty cells are omitted. */
function tableMapping(mapping: Mapping, headers: readonly string[]): (fields: Fields) => Mapped {
  const steps = headers.flatMap((header) => stepsFrom(mapping, header));
  refuseConflicts([...steps.map(columnOrigin), ...mapping.constants.map(constantOrigin)]);
  const fields = [...steps, ...mapping.constants].map(({ path }) => path.join('.'));
  for (const { field } of mapping.options.type ?? [])
    if (!fields.includes(field)) throw noField('--type', field, mapping, fields);
  return (row) => bodyOfRow(row, steps, mapping.constants);
}

function bodyOfRow(row: Fields, steps: readonly Step[], constants: readonly Step[]): Mapped {
  const body: Body = {};
  let isEmpty = true;
  for (const step of steps) {
    const cell = ownValue(row, step.from);
    if (cell === undefined || cell === '') continue;
    const reason = setValue(body, step, cell, row);
    if (reason !== undefined) return { reason };
    isEmpty = false;
  }
  if (isEmpty) return { reason: 'all cells to be sent are empty' };
  return withConstants(body, constants, row);
}

function stepsFrom(mapping: Mapping, header: string): readonly Step[] {
  const maps = mapping.maps.filter(({ from }) => from === header);
  if (maps.length > 0) return maps.map(({ to }) => stepOf(mapping, header, to));
  return mapping.kept?.has(header) === false ? [] : [stepOf(mapping, header, pathOf(header))];
}

/** Dots nest, as in flags. */
function pathOf(header: string): readonly string[] {
  const parts = header.split('.');
  return parts.includes('') ? [header] : parts;
}

function columnOrigin({ from, path }: Step): FieldOrigin {
  return { path, by: `the column ${quoted(from)}` };
}

interface Parts {
  readonly mapping: Mapping;
  readonly steps: readonly Step[];
  /** The input fields that are not sent under their own name. */
  readonly taken: ReadonlySet<string>;
  /** The body fields that also get parts from other fields. */
  readonly shared: ReadonlySet<string>;
}

/** Maps records, each with its own fields. Null and empty texts are sent unchanged. */
function recordMapping(mapping: Mapping): (fields: Fields) => Mapped {
  const steps = mapping.maps.map(({ from, to }) => stepOf(mapping, from, to));
  const own = hasOwnPhone(mapping.options) ? [phoneField] : [];
  const taken = new Set([...mapping.maps.map(({ from }) => from), ...own]);
  const nested = [...steps, ...mapping.constants].filter(({ path }) => path.length > 1);
  const parts = { mapping, steps, taken, shared: new Set(nested.map(({ path }) => path[0] ?? '')) };
  const fields = [...steps, ...mapping.constants].map(({ path }) => path.join('.'));
  for (const [flag, field] of neededInputs(mapping.options))
    if (flag === '--type' && (taken.has(field) || mapping.kept?.has(field) === false))
      throw noField(flag, field, mapping, fields);
  return (record) => bodyOfRecord(record, parts);
}

function bodyOfRecord(record: Fields, { mapping, steps, taken, shared }: Parts): Mapped {
  const body: Body = {};
  let isEmpty = true;
  for (const name of Object.keys(record)) {
    const field = name.toLowerCase() === phoneField && !Object.hasOwn(record, phoneField) ? phoneField : name;
    if (taken.has(name) || (mapping.kept?.has(name) === false && field !== phoneField)) continue;
    const value = convertedBy(mapping.conversions.get(field), record[name], record);
    if (value instanceof ValueError) return { reason: `${fieldName(field)}: ${value.why}` };
    // Copied before other fields are added to it: the original record may still be written to a file.
    setField(body, field, shared.has(name) && isRecord(value) ? structuredClone(value) : value);
    isEmpty = false;
  }
  for (const step of steps) {
    if (!Object.hasOwn(record, step.from)) continue;
    const reason = setValue(body, step, record[step.from], record);
    if (reason !== undefined) return { reason };
    isEmpty = false;
  }
  return isEmpty ? { reason: 'it has no field to send' } : withConstants(body, mapping.constants, record);
}

function withConstants(body: Body, constants: readonly Step[], row: Fields): Mapped {
  for (const constant of constants) {
    const reason = setValue(body, constant, constant.from, row);
    if (reason !== undefined) return { reason };
  }
  return { body };
}

type Body = Record<string, unknown>;

/** Sets an own field, even if it is named `__proto__`. */
function setField(body: Body, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
  else body[name] = value;
}

/** Sets the value at a path, creating objects on the way; returns false if another value is there. */
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

/** A contact needs a phone, unless its field has another name. */
function phoneNeeded(map: (fields: Fields) => Mapped, isElsewhere: boolean): typeof map {
  if (isElsewhere) return map;
  return (fields) => {
    const mapped = map(fields);
    if ('reason' in mapped || (isRecord(mapped.body) && mapped.body[phoneField])) return mapped;
    return { reason: 'phone: it is empty' };
  };
}

/** Tracks which fields named by flags occur in the records. */
interface FieldUsage {
  readonly see: (fields: Fields) => void;
  /** Call after the last record; throws if a field occurred in none. */
  readonly refuseUnseen: () => void;
}

// Enough names for suggestions.
const mostKnown = 200;

/**
 * Records may lack any field, so a mistyped name is noticed only after all records were read, which is before anything
 * is sent. Tables do not need this.
 */
export function createFieldUsage(options: ContactMappingOptions): FieldUsage {
  const unseen = new Map(neededInputs(options).map(([flag, name]) => [name, flag]));
  const known = new Set<string>();
  let isEmpty = true;
  return {
    see(fields) {
      isEmpty = false;
      if (unseen.size === 0) return;
      for (const name of unseen.keys()) if (Object.hasOwn(fields, name)) unseen.delete(name);
      if (known.size < mostKnown) for (const name of Object.keys(fields).slice(0, mostKnown)) known.add(name);
    },
    refuseUnseen() {
      for (const [name, flag] of unseen) if (!isEmpty) throw noRecordField(flag, name, [...known], options.map);
    },
  };
}

type Maps = readonly FieldMap[] | undefined;

/** The error for a name that occurs in no record. */
function noRecordField(flag: string, name: string, seen: readonly string[], maps?: Maps): CliError {
  const hint = optionMistake(flag, name, seen, maps) ?? nearestName(name, seen, 'field');
  return usage(`${flag} names ${quoted(name)}, but no record of the input has it`, hint);
}

/** The error for a name that is not a field of the body. */
function noField(flag: string, name: string, mapping: Mapping, fields: readonly string[]): CliError {
  const moved = mapping.maps.find(({ from }) => from === name);
  const to = moved && fieldName(moved.to.join('.'));
  if (to) return usage(`${flag} names ${quoted(name)}, which --map sends as ${to}`, `use ${flag} ${to}`);
  return usage(
    `${flag} names ${quoted(name)}, but no such field is sent`,
    optionMistake(flag, name, fields) ?? nearestName(name, fields, 'field'),
  );
}

/** Detects cells that contain JSON, as in exports; they would be sent as text. */
interface JsonTextCheck {
  readonly see: (body: object) => void;
  /** The affected fields of the body, as flags name them. */
  readonly fields: () => readonly string[];
}

/** The number of rows to look at. */
const mostSeen = 100;

export function createJsonTextCheck(): JsonTextCheck {
  const found = new Set<string>();
  let count = 0;
  return {
    see(body) {
      if (count++ < mostSeen) for (const field of fieldsIn(body, [])) found.add(field);
    },
    fields: () => [...found],
  };
}

function fieldsIn(part: object, path: readonly string[]): readonly string[] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (isRecord(value)) return fieldsIn(value, [...path, name]);
    return typeof value === 'string' && isJson(value) ? [[...path, name].join('.')] : [];
  });
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
