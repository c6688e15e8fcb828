import { configuration } from '../base/errors.ts';
import type { Row } from '../base/transaction.ts';

/** A column of a row. A database may be damaged or hostile, so each one is checked where it is read. */
export function text(row: Row | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === 'string' ? value : refuse(column);
}

export function optionalText(row: Row | undefined, column: string): string | undefined {
  return row?.[column] === null ? undefined : text(row, column);
}

export function integer(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse(column);
}

export function word<const T extends string>(row: Row | undefined, column: string, words: readonly T[]): T {
  const value = row?.[column];
  return words.find((word) => word === value) ?? refuse(column);
}

/** The columns of a row of a file, from JSON. */
export function cellsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function refuse(column: string): never {
  throw configuration('database-damaged', `the database of batches is damaged: its column "${column}" cannot be read`);
}
