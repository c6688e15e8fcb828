import { type Database, query, type Row } from '../base/transaction.ts';
import { integer, number, type Steps, text } from './columns.ts';

export type OptOut = Readonly<ReturnType<typeof optOutOf>>;

export function listOptOuts(database: Database, account: string): Promise<readonly OptOut[]> {
  return database.read(function* () {
    return (yield* query('SELECT * FROM opt_out WHERE account = $1 ORDER BY at, phone', account)).map(optOutOf);
  });
}

export function isOptedOut(database: Database, account: string, phone: string): Promise<boolean> {
  return database.read(function* () {
    const rows = yield* query('SELECT 1 FROM opt_out WHERE account = $1 AND phone = $2', account, phone);
    return rows.length > 0;
  });
}

/** The opt-outs of a person, in all accounts. */
export function optOutsOf(database: Database, phone: string): Promise<readonly OptOut[]> {
  return database.read(function* () {
    return (yield* query('SELECT * FROM opt_out WHERE phone = $1 ORDER BY at', phone)).map(optOutOf);
  });
}

function optOutOf(row: Row) {
  return {
    account: text(row, 'account'),
    phone: text(row, 'phone'),
    at: integer(row, 'at'),
    /** The reply of the person, or ''. */
    word: text(row, 'word'),
  };
}

// Of two replies, the later one counts.
export const addOptOut = `INSERT INTO opt_out (account, phone, at, word) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account, phone) DO UPDATE SET at = excluded.at,
    word = CASE WHEN excluded.word = '' THEN opt_out.word ELSE excluded.word END WHERE excluded.at > opt_out.at`;

/** Adds people; returns how many were not on the list. */
export function addOptOuts(
  database: Database,
  account: string,
  optOuts: readonly Omit<OptOut, 'account'>[],
): Promise<number> {
  const each = optOuts.map(({ phone, at, word }) => [account, phone, at, word]);
  return database.write(function* () {
    const before = yield* count(account);
    yield { sql: addOptOut, each };
    return (yield* count(account)) - before;
  });
}

/** Removes people who have not opted out again since; returns how many. */
export function removeOptOuts(
  database: Database,
  account: string,
  phones: readonly string[],
  until: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const each = phones.map((phone) => [account, phone, until]);
  return database.write(function* () {
    const before = yield* count(account);
    yield { sql: 'DELETE FROM opt_out WHERE account = $1 AND phone = $2 AND at <= $3', each };
    return before - (yield* count(account));
  });
}

function count(account: string): Steps<number> {
  return number('SELECT COUNT(*) AS n FROM opt_out WHERE account = $1', account);
}
