import { join } from 'node:path';
import { refuseUnreadable, statsOf } from '../base/files.ts';
import { type DatabaseOptions, openDatabase } from '../base/sqlite.ts';
import { noSqlite } from '../base/sqlite-errors.ts';
import type { Database } from '../base/transaction.ts';

const schema = [
  `-- A received event. The headers are JSON; the body has the bytes as received, last because it is long.
  CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    headers TEXT NOT NULL,
    remote TEXT NOT NULL,
    port INTEGER NOT NULL,
    -- Where its listener forwards it.
    forward_to TEXT,
    body BLOB NOT NULL
  ) STRICT;

  -- An attempt to forward an event, by a listener or by a replay.
  CREATE TABLE forward (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    at INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER,
    ms INTEGER NOT NULL,
    error TEXT,
    body TEXT
  ) STRICT;
  CREATE INDEX forward_event ON forward (event);

  -- The addresses of the listeners, also of killed ones.
  CREATE TABLE listener (url TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
] as const;

type LogOptions = Pick<DatabaseOptions, 'host' | 'note' | 'patience' | 'signal'>;

/** Opens the logs; creates them if they are missing, and again if they are damaged. */
export function openLogs(stateFolder: string, options: LogOptions): Promise<Database> {
  return openDatabase(logsPath(stateFolder), { ...options, schema, sync: 'OFF', isDisposable: true });
}

/** Opens the logs to read them; undefined if nothing was ever recorded. */
export async function openRecorded(stateFolder: string, options: LogOptions): Promise<Database | undefined> {
  if (!options.host.sqlite()) throw noSqlite();
  // An unreadable folder would look as if nothing had happened.
  refuseUnreadable(stateFolder);
  return statsOf(logsPath(stateFolder)) ? openLogs(stateFolder, options) : undefined;
}

function logsPath(stateFolder: string): string {
  return join(stateFolder, 'logs.db');
}
