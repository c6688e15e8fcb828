import { closing, type Database } from '../base/transaction.ts';
import { CliError, unsafe } from '../base/errors.ts';
import { refuseUnreadable, statsOf } from '../base/files.ts';
import { openDatabase } from '../base/sqlite.ts';
import { inMemory } from '../base/sqlite-connection.ts';
import { newId } from '../store/batch.ts';
import { acceptLoss, identify, isIdentified, openMark, watched } from '../store/marks.ts';
import { hasAccount } from '../store/move.ts';
import { expireDaily } from '../store/retention.ts';
import { schema } from '../store/schema.ts';
import { accountOf, currentCaller, optionalCaller, realAccount } from './caller.ts';
import { isClockRight, refuseEarlyClock } from './clock.ts';
import { locate } from './connect.ts';
import {
  hasRecord,
  hasTeamMark,
  markFile,
  recordFile,
  type RecordName,
  recordOf,
  refuseWithoutTeam,
  teamOf,
} from './record-file.ts';
import type { AnyCaller, BatchRecord, CheckedTarget, Session } from './session.ts';

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
  return { ...(await openFor(session, checkedTarget, 'write')), mode };
}

/**
 * Removes what is old, once the answers of the service have shown that the clock is right. `skew`: the milliseconds by
 * which the service is ahead, if they are known. The next command tries again.
 */
export async function removeOld(database: Database, now: number, skew = Number.NaN): Promise<void> {
  if (!isClockRight(now, skew)) return;
  await expireDaily(database, now).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
  });
}

/** The record of the account of this command, which makes no call. */
export async function openOwnRecord(session: Session, use: Use): Promise<Omit<BatchRecord, 'mode'>> {
  return openFor(session, await locate(session, currentCaller(session)), use);
}

/** With `accept-loss`, it may be older than it was. */
type Use = 'read' | 'write' | 'accept-loss';

async function openFor(session: Session, target: CheckedTarget, use: Use): Promise<Omit<BatchRecord, 'mode'>> {
  const account = accountOf(session.host.env, target);
  const url = teamOf(session, target);
  if (url !== undefined) return openTeamRecord(session, url, account, use);
  if (!target.simulated) refuseWithoutTeam(session, account);
  return { ...(await openRecordFile(session, recordOf(target), use)), account };
}

async function openTeamRecord(session: Session, url: string, account: string, use: Use) {
  // A member has nothing of the account that the team does not know.
  if (use !== 'read' && !hasTeamMark(session, account)) await refuseBesideTeam(session, account);
  const { openTeam, teamServer } = await import('./team-database.ts');
  const { database, mark, close } = await openTeam(session, url, account);
  try {
    if (use === 'accept-loss') await acceptLoss(database, mark, teamServer);
    return { database: watched(database, mark, teamServer), account, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The team does not know what this machine sent before it joined. */
async function refuseBesideTeam(session: Session, account: string): Promise<void> {
  if (!hasRecord(session, 'ledger')) return;
  const record = await openRecordFile(session, 'ledger', 'read');
  if (!(await closing(record, ({ database }) => hasAccount(database, account)))) return;
  const message = `this machine has batches, messages or opt-outs of ${account} that the team does not know`;
  throw unsafe('team-not-joined', message, 'bizmsg team join copies them to the team');
}

/** The record of the team of a caller; undefined without a team. */
export async function openTeamOf(session: Session, caller: AnyCaller | undefined, use: Use) {
  if (!caller || teamOf(session, { caller, simulated: caller.kind === 'local' }) === undefined) return undefined;
  const target = await locate(session, caller);
  const url = teamOf(session, target);
  const account = accountOf(session.host.env, target);
  return url === undefined ? undefined : openTeamRecord(session, url, account, use);
}

/** Opens the record of all accounts. If it is missing, it is created, unless it is only read. */
export async function openRecordFile(
  session: Session,
  name: RecordName,
  use: Use = 'write',
): Promise<Omit<OpenRecord, 'isLocal'>> {
  const { host, given, note } = session;
  const path = recordFile(session, name);
  const isKept = hasRecord(session, name) || !(given.dryRun || use === 'read');
  const database = await openDatabase(isKept ? path : inMemory, {
    ...options[name],
    host,
    schema,
    signal: host.signal,
    note: (text) => note('record', text),
  });
  const mark = name === 'ledger' && (isKept || hasMark(session)) ? openMark(markFile(session)) : undefined;
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= database.close().then(() => mark?.close()));
  try {
    if (mark && use === 'accept-loss') await acceptLoss(database, mark);
    const opened = { path, mark, startedAt: host.now() - host.steady() };
    if (!(await isIdentified(database, opened))) await identify(database, newId(host.random));
    return { database: mark && isKept ? watched(database, mark) : database, close };
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

/** Opens the records that this machine has, and that of the caller's team, to look something up without a call. */
export async function openRecords(session: Session): Promise<readonly OpenRecord[]> {
  // An unreadable folder would look as if nothing had been sent.
  refuseUnreadable(session.stateFolder());
  const wasThere = (name: RecordName) => hasRecord(session, name) || (name === 'ledger' && hasMark(session));
  const names = (['ledger', 'local'] as const).filter(wasThere);
  const caller = optionalCaller(session);
  const team = await openTeamOf(session, caller, 'read');
  if (!team && caller) noteMissingTeam(session, caller);
  const records: OpenRecord[] = team ? [{ ...team, isLocal: false }] : [];
  try {
    for (const name of names) records.push({ ...(await openRecordFile(session, name)), isLocal: name === 'local' });
    return records;
  } catch (error) {
    await closeAll(records);
    throw error;
  }
}

/** A lookup, or an erasure, that does not reach what the team has must not look complete. */
function noteMissingTeam(session: Session, caller: AnyCaller): void {
  const account = caller.kind === 'service' ? realAccount(session.host.env, caller) : undefined;
  if (account === undefined || !hasTeamMark(session, account)) return;
  const what = `this machine sends for ${account} with a team, and none is set now`;
  session.note('team-missing', `${what}: this command does not look there; set BIZMSG_TEAM, or bizmsg team join`);
}

export async function closeAll(records: readonly OpenRecord[]): Promise<void> {
  await Promise.all(records.map((record) => record.close()));
}

/** Whether this machine has had the record of real accounts. */
export function hasMark(session: Session): boolean {
  return statsOf(markFile(session)) !== undefined;
}
