import { isRecord } from '../../contract/readers.ts';
import { isPlain } from '../names.ts';

export type Records = readonly Readonly<Record<string, unknown>>[];

/** The fields that records have and the JSON types of their values, never a value: `name?: string | null`. */
export function fieldsOf(records: Records): readonly string[] {
  const types = new Map<string, Set<string>>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    types.set(name, (types.get(name) ?? new Set()).add(typeName(value)));
  }
  const lines = [...types].map(([name, kinds]) => {
    const isAlways = records.every((record) => Object.hasOwn(record, name));
    return `${fieldName(name)}${isAlways ? '' : '?'}: ${[...kinds].sort().join(' | ')}`;
  });
  return [...new Set(lines)];
}

/** The names of an object's members; what is no plain name may well be somebody's number or address. */
export function fieldName(name: string): string {
  return /^[A-Za-z_$@-][\w$@.-]*$/.test(name) && isPlain(name) ? name : '(a name that is data)';
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** How a list of records is wrapped, and what stands beside it. */
export function wrappingOf(body: unknown, records: Records | undefined): readonly string[] {
  if (!isRecord(body)) return [Array.isArray(body) ? 'the array itself' : `a ${typeName(body)}`];
  const path = records && pathTo(body, records);
  const where = path === undefined ? [] : [`the records are at ${path.map((name) => `/${fieldName(name)}`).join('')}`];
  const beside = fieldsOf([body]).filter((line) => path === undefined || !line.startsWith(`${path[0]}:`));
  return ['an object', ...where, ...beside];
}

function pathTo(within: unknown, wanted: unknown): readonly string[] | undefined {
  if (within === wanted) return [];
  if (!isRecord(within)) return undefined;
  for (const [name, value] of Object.entries(within)) {
    const rest = pathTo(value, wanted);
    if (rest) return [name, ...rest];
  }
  return undefined;
}
