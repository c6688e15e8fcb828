import { type Database, query, type Row } from '../base/transaction.ts';
import { cellsOf, text } from './columns.ts';
import type { Draft } from './draft.ts';
import { isUnique } from './schema.ts';

/** Pairs of rows that are compared. */
const mostPairs = 100;

const inFile = `SELECT f.cells AS first, d.cells AS second FROM item d
  JOIN item f ON f.batch = d.batch AND f.who = d.who AND f.per = d.per AND ${isUnique('f')}
  WHERE d.batch = $1 AND d.state = 'twice' AND f.text <> d.text LIMIT ${mostPairs}`;
const elsewhere = `SELECT o.cells AS first, d.cells AS second FROM item d
  JOIN item o ON o.scope = d.scope AND o.who = d.who AND o.batch <> d.batch AND o.batch <> $2 AND o.batch <> ''
  WHERE d.batch = $1 AND d.state = 'waiting' AND o.cells IS NOT NULL AND o.state = 'sent' AND o.text <> d.text
  LIMIT ${mostPairs}`;

/** Columns that tell several messages for one person apart: their values differ, so they can be used with `--per`. */
export function columnsThatDiffer(database: Database, { id, target }: Draft, where: 'file' | 'elsewhere') {
  return database.read(function* () {
    const pairs = yield* where === 'file' ? query(inFile, id) : query(elsewhere, id, target?.id ?? '-');
    return differing(pairs);
  });
}

function differing(pairs: readonly Row[]): readonly string[] {
  const cells = pairs.map((row) => [cellsOf(text(row, 'first')), cellsOf(text(row, 'second'))] as const);
  const isDifferent = (column: string) =>
    cells.every(
      ([first, second]) => isValue(first[column]) && isValue(second[column]) && first[column] !== second[column],
    );
  return Object.keys(cells[0]?.[1] ?? {}).filter(isDifferent);
}

function isValue(cell: unknown): boolean {
  return (typeof cell === 'string' && cell !== '') || typeof cell === 'number';
}
