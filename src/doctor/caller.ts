import { keyPrefixes, modeOf } from '../contract/keys.ts';
import { CliError } from '../base/errors.ts';
import type { Caller, ServiceCaller } from '../session/profiles/resolve.ts';
import type { Explanation } from '../session/profiles/explain.ts';
import type { CheckedTarget } from '../session/session.ts';
import { maskKey } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { whole } from '../cli/output/figures.ts';
import { shownAddress } from '../base/postgres-address.ts';
import { countProblem } from '../ledger/statements.ts';
import type { Session } from '../session/session.ts';
import { teamOfCaller } from '../session/team.ts';
import { type Check, checksOf, foreseen } from './check.ts';

const { pass, warn, skip, fail, failed } = checksOf('profile');

/** The current profile or key and its source. */
export function callerCheck({ caller, problem, candidates }: Explanation): Check {
  if (problem) return failed('caller', problem);
  if (!caller) return fail('caller', 'no profile or key', 'bizmsg login, or --profile local', 'configuration');
  if (caller.kind === 'local' && caller.newcomer)
    return pass('caller', 'local, since there is no profile yet; bizmsg login adds one');
  const lost = candidates
    .filter(({ source, wins, address }) => !wins && address !== undefined && source !== 'newcomer')
    .map(({ source, profile }) => (source === 'profile in use' ? `${profile}, the profile in use` : source));
  const before = lost.length > 0 ? `, which overrides ${lost.join(' and ')}` : '';
  return pass('caller', `${nameOf(caller)}${before}`);
}

function nameOf(caller: Caller): string {
  const { source } = caller;
  if (source === 'BIZMSG_API_KEY') return 'the key in BIZMSG_API_KEY';
  const name = caller.kind === 'local' ? 'local' : (caller.profile ?? '');
  return source === 'profile in use' ? `${name}, the profile in use` : `${name}, named by ${source}`;
}

export function keyCheck({ key, mode }: Pick<ServiceCaller, 'key' | 'mode'>, simulated: boolean): Check {
  const shown = maskKey(key);
  if (simulated && modeOf(key) === 'live')
    return pass('key', `${shown}, a live key of the sandbox: nothing is really sent`);
  if (modeOf(key) === 'sandbox') return pass('key', `${shown}, a sandbox key`);
  if (modeOf(key) === 'live') return pass('key', `${shown}, a live key: what it sends is real`);
  const taken = mode === 'unknown' ? 'live' : mode;
  const remedy = `check it in the account settings: keys begin with ${keyPrefixes.sandbox} or ${keyPrefixes.live}`;
  return warn('key', `${shown} has neither prefix, so it counts as a ${taken} key`, remedy);
}

/** The ledger of the caller's team, if it has one. */
export async function teamChecks(session: Session, caller: Caller): Promise<readonly Check[]> {
  try {
    const team = await teamOfCaller(session, caller);
    if (!team) return [];
    const problem = await team.server.database('').read(countProblem);
    const { server, isUnsafe } = team.facts();
    const shown = `${shownAddress(team.address)}, PostgreSQL ${server}`;
    if (problem !== undefined)
      return [fail('team', `${shown}: ${problem}`, 'restore it from a backup', 'configuration')];
    const remedy = 'turn fsync and full_page_writes on there: live messages are refused until then';
    return [isUnsafe ? warn('team', `${shown}, which may lose what it confirmed`, remedy) : pass('team', shown)];
  } catch (error) {
    return [failed('team', foreseen(error))];
  }
}

/** §8: it sets the pace of runs. */
export function planCheck(caller: Caller, perMinute: number | undefined, simulated: boolean): Check {
  const name = caller.kind === 'service' ? caller.plan : undefined;
  const shown = name === undefined ? '' : `${name}, `;
  if (perMinute !== undefined) return pass('plan', `${shown}${whole(perMinute)} requests a minute`);
  if (simulated) return pass('plan', 'no limit in the sandbox');
  const what = name === undefined ? 'not known' : `${name}, its rate not known`;
  const isSandbox = caller.mode === 'sandbox';
  const pace = isSandbox ? 'runs cannot be paced' : 'a run with a live key sends 60 a minute';
  return warn('plan', `${what}, so ${pace}`, planRemedy(caller));
}

function planRemedy(caller: Caller): string {
  const { profile, plan } = caller.kind === 'service' ? caller : {};
  if (profile === undefined)
    return 'give each run a --rate, such as 300/m, or keep the plan in a profile: bizmsg login';
  const words = plan === 'enterprise' ? '--plan enterprise --rate N/m' : '--plan NAME';
  return `bizmsg profiles set ${shellQuote(profile)} ${words}`;
}

/** Whether the key may go to its address. */
export function addressCheck(reached: CheckedTarget | CliError | undefined): Check {
  if (reached instanceof CliError) return failed('address', reached);
  if (reached) return pass('address', reached.target.baseUrl);
  return skip('address', 'the sandbox is not running, and this starts none', 'bizmsg sandbox start --background');
}
