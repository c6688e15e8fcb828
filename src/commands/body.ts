import { usage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

export interface Field {
  /** The part `[]` appends to a list. */
  readonly key: readonly string[];
  /** Undefined: an empty list. */
  readonly value: unknown;
}

type Fields = Map<string, unknown>;

/** Builds an object from fields with nested keys; refuses a key that is set twice. */
export function nested(fields: readonly Field[]): object {
  const root: Fields = new Map();
  for (const field of fields) {
    if (!insert(root, field.key, field.value))
      throw usage(`${field.key.join('.').replaceAll('.[]', '[]')} is given more than once`, 'key[]=value makes a list');
  }
  return Object(plain(root));
}

/** Returns false if the place is taken. */
function insert(into: Fields, [name = '', ...rest]: readonly string[], value: unknown): boolean {
  if (rest.length === 0) return !into.has(name) && into.set(name, value).size > 0;
  const inner = into.get(name) ?? (rest[0] === '[]' ? [] : new Map());
  into.set(name, inner);
  if (Array.isArray(inner)) return rest[0] === '[]' && append(inner, rest.slice(1), value);
  return inner instanceof Map && rest[0] !== '[]' && insert(inner, rest, value);
}

/** An object in the list gets fields until one repeats, which begins the next object. */
function append(list: unknown[], rest: readonly string[], value: unknown): boolean {
  if (rest.length === 0) return value === undefined || list.push(value) > 0;
  const last = list.at(-1);
  if (last instanceof Map && !(rest.length === 1 && last.has(rest[0]))) return insert(last, rest, value);
  const next: Fields = new Map();
  list.push(next);
  return insert(next, rest, value);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  // fromEntries creates own properties, even for __proto__.
  return value instanceof Map ? Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)])) : value;
}

/** `key=value` as gh reads it, and with dots: `a.b` and `a[b]` nest, `a[]` appends to a list, `a[]` alone is empty. */
export function bodyField(text: string): { readonly key: readonly string[]; readonly value: string | undefined } {
  const [, name = text, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const [, first = '', more = ''] = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  const inner = Array.from(more.matchAll(/\[([^[\]]*)\]/g), ([, part = '']) => part || '[]');
  const key = [...first.split('.'), ...inner];
  if (key.includes(''))
    throw usage(`"${text}" has an empty part`, 'such as name=Ada, attributes.city=Oslo or tags[]=vip');
  if (value === undefined && key.at(-1) !== '[]')
    throw usage(`"${text}" is not key=value`, 'such as name=Ada, attributes.city=Oslo or tags[]=vip');
  return { key, value };
}

/** Parses the value of an option; `where` names the option in errors. */
export function jsonIn(text: string, where: string, hint?: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw usage(`${where} is not JSON: ${error instanceof Error ? error.message : String(error)}`, hint);
  }
}
