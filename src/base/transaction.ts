/** A text has no NUL characters: some engines refuse them, others cut the text off there. */
export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

/** SQL with the parameters `$1`, `$2` …, and their values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** One statement for many rows, which returns nothing: much faster than to yield each. */
export interface Repeated {
  readonly sql: string;
  readonly each: readonly (readonly Value[])[];
}

/**
 * The body of a transaction: yields statements, gets the rows of each, and returns a result. It may run several times
 * until it is committed, so it changes nothing but the database.
 */
export type Transaction<T> = () => Generator<Statement | Repeated, T, readonly Row[]>;

/** The rows of one statement, for use with `yield*`. */
export function* query(sql: string, ...values: readonly Value[]): Generator<Statement, readonly Row[], readonly Row[]> {
  return yield { sql, values };
}

/** The numbers of locks on a PostgreSQL server: any that others do not use. */
export const postgresLocks = { upgrade: 7_238_111_502, pace: 7_238_111_503 };

export interface Database {
  /** Runs a transaction that may write. On SQLite, those of one turn of the event loop are committed together. */
  write<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T>;
  /** Runs a transaction that only reads. On SQLite it blocks writers, so it must be short: read long lists in pages. */
  read<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T>;
  /** Updates the statistics of a table, by which some engines choose how to look rows up. */
  analyze?(table: string): Promise<unknown>;
  /** Finishes what was started, and closes the database. */
  close(): Promise<void>;
}

/** Passes what was opened to a function, and closes it afterwards. */
export async function closing<T extends { close(): Promise<void> }, R>(
  opened: T,
  act: (opened: T) => Promise<R>,
): Promise<R> {
  try {
    return await act(opened);
  } finally {
    await opened.close();
  }
}
