import { type Database, query } from '../base/transaction.ts';
import { integer, text } from './columns.ts';

export interface OptOut {
  readonly phone: string;
  readonly at: number;
  /** The reply of the person, or ''. */
  readonly word: string;
}

export function listOptOuts(database: Database, account: string): Promise<readonly OptOut[]> {
  return database.read(function* () {
    const rows = yield* query('SELECT phone, at, word FROM opt_out WHERE account = $1 ORDER BY at, phone', account);
    return rows.map((row) => ({ phone: text(row, 'phone'), at: integer(row, 'at'), word: text(row, 'word') }));
  });
}

export function isOptedOut(database: Database, account: string, phone: string): Promise<boolean> {
  return database.read(function* () {
    const rows = yield* query('SELECT 1 FROM opt_out WHERE account = $1 AND phone = $2', account, phone);
    return rows.length > 0;
  });
}

export function addOptOuts(database: Database, account: string, optOuts: readonly OptOut[]): Promise<void> {
  const each = optOuts.map(({ phone, at, word }) => [account, phone, at, word]);
  return database.write(function* () {
    yield {
      sql: 'INSERT INTO opt_out (account, phone, at, word) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      each,
    };
  });
}

export function removeOptOuts(database: Database, account: string, phones: readonly string[]): Promise<void> {
  const each = phones.map((phone) => [account, phone]);
  return database.write(function* () {
    yield { sql: 'DELETE FROM opt_out WHERE account = $1 AND phone = $2', each };
  });
}
