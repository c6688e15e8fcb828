import { closing, query } from '../base/transaction.ts';
import { CliError } from '../base/errors.ts';
import { integrityProblem } from '../base/sqlite.ts';
import { damaged } from '../base/sqlite-errors.ts';
import { type Caller, optionalCaller, realAccount } from '../session/caller.ts';
import { hasMark, openTeamOf, openRecordFile } from '../session/record.ts';
import { hasRecord, recordFile, refuseWithoutTeam, teamOf } from '../session/record-file.ts';
import type { Session } from '../session/session.ts';

/** Reads the whole record of this machine, and asks that of the team; throws the error that a command would get. */
export async function checkRecord(session: Session, caller: Caller | undefined): Promise<void> {
  await checkTeam(session, caller);
  if (caller?.kind === 'service' && teamOf(session, { caller, simulated: false }) === undefined)
    refuseWithoutTeam(session, realAccount(session.host.env, caller));
  if (!hasRecord(session, 'ledger') && !hasMark(session)) return;
  const record = await openRecordFile(session, 'ledger', 'read');
  const problem = await closing(record, ({ database }) => database.read(integrityProblem));
  if (problem !== undefined) throw damaged(recordFile(session, 'ledger'), problem);
}

async function checkTeam(session: Session, caller: Caller | undefined): Promise<void> {
  const team = await openTeamOf(session, caller, 'write');
  if (team) await closing(team, ({ database }) => database.read(() => query('SELECT 1')));
}

/** Whether the record of this machine, or of the team, has lost something. */
export async function hasLoss(session: Session): Promise<boolean> {
  try {
    await checkTeam(session, optionalCaller(session));
    if (hasMark(session)) await (await openRecordFile(session, 'ledger', 'read')).close();
    return false;
  } catch (error) {
    if (error instanceof CliError && error.code === 'ledger-older') return true;
    throw error;
  }
}

export async function acceptLoss(session: Session): Promise<void> {
  await (await openTeamOf(session, optionalCaller(session), 'accept-loss'))?.close();
  if (hasMark(session)) await (await openRecordFile(session, 'ledger', 'accept-loss')).close();
}
