import { CliError } from '../base/errors.ts';
import { integrityProblem } from '../base/sqlite.ts';
import { damaged } from '../base/sqlite-errors.ts';
import { hasMark, openRecordFile } from '../session/record.ts';
import { hasRecord, recordFile } from '../session/record-file.ts';
import type { Session } from '../session/session.ts';

/** Reads the whole record of this machine; throws the error that a command would get. */
export async function checkRecord(session: Session): Promise<void> {
  if (!hasRecord(session, 'ledger') && !hasMark(session)) return;
  const record = await openRecordFile(session, 'ledger', 'read');
  try {
    const problem = await record.database.read(integrityProblem);
    if (problem !== undefined) throw damaged(recordFile(session, 'ledger'), problem);
  } finally {
    await record.close();
  }
}

/** Whether the record of this machine is older than it was. */
export async function hasLoss(session: Session): Promise<boolean> {
  if (!hasMark(session)) return false;
  try {
    await (await openRecordFile(session, 'ledger', 'read')).close();
    return false;
  } catch (error) {
    if (error instanceof CliError && error.code === 'ledger-older') return true;
    throw error;
  }
}

export async function acceptLoss(session: Session): Promise<void> {
  await (await openRecordFile(session, 'ledger', 'accept-loss')).close();
}
