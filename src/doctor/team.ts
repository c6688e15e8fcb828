import { counted } from '../cli/output/figures.ts';
import { isSingles } from '../ledger/ledger.ts';
import { type Health, readHealth, unfitnessOf } from '../ledger/redis/health.ts';
import type { Caller } from '../session/profiles/resolve.ts';
import type { Session } from '../session/session.ts';
import { serverLedger } from '../session/team-ledger.ts';
import { type Check, checksOf, foreseen } from './check.ts';

const { pass, warn, fail, failed } = checksOf('team');

/** The server of the caller's team; none without a team. Nothing is written there. */
export async function teamChecks(session: Session, caller: Caller): Promise<readonly Check[]> {
  const started = session.host.steady();
  try {
    const server = await session.team(caller);
    if (!server) return [];
    await server.redis.call('PING');
    const connected = session.host.steady();
    await server.redis.call('PING');
    const latency = Math.ceil(session.host.steady() - connected);
    const health = await readHealth(server.redis);
    const { version = 'of unknown version' } = health;
    const reached = `${server.redis.name}, ${version}, connected in ${Math.ceil(connected - started)} ms, answers in ${latency} ms`;
    return [pass('server', reached), ...healthChecks(health), await ledgerCheck(session, server)];
  } catch (error) {
    const fault = foreseen(error);
    return [failed('server', fault, fault.code === 'team-unreachable' ? unreachable : undefined)];
  }
}

const unreachable =
  'start the server, or let this machine reach it; profiles set NAME --team-stdin changes its address; --no-team sends without it';

function healthChecks(health: Health): readonly Check[] {
  const unfit = unfitnessOf(health).map(({ what, hint }) =>
    fail('persistence', `the server ${what}; live messages are refused`, hint, 'configuration'),
  );
  if (unfit.length > 0) return unfit;
  const { keepsChanges, sync, eviction } = health;
  if (keepsChanges === undefined || eviction === undefined)
    return [warn('persistence', 'the server does not say whether it keeps its data', 'check its appendonly setting')];
  if (sync === 'always') return [pass('persistence', 'each change is on the disk before it is answered')];
  const lost = sync === 'everysec' ? 'may lose its last second' : 'may lose its last seconds';
  return [
    warn('persistence', `a crash of the server ${lost}; bizmsg stops then (exit 11)`, 'appendfsync always loses none'),
  ];
}

/** The secret, the version of the data, and whether some of it was lost. */
async function ledgerCheck(session: Session, server: Parameters<typeof serverLedger>[1]): Promise<Check> {
  const ledger = serverLedger(session, server);
  try {
    const runs = (await ledger.runs()).filter(({ id }) => !isSingles(id)).length;
    return pass('ledger', `the secret fits; ${counted(runs, 'run')}`);
  } catch (error) {
    return failed('ledger', foreseen(error));
  } finally {
    await ledger.close();
  }
}
