import { configuration } from '../base/errors.ts';
import type { Kind } from '../ledger/ledger.ts';
import { emptyLedger, hasLedger, openLedger as open, pathOf } from '../ledger/open.ts';
import { accountOf } from './account.ts';
import type { Team } from './team-server.ts';
import { refuseEarlyClock } from './clock.ts';
import { ageOf, watchAge } from './ledger-age.ts';
import type { CheckedTarget, OpenedLedger, Session } from './session.ts';
import { teamOf } from './team.ts';

/** The ledger for what is sent as this caller. A dry run creates none. */
export async function openLedger(session: Session, checkedTarget: CheckedTarget, kind: Kind): Promise<OpenedLedger> {
  const { host, given, reporter } = session;
  const { target, simulated } = checkedTarget;
  const isLive = !simulated && target.mode !== 'sandbox';
  if (isLive && kind === 'message') refuseEarlyClock(host.now());
  const account = accountOf(host.env, checkedTarget);
  const team = await teamOf(session, checkedTarget);
  if (given.noTeam && !simulated)
    session.note('no-team', "the team's ledger is not used, so what its other machines sent is not known here");
  if (team) return { ...(await openShared(session, checkedTarget, team)), account };
  const which = { stateFolder: session.stateFolder(), isLocal: simulated };
  const note = (message: string) => reporter.note('ledger', message);
  const options = { ...which, host, isLive, signal: host.signal, note };
  const ledger = given.dryRun && !hasLedger(which) ? emptyLedger(options) : await open(options);
  if (!isLive || given.dryRun) return { ledger, account };
  return { ledger: await watchAge(session, { ledger, age: ageOf(ledger, pathOf(which)) }), account };
}

/** The ledger of a team. Its clock is that of the server. */
async function openShared(session: Session, { target }: CheckedTarget, team: Team) {
  const { openTeamLedger } = await import('./team-ledger.ts');
  const isLive = target.mode !== 'sandbox' && !session.given.dryRun;
  if (isLive && team.facts().isUnsafe) throw unsafeServer();
  const opened = await openTeamLedger(team, session.host);
  return { ledger: isLive ? await watchAge(session, opened) : opened.ledger, isTeam: true };
}

function unsafeServer(): Error {
  const hint = 'turn them on there; live messages are refused until then';
  return configuration('team-unsafe', 'fsync or full_page_writes is off on the server, so it may lose claims', hint);
}
