import { isRecord } from '../contract/readers.ts';

/** With the fields of all objects by name. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

/** More fields have too many orders. */
const most = 5;

/** The same JSON with its fields in every order, one after the other: there may be more than anybody can wait for. */
export function* arrangements(value: unknown): Generator {
  if (!isRecord(value)) {
    yield value;
    return;
  }
  const entries = Object.entries(value);
  for (const order of entries.length <= most ? permutations(entries) : [entries]) {
    for (const items of choices(order.map(([, item]) => item))) {
      yield Object.fromEntries(order.map(([name], at) => [name, items[at]]));
    }
  }
}

/** One arrangement of each. */
function* choices(values: readonly unknown[]): Generator<readonly unknown[]> {
  const [first, ...rest] = values;
  if (values.length === 0) yield [];
  else for (const others of choices(rest)) for (const one of arrangements(first)) yield [one, ...others];
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries()) {
    for (const others of permutations(items.toSpliced(at, 1))) yield [item, ...others];
  }
}
