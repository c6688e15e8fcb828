/** Converts untrusted data to a typed value, or throws a Mismatch with the place. */
export type Reader<T> = (value: unknown, at?: string) => T;

/** `at` is a JSON pointer into the value. */
export class Mismatch extends Error {
  readonly at: string;

  constructor(at: string, message: string) {
    super(message);
    this.name = 'Mismatch';
    this.at = at;
  }
}

/** Passes the value through: the document does not define its shape, so nothing may depend on it. */
export function notShown(value: unknown): unknown {
  return value;
}

export function string(value: unknown, at = ''): string {
  if (typeof value !== 'string') throw new Mismatch(at, `must be a string, not ${kindOf(value)}`);
  return value;
}

export function boolean(value: unknown, at = ''): boolean {
  if (typeof value !== 'boolean') throw new Mismatch(at, 'must be true or false');
  return value;
}

/** An identifier, which must not be empty. */
export function id(value: unknown, at = ''): string {
  const text = string(value, at);
  if (text === '') throw new Mismatch(at, 'is empty');
  return text;
}

export function phone(value: unknown, at = ''): string {
  const text = string(value, at);
  if (!isPhone(text)) throw new Mismatch(at, 'must be "+" followed by digits');
  return text;
}

/** §2: `+` and digits. The document has no other rule. */
export function isPhone(text: string): boolean {
  return /^\+[0-9]+$/.test(text);
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (value, at = '') => {
    const word = words.find((word) => word === value);
    if (word === undefined) throw new Mismatch(at, `must be one of ${words.join(', ')}`);
    return word;
  };
}

export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, at = '') => {
    if (!Array.isArray(value)) throw new Mismatch(at, `must be an array, not ${kindOf(value)}`);
    return value.map((element: unknown, index) => item(element, `${at}/${index}`));
  };
}

/** A field that may be missing. */
export interface Optional<T> extends Reader<T | undefined> {
  readonly optional: true;
}

export function optional<T>(reader: Reader<T>): Optional<T> {
  const read: Reader<T | undefined> = (value, at) => (value === undefined ? undefined : reader(value, at));
  return Object.assign(read, { optional: true } as const);
}

export type Readers = Readonly<Record<string, Reader<unknown>>>;
type OptionalName<S extends Readers> = { [K in keyof S]: S[K] extends Optional<unknown> ? K : never }[keyof S];
export type Fields<S extends Readers> = { readonly [K in Exclude<keyof S, OptionalName<S>>]: ReturnType<S[K]> } & {
  readonly [K in OptionalName<S>]?: ReturnType<S[K]>;
};

/** Reads an object with at least these fields. Other fields pass through `rest`; without it they are dropped. */
export function object<S extends Readers>(shape: S, rest?: typeof notShown): Reader<Fields<S>>;
export function object(shape: Readers, rest?: typeof notShown): Reader<object> {
  const readers = Object.entries(shape);
  return (value, at = '') => {
    if (!isRecord(value)) throw new Mismatch(at, `must be an object, not ${kindOf(value)}`);
    const fields: Record<string, unknown> = rest ? { ...value } : {};
    for (const [name, read] of readers) {
      if (value[name] !== undefined) fields[name] = read(value[name], `${at}/${name}`);
      else if (!('optional' in read)) throw new Mismatch(`${at}/${name}`, 'is missing');
    }
    return fields;
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'a number';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`.replace(/^a (?=[aeiou])/, 'an ');
}
