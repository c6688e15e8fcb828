import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { fsError, unsafe } from '../base/errors.ts';
import { integrityProblem } from '../base/sqlite.ts';
import { damaged, newer } from '../base/sqlite-errors.ts';
import { type Database, query, type Row, type Transaction } from '../base/transaction.ts';
import { integer, type Steps, text } from './columns.ts';
import { lease } from './schema.ts';

const size = 8;
const idSize = 32;

/** Opens `NAME.mark`. It is not synced: behind by one at most, it gives no false alarm. */
export function openMark(path: string): Mark {
  return new Mark(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
}

/** The highest tick seen of a database, and its id, in a file beside it: a restored backup is behind. */
export class Mark {
  readonly #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  read(): number {
    const bytes = Buffer.alloc(size);
    if (readSync(this.#file, bytes, 0, size, 0) < size) return 0;
    const tick = Number(bytes.readBigUInt64BE());
    return Number.isSafeInteger(tick) ? tick : 0;
  }

  /** Whether it is of the database with this id; a new one is of any. */
  isOf(id: string): boolean {
    const bytes = Buffer.alloc(idSize);
    const length = readSync(this.#file, bytes, 0, idSize, size);
    return length === 0 || bytes.toString('latin1', 0, length).trimEnd() === id;
  }

  /** Never makes it smaller. */
  raise(tick: number, id: string): void {
    try {
      if (tick > this.read()) this.reset(tick, id);
    } catch (error) {
      // The transaction is committed, and the next one tries again.
      if (!fsError(error)) throw error;
    }
  }

  /** Accepts that the database is behind. */
  reset(tick: number, id: string): void {
    const bytes = Buffer.alloc(size);
    bytes.writeBigUInt64BE(BigInt(tick));
    writeSync(this.#file, Buffer.concat([bytes, Buffer.from(id.padEnd(idSize), 'latin1')]), 0, size + idSize, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** SQL of a text that stays the same until another server takes over; constant on this machine. */
const noServer = "''";

/** Counts each transaction that writes, and refuses a database that is behind its mark or of another server. */
export function watched(database: Database, mark: Mark, server: string = noServer): Database {
  return {
    analyze: async (table) => database.analyze?.(table),
    close: () => database.close(),
    read: <T>(body: Transaction<T>, signal?: AbortSignal) =>
      database.read(function* () {
        const [row] = yield* query(`SELECT tick, id, server, ${server} AS server_now FROM meta`);
        refuseOlder(mark, row, server);
        return yield* body();
      }, signal),
    async write<T>(body: Transaction<T>, signal?: AbortSignal): Promise<T> {
      let row: Row | undefined;
      const sql = `UPDATE meta SET tick = tick + 1 RETURNING tick - 1 AS tick, id, server, ${server} AS server_now`;
      const result = await database.write(function* () {
        [row] = yield* query(sql);
        refuseOlder(mark, row, server);
        return yield* body();
      }, signal);
      // After the commit: before it, a process that is killed would leave a mark that is ahead.
      mark.raise(integer(row, 'tick') + 1, text(row, 'id'));
      return result;
    },
  };
}

function refuseOlder(mark: Mark, row: Row | undefined, server: string): void {
  const tick = integer(row, 'tick');
  if (server !== noServer && !mark.isOf(text(row, 'id'))) throw otherTeam();
  if (tick < mark.read() || text(row, 'server') !== text(row, 'server_now')) throw older(server);
}

function otherTeam(): Error {
  const message = 'this machine sends for this account with another database';
  const hint = 'check BIZMSG_TEAM and --profile; bizmsg team leave ends that: what the other one has is then unknown';
  return unsafe('team-other', message, hint);
}

function older(server: string = noServer): Error {
  const hint = 'restore a newer one; or bizmsg doctor --accept-loss, and what it does not know is sent again';
  const isTeam = server !== noServer;
  const how = isTeam ? 'on another server, which may lack the last changes' : 'older than it was, such as a backup';
  return unsafe('ledger-older', `the record of what was sent is ${how}`, hint);
}

/** Accepts a database that is behind its mark or of another server, for `doctor --accept-loss`. */
export async function acceptLoss(database: Database, mark: Mark, server: string = noServer): Promise<void> {
  const [row] = await database.write(() => query(`UPDATE meta SET server = ${server} RETURNING tick, id`));
  mark.reset(row ? integer(row, 'tick') : 0, row ? text(row, 'id') : '');
}

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
