import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { unsafe } from '../base/errors.ts';
import { statsOf } from '../base/files.ts';
import { shortHash } from '../store/schema.ts';
import { variable } from './caller.ts';
import { teamUrl } from './profiles/fields.ts';
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

/** The URL of the team's database, which is secret. The sandbox on this machine has no team. */
export function teamOf(
  { host, reporter }: Pick<Session, 'host' | 'reporter'>,
  { caller, simulated }: Pick<CheckedTarget, 'caller' | 'simulated'>,
): string | undefined {
  if (simulated) return undefined;
  const { BIZMSG_TEAM: text } = host.env;
  const stored = 'team' in caller ? caller.team : undefined;
  const url = text === undefined ? stored : variable('BIZMSG_TEAM', text, teamUrl);
  if (url !== undefined) reporter.hide(url);
  return url;
}

/** The highest tick that this machine has seen of the team's database: it sends for that account. */
export function teamMark({ stateFolder }: Pick<Session, 'stateFolder'>, account: string): string {
  return join(stateFolder(), `team-${shortHash(account)}.mark`);
}

export function hasTeamMark(session: Pick<Session, 'stateFolder'>, account: string): boolean {
  // It is empty until something was written there.
  return (statsOf(teamMark(session, account))?.size ?? 0) > 0;
}

export function forgetTeam(session: Pick<Session, 'stateFolder'>, account: string): void {
  rmSync(teamMark(session, account), { force: true });
}

/** Refuses to send without the team: this machine does not know what the team has sent. */
export function refuseWithoutTeam(session: Pick<Session, 'stateFolder'>, account: string): void {
  if (!hasTeamMark(session, account)) return;
  const hint = 'set BIZMSG_TEAM, or bizmsg team join; bizmsg team leave sends without it from now on';
  throw unsafe('team-missing', `this machine sends for ${account} with a team, and none is set now`, hint);
}
