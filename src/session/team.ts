import { CliError } from '../base/errors.ts';
import type { Team } from './team-server.ts';
import { currentCaller, variable } from './caller.ts';
import type { AnyCaller, CheckedTarget, Session } from './session.ts';

/** The team whose ledger a call uses, if it has one; the local sandbox has its own. */
export async function teamOf(session: Session, { caller, simulated }: CheckedTarget): Promise<Team | undefined> {
  return simulated ? undefined : teamOfCaller(session, caller);
}

export async function teamOfCaller(session: Session, caller: AnyCaller): Promise<Team | undefined> {
  const line = lineOf(session, caller);
  return line === undefined ? undefined : session.team(line);
}

/** The team of the command line, also if it has no caller. */
export async function currentTeam(session: Session): Promise<Team | undefined> {
  let caller: AnyCaller | undefined;
  try {
    caller = currentCaller(session);
  } catch (error) {
    if (!(error instanceof CliError) || session.given.profile !== undefined) throw error;
  }
  const line = lineOf(session, caller ?? nobody);
  return line === undefined ? undefined : session.team(line);
}

const nobody = { kind: 'service' } as const;

function lineOf({ host, given }: Session, caller: AnyCaller | typeof nobody): string | undefined {
  if (given.noTeam || caller.kind === 'local') return undefined;
  return host.env['BIZMSG_TEAM'] ?? ('team' in caller ? caller.team : undefined);
}

/** Opens it when it is first used. */
export async function openTeam({ host, reporter, note }: Session, line: string): Promise<Team> {
  const { createTeam, teamLine } = await import('./team-server.ts');
  const read = host.env['BIZMSG_TEAM'] === line ? variable('BIZMSG_TEAM', line, teamLine) : teamLine(line);
  for (const secret of [line, read.secret, read.address.password]) if (secret !== '') reporter.hide(secret);
  const team = createTeam(read, host, (message) => note('team', message));
  await team.server.connect();
  return team;
}
