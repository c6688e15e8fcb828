import { configuration } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { query, type Row, type Transaction, type Value } from '../base/transaction.ts';

/** Statements within a transaction. */
export type Steps<T> = ReturnType<Transaction<T>>;

/** The latest time that a date can have. */
const latest = 8_640_000_000_000_000;

/** A column of a row. A database may be damaged or hostile, so each one is checked where it is read. */
export function text(row: Row | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === 'string' ? value : refuse(column);
}

/** A text that is shown in commands. */
export function matching(row: Row | undefined, column: string, form: RegExp): string {
  const value = text(row, column);
  return form.test(value) ? value : refuse(column);
}

export function optionalText(row: Row | undefined, column: string): string | undefined {
  return row?.[column] === null ? undefined : text(row, column);
}

export function integer(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= latest ? value : refuse(column);
}

export function word<const T extends string>(row: Row | undefined, column: string, words: readonly T[]): T {
  const value = row?.[column];
  return words.find((word) => word === value) ?? refuse(column);
}

/** Parses JSON from a column. */
export function json(text: string, column: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(column);
    throw error;
  }
}

/** The column `n` of a query with one row. */
export function* number(sql: string, ...values: readonly Value[]): Steps<number> {
  const [row] = yield* query(sql, ...values);
  return integer(row, 'n');
}

/** The columns of a row of a file. */
export function cellsOf(cells: string): Readonly<Record<string, unknown>> {
  const value = json(cells, 'cells');
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function refuse(column: string): never {
  throw configuration('database-damaged', `the database of batches is damaged: its column "${column}" cannot be read`);
}
