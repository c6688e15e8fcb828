import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { removeLeftDrafts } from '../base/drafts.ts';
import { statsOf } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { isProcessAlive, processStart } from '../base/liveness.ts';
import { integrityProblem, openDatabase } from '../base/sqlite.ts';
import { damaged } from '../base/sqlite-errors.ts';
import type { Database, Transaction } from '../base/transaction.ts';
import { checkOf, secretIn, unusable } from './identity.ts';
import type { Ledger, Owner } from './ledger.ts';
import { schema } from './schema.ts';
import { createSqlLedger, type SqlLedgerOptions } from './sql-ledger.ts';
import { replaceCheck, startClock, type Steps } from './statements.ts';

export interface LedgerOptions {
  readonly stateFolder: string;
  readonly host: Pick<Host, 'pid' | 'kill' | 'now' | 'later' | 'random' | 'sqlite' | 'steady'>;
  /** The ledger of the local sandbox, which loses its own data with a power cut. */
  readonly isLocal: boolean;
  /** Claims survive a power cut. */
  readonly isLive: boolean;
  /** Ends the wait for other processes. */
  readonly signal?: AbortSignal;
  /** Only lists runs: the secret is not checked, because that takes as long as the rest. */
  readonly isListing?: boolean;
  note(message: string): void;
}

/** Opens the ledger of this machine, or of its local sandbox; creates it if it is missing. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { stateFolder, isLocal, host } = options;
  const path = pathOf(options);
  const isNew = !hasLedger({ stateFolder, isLocal: false });
  // A process that was killed while it created the secret has left a copy.
  if (isNew) removeLeftDrafts(stateFolder, host.kill);
  const secret = secretIn(stateFolder, !isNew, host.pid);
  const database = await openFile(options);
  try {
    if (!options.isListing) await checkSecret(database, secret, options);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createSqlLedger({ ...partsOf(options, () => verify(path, isLocal)), database, secret });
}

async function checkSecret(database: Database, secret: string, options: LedgerOptions): Promise<void> {
  const check = checkOf(secret);
  const known = await database.write(() => startClock(check));
  if (known !== check && !options.isLocal) throw unusable(`${pathOf(options)} was written with another secret`);
  if (known !== check) await database.write(() => replaceCheck(check));
}

/** A ledger that knows nothing and records nothing, for a dry run on a machine without one. */
export function emptyLedger(options: LedgerOptions): Ledger {
  const run = async <T>(body: Transaction<T>): Promise<T> => {
    const steps = body();
    let step = steps.next();
    while (step.done !== true) step = steps.next([]);
    return step.value;
  };
  const database: Database = { read: run, write: run, close: async () => {} };
  const parts = partsOf(options, function* () {});
  return createSqlLedger({ ...parts, database, secret: randomBytes(32).toString('hex') });
}

export function hasLedger(which: Pick<LedgerOptions, 'stateFolder' | 'isLocal'>): boolean {
  const found = statsOf(pathOf(which));
  return found !== undefined && !(found.isFile() && found.size === 0);
}

/** Opens the database alone. */
export function openFile(options: Omit<LedgerOptions, 'isLive'> & { readonly isLive?: boolean }): Promise<Database> {
  const { host, isLocal, isLive, signal, note } = options;
  const sync = isLocal ? 'OFF' : isLive ? 'FULL' : 'NORMAL';
  return openDatabase(pathOf(options), { host, schema, sync, isDisposable: isLocal, note, ...(signal && { signal }) });
}

export function pathOf({ stateFolder, isLocal }: Pick<LedgerOptions, 'stateFolder' | 'isLocal'>): string {
  return join(stateFolder, isLocal ? 'old-local.db' : 'old-ledger.db');
}

export function partsOf(
  { host }: Pick<LedgerOptions, 'host'>,
  verify: () => Steps<void>,
): Omit<SqlLedgerOptions, 'database' | 'secret'> {
  const { pid, now, later, steady } = host;
  const isAlive = (owner: Owner) => isProcessAlive(owner.pid, owner.start, host.kill, () => now() - owner.beat);
  const newId = () => randomBytes(6).toString('hex');
  return { self: { pid, start: processStart(pid), now, isAlive, newId, verify }, later, steady };
}

/** A power cut may have damaged an index, which loses rows without an error. */
function* verify(path: string, isLocal: boolean): Steps<void> {
  const problem = isLocal ? undefined : yield* integrityProblem();
  if (problem !== undefined) throw damaged(path, problem);
}
