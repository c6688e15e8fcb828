import { join } from 'node:path';
import { statsOf } from '../base/files.ts';
import type { CheckedTarget, Session } from './session.ts';

/** The database of batches and single messages: of real accounts, or of the sandbox on this machine. */
export type RecordName = 'ledger' | 'local';

export function recordOf({ simulated }: Pick<CheckedTarget, 'simulated'>): RecordName {
  return simulated ? 'local' : 'ledger';
}

export function recordFile({ stateFolder }: Pick<Session, 'stateFolder'>, name: RecordName): string {
  return join(stateFolder(), `${name}.db`);
}

/** The file with the highest tick seen of the record of real accounts. */
export function markFile({ stateFolder }: Pick<Session, 'stateFolder'>): string {
  return join(stateFolder(), 'ledger.mark');
}

/** Whether this machine has it. An empty file was never used. */
export function hasRecord(session: Pick<Session, 'stateFolder'>, name: RecordName): boolean {
  const stats = statsOf(recordFile(session, name));
  return stats !== undefined && !(stats.isFile() && stats.size === 0);
}
