import { usage } from './errors.ts';

/** A path in a value, and what is there: `data.to=+12025550101`, `items[0].id=7` or `data["a.b"]=1`. */
export interface Condition {
  readonly path: readonly string[];
  readonly value: string;
}

const bracket = /^\[(?:(\d+)|"([^"]+)"|'([^']+)')\]/;
const [first, next] = [/^\.?([^.[\]"'=]+)/, /^\.([^.[\]"'=]+)/];

export function condition(text: string): Condition {
  const path: string[] = [];
  for (let rest = text.trimStart(); ;) {
    const match = bracket.exec(rest) ?? (path.length === 0 ? first : next).exec(rest);
    const [whole = '', ...names] = match ?? [];
    const name = names.find(Boolean)?.trim();
    if (!name) throw usage(`"${text}" is not a condition`, 'use a path and a value: data.status=failed, data["a.b"]=1');
    path.push(name);
    rest = rest.slice(whole.length);
    if (rest.startsWith('=')) return { path, value: rest.slice(1) };
  }
}

export function isMet({ path, value }: Condition, by: unknown): boolean {
  return isWritten(valueAt(by, path), value);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = Object.entries(value).find(([name]) => name === key);
  return entry && valueAt(entry[1], rest);
}

/** Compares numbers by value. Objects and arrays never match. */
function isWritten(leaf: unknown, value: string): boolean {
  if (typeof leaf === 'number' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return leaf === Number(value);
  if (typeof leaf === 'string') return leaf === value;
  const isPlain = leaf === null || ['number', 'bigint', 'boolean'].includes(typeof leaf);
  return isPlain && String(leaf) === value;
}
