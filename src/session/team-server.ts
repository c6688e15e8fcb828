import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { profileOption } from '../base/shell-quote.ts';
import { openRedis, type Redis } from '../base/redis.ts';
import { createMinuteServer, type MinuteServer } from '../client/pace/minute-server.ts';
import { minuteLength } from '../client/pace/pace.ts';
import { prefixOf } from '../ledger/redis/server.ts';
import type { Account } from '../ledger/ledger.ts';
import { originOf } from './profiles/fields.ts';
import { environmentAccount, stateFolder } from './profiles/environment.ts';
import type { ServiceCaller } from './profiles/resolve.ts';
import { secretsOf, teamOf } from './team.ts';
import type { Session, TeamServer } from './session.ts';

/** Connects to the server of the caller's team. Undefined with --no-team. */
export function openTeamServer(session: Session, caller: ServiceCaller): TeamServer | undefined {
  const { host, given, reporter } = session;
  for (const secret of secretsOf(caller.team ?? '')) reporter.hide(secret);
  const team = teamOf(caller, host.env);
  if (!team) return undefined;
  if (given.noTeam) {
    reporter.note('no-team', 'this command does not use the ledger of the team, and cannot see what others send');
    return undefined;
  }
  const account = accountFor(caller, environmentAccount(host.env));
  const name = `${account.origin} ${account.id}`;
  const redis = withTeamErrors(openRedis({ address: team.address }), given.profile);
  const minutes: MinuteServer[] = [];
  const file = createHash('sha256').update(`${team.shown} ${name}`).digest('hex').slice(0, 16);
  return {
    redis,
    secret: team.secret,
    account,
    name,
    prefix: prefixOf(name),
    lastSeen: join(stateFolder(host.env, host.home), 'teams', `${file}.json`),
    minute(window) {
      const key = `${prefixOf(name)}pace:${caller.mode}${window === minuteLength ? '' : `:${window}`}`;
      const id = randomBytes(8).toString('hex');
      const minute = createMinuteServer({ redis, key, window, id, now: host.steady });
      minutes.push(minute);
      return minute;
    },
    async isReachable() {
      try {
        await redis.call('PING');
        return true;
      } catch (error) {
        if (error instanceof CliError && error.exit === 'network') return false;
        throw error;
      }
    },
    async close() {
      // A server that is gone frees the slots by itself.
      await Promise.all(minutes.map((minute) => minute.close().catch(() => {})));
      redis.close();
    },
  };
}

/** The same on all machines of the team: neither the name of a profile nor a key is part of it. */
function accountFor({ baseUrl }: ServiceCaller, named: string | undefined): Account {
  const origin = originOf(baseUrl);
  return { id: named === undefined ? 'team' : `name:${named}`, origin, isKeyDigest: false };
}

/** Tells failures of the team's server from those of the service. */
function withTeamErrors(redis: Redis, profile: string | undefined): Redis {
  return {
    name: redis.name,
    call: (...words) => redis.call(...words).catch(fail),
    run: (...words) => redis.run(...words).catch(fail),
    close: () => redis.close(),
  };

  function fail(error: unknown): never {
    if (!(error instanceof CliError) || error.exit !== 'network') throw error;
    const { exit, message, cause } = error;
    const check = `bizmsg doctor${profileOption(profile)} checks it`;
    const hint = `${check}; --no-team sends without it, and cannot see what others send`;
    throw new CliError(exit, 'team-unreachable', `the server of the team: ${message}`, { hint, done: 'no', cause });
  }
}
