import { isRecord } from '../../contract/readers.ts';

export type Body = Record<string, unknown>;

/** Sets a field of its own, whatever its name: `__proto__` too. */
export function put(body: Body, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
  else body[name] = value;
}

/** Puts a value where a path leads, and makes the objects on the way; false if another value is there. */
export function place(body: Body, path: readonly string[], value: unknown, from = 0): boolean {
  const name = path[from] ?? '';
  const isTaken = Object.hasOwn(body, name);
  if (from + 1 >= path.length) {
    if (!isTaken) put(body, name, value);
    return !isTaken;
  }
  const inner = isTaken ? body[name] : {};
  if (!isRecord(inner)) return false;
  if (!isTaken) put(body, name, inner);
  return place(inner, path, value, from + 1);
}

/** The value of a field that a row has itself. */
export function own(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
