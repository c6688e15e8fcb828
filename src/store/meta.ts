import { integrityProblem } from '../base/sqlite.ts';
import { damaged, newer } from '../base/sqlite-errors.ts';
import { type Database, query } from '../base/transaction.ts';
import type { Steps } from './batch.ts';
import { integer } from './columns.ts';
import { type Mark, older } from './marks.ts';
import { lease } from './schema.ts';

/** Raised when programs of an earlier version can no longer use the tables. */
const version = 1;

/** Writes the row of a database that was just created. */
export function identify(database: Database, id: string): Promise<void> {
  return database.write(function* () {
    const sql = `INSERT INTO meta (version, id, tick) SELECT ${version}, $1, 0 WHERE NOT EXISTS (SELECT 1 FROM meta)`;
    yield* query(sql, id);
  });
}

export interface Opened {
  readonly path: string;
  /** Undefined for a database that may be lost. */
  readonly mark: Mark | undefined;
  /** When this machine started. */
  readonly startedAt: number;
}

/** Checks a database when it is opened; returns whether it has been identified. */
export function isIdentified(database: Database, { path, mark, startedAt }: Opened): Promise<boolean> {
  return database.read(function* () {
    const [row] = yield* query('SELECT version, tick FROM meta');
    if (row && integer(row, 'version') > version) throw newer(path);
    if (!mark) return row !== undefined;
    if ((row ? integer(row, 'tick') : 0) < mark.read()) throw older();
    const problem = (yield* hasLostPower(startedAt)) ? yield* integrityProblem() : undefined;
    if (problem !== undefined) throw damaged(path, problem);
    return row !== undefined;
  });
}

/** Whether the machine has restarted during a batch. That may damage an index, which loses rows without an error. */
function* hasLostPower(startedAt: number): Steps<boolean> {
  const sql = "SELECT 1 FROM batch WHERE worker <> '' AND until < $1 LIMIT 1";
  return (yield* query(sql, startedAt + lease)).length > 0;
}
