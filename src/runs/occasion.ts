import { rowSize } from '../ledger/identity.ts';
import type { Running } from './action.ts';
import type { Fields } from './input/row.ts';
import { textOf } from './mapping/values.ts';
import type { Preflight } from './preflight.ts';

/** Pairs of rows that are compared. */
const most = 100;

/** A column that tells several messages for one recipient apart: it differs between them, and its value is not sent. */
export async function occasionColumn(
  { input, action }: Running,
  { digests, kindOf }: Preflight,
): Promise<string | undefined> {
  const pairs: (readonly [first: number, row: number])[] = [];
  for (let row = 0; row < digests.count && pairs.length < most; row++)
    if (digests.isConflict(row)) pairs.push([digests.rowOf(digests.bytes, row * rowSize) ?? 0, row]);
  const fields = await fieldsAt(new Set(pairs.flat()));
  const used = new Set([...(action.usedColumns ?? []), ...action.perColumns, 'to', 'phone']);
  const names = Object.keys(fields.get(pairs[0]?.[0] ?? 0) ?? {}).filter((name) => !used.has(name));
  return names.find((name) =>
    pairs.every(([first, row]) => isTold(fields.get(first)?.[name], fields.get(row)?.[name])),
  );

  async function fieldsAt(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, Fields>> {
    const found = new Map<number, Fields>();
    let index = 0;
    for await (const batch of input.source.rows(undefined))
      for (const row of batch) {
        if (kindOf(row.number) !== 'valid') continue;
        if (wanted.has(index) && 'fields' in row) found.set(index, row.fields);
        index += 1;
        if (found.size === wanted.size) return found;
      }
    return found;
  }
}

function isTold(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other].map((value) => (value === null ? '' : textOf(value ?? '')));
  return typeof first === 'string' && typeof second === 'string' && first !== '' && second !== '' && first !== second;
}
