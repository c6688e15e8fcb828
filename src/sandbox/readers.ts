import { suggest } from '../base/suggest.ts';
import { eventNames, type EventName, isEventName } from '../contract/events.ts';
import { isRecord, Mismatch, type Reader } from '../contract/readers.ts';

/** A field that may be missing. */
export interface Optional<T> extends Reader<T | undefined> {
  readonly optional: true;
}

type Readers = Readonly<Record<string, Reader<unknown>>>;
type OptionalName<S extends Readers> = { [K in keyof S]: S[K] extends Optional<unknown> ? K : never }[keyof S];
type Fields<S extends Readers> = { readonly [K in Exclude<keyof S, OptionalName<S>>]: ReturnType<S[K]> } & {
  readonly [K in OptionalName<S>]?: ReturnType<S[K]>;
};

/** An object with these fields and no others: an unknown one is most likely a typo. */
export function fields<S extends Readers>(shape: S): Reader<Fields<S>>;
export function fields(shape: Readers): Reader<object> {
  return (value, at = '') => {
    if (!isRecord(value)) throw new Mismatch(at, 'must be an object');
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
    if (unknown !== undefined)
      throw new Mismatch(`${at}/${unknown}`, `is unknown${suggestion(unknown, Object.keys(shape))}`);
    const entries = Object.entries(shape).flatMap(([name, reader]) => {
      if (value[name] !== undefined) return [[name, reader(value[name], `${at}/${name}`)] as const];
      if ('optional' in reader) return [];
      throw new Mismatch(`${at}/${name}`, 'is missing');
    });
    return Object.fromEntries(entries);
  };
}

export function optional<T>(reader: Reader<T>): Optional<T> {
  const read: Reader<T | undefined> = (value, at) => (value === undefined ? undefined : reader(value, at));
  return Object.assign(read, { optional: true } as const);
}

export function number(least: number, most: number): Reader<number> {
  return (value, at = '') => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw new Mismatch(at, `must be a number from ${least} to ${most}`);
  };
}

export function integer(least = 0, most: number = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value, at = '') => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
    throw new Mismatch(at, `must be an integer${range}`);
  };
}

export function eventName(value: unknown, at = ''): EventName {
  if (isEventName(value)) return value;
  throw new Mismatch(at, `must be an event${suggestion(value, eventNames)}`);
}

/** `; did you mean "x"?`, or all names if none is similar. */
export function suggestion(value: unknown, names: readonly string[]): string {
  const near = suggest(String(value), names);
  return near === undefined ? `; known: ${names.join(', ')}` : `; did you mean "${near}"?`;
}

export function record(value: unknown, at = ''): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Mismatch(at, 'must be an object');
}
