import { refuseUnreadable, statsOf } from '../base/files.ts';
import { openDatabase } from '../base/sqlite.ts';
import { inMemory } from '../base/sqlite-connection.ts';
import type { Database } from '../base/transaction.ts';
import { newId } from '../store/batch.ts';
import { acceptLoss, openMark, watched } from '../store/marks.ts';
import { identify, isIdentified } from '../store/meta.ts';
import { schema } from '../store/schema.ts';
import { accountOf } from './account.ts';
import { currentCaller } from './caller.ts';
import { refuseEarlyClock } from './clock.ts';
import { locate } from './connect.ts';
import { hasRecord, markFile, recordFile, type RecordName, recordOf } from './record-file.ts';
import type { BatchRecord, CheckedTarget, Session } from './session.ts';

const options = {
  ledger: { sync: 'FULL', isDisposable: false },
  local: { sync: 'OFF', isDisposable: true },
} as const;

/** The record of what was sent as this caller. A dry run creates none. */
export async function openRecord(session: Session, checkedTarget: CheckedTarget): Promise<BatchRecord> {
  const { host } = session;
  const { target, simulated } = checkedTarget;
  const mode = target.mode === 'sandbox' ? 'sandbox' : 'live';
  // Its times decide what is sent again, and what is erased.
  if (mode === 'live' && !simulated) refuseEarlyClock(host.now());
  const account = accountOf(host.env, checkedTarget);
  return { ...(await openRecordFile(session, recordOf(checkedTarget))), account, mode };
}

/** The record of the account of this command, which makes no call. */
export async function openOwnRecord(session: Session, use: Use): Promise<Omit<BatchRecord, 'mode'>> {
  const target = await locate(session, currentCaller(session));
  return { ...(await openRecordFile(session, recordOf(target), use)), account: accountOf(session.host.env, target) };
}

/** With `accept-loss`, it may be older than it was. */
type Use = 'read' | 'write' | 'accept-loss';

/** Opens the record of all accounts. If it is missing, it is created, unless it is only read. */
export async function openRecordFile(
  session: Session,
  name: RecordName,
  use: Use = 'write',
): Promise<Omit<BatchRecord, 'account' | 'mode'>> {
  const { host, given, note } = session;
  const path = recordFile(session, name);
  const isNew = !hasRecord(session, name);
  const isKept = !isNew || !(given.dryRun || use === 'read');
  const database = await openDatabase(isKept ? path : inMemory, {
    ...options[name],
    host,
    schema,
    signal: host.signal,
    note: (text) => note('record', text),
  });
  const mark = name === 'ledger' && (isKept || hasMark(session)) ? openMark(markFile(session)) : undefined;
  const close = once(async () => {
    await database.close();
    mark?.close();
  });
  try {
    if (mark && use === 'accept-loss') await acceptLoss(database, mark);
    const opened = { path, mark, startedAt: host.now() - host.steady() };
    if (!(await isIdentified(database, opened))) await identify(database, newId(host.random));
    return { database: mark && isKept ? watched(database, mark) : database, isNew, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface OpenRecord {
  readonly database: Database;
  readonly isLocal: boolean;
  close(): Promise<void>;
}

/** Opens the records that this machine has, to look something up without a call. */
export async function openRecords(session: Session): Promise<readonly OpenRecord[]> {
  // An unreadable folder would look as if nothing had been sent.
  refuseUnreadable(session.stateFolder());
  const wasThere = (name: RecordName) => hasRecord(session, name) || (name === 'ledger' && hasMark(session));
  const names = (['ledger', 'local'] as const).filter(wasThere);
  return Promise.all(
    names.map(async (name) => ({ ...(await openRecordFile(session, name)), isLocal: name === 'local' })),
  );
}

/** Whether this machine has had the record of real accounts. */
export function hasMark(session: Session): boolean {
  return statsOf(markFile(session)) !== undefined;
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}
