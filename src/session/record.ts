import { join } from 'node:path';
import { statsOf } from '../base/files.ts';
import { openDatabase } from '../base/sqlite.ts';
import { inMemory } from '../base/sqlite-connection.ts';
import { openMark, watched } from '../store/marks.ts';
import { identify, isIdentified } from '../store/meta.ts';
import { schema } from '../store/schema.ts';
import { accountOf } from './account.ts';
import { refuseEarlyClock } from './clock.ts';
import type { BatchRecord, CheckedTarget, Session } from './session.ts';

/** The databases of batches and single messages: of real accounts, and of the sandbox on this machine. */
const files = {
  ledger: { sync: 'FULL', isDisposable: false },
  local: { sync: 'OFF', isDisposable: true },
} as const;

type Name = keyof typeof files;

/** The record of what was sent as this caller. A dry run creates none. */
export async function openRecord(session: Session, checkedTarget: CheckedTarget): Promise<BatchRecord> {
  const { host } = session;
  const { target, simulated } = checkedTarget;
  const mode = target.mode === 'sandbox' ? 'sandbox' : 'live';
  // Its times decide what is sent again, and what is erased.
  if (mode === 'live' && !simulated) refuseEarlyClock(host.now());
  const account = accountOf(host.env, checkedTarget);
  return { ...(await openRecordFile(session, simulated ? 'local' : 'ledger')), account, mode };
}

/** Opens the record of all accounts; creates it if it is missing. */
export async function openRecordFile(session: Session, name: Name): Promise<Omit<BatchRecord, 'account' | 'mode'>> {
  const { host, given, note } = session;
  const path = recordPath(session, name);
  const isNew = !hasRecord(session, name);
  const isKept = !(given.dryRun && isNew);
  const database = await openDatabase(isKept ? path : inMemory, {
    ...files[name],
    host,
    schema,
    signal: host.signal,
    note: (text) => note('record', text),
  });
  const mark = isKept && name === 'ledger' ? openMark(markPath(session)) : undefined;
  const close = once(async () => {
    await database.close();
    mark?.close();
  });
  try {
    const opened = { path, mark, startedAt: host.now() - host.steady() };
    if (!(await isIdentified(database, opened))) await identify(database, newId(host.random));
    return { database: mark ? watched(database, mark) : database, isNew, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether this machine has a record. */
export function hasRecord(session: Pick<Session, 'stateFolder'>, name: Name): boolean {
  const stats = statsOf(recordPath(session, name));
  return stats !== undefined && !(stats.isFile() && stats.size === 0);
}

function recordPath({ stateFolder }: Pick<Session, 'stateFolder'>, name: Name): string {
  return join(stateFolder(), `${name}.db`);
}

export function markPath({ stateFolder }: Pick<Session, 'stateFolder'>): string {
  return join(stateFolder(), 'ledger.mark');
}

/** 12 hexadecimal digits. */
function newId(random: () => number): string {
  return Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}
