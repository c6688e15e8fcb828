import { hostname } from 'node:os';
import { hostIn } from '../base/liveness.ts';
import { shownAddress } from '../base/postgres-address.ts';
import { query } from '../base/transaction.ts';
import { type Minute, parseMinute, usedOf } from '../client/pace/minute.ts';
import { codeOf } from '../ledger/states.ts';
import type { Steps } from '../ledger/statements.ts';
import type { Team } from './team-server.ts';

/** What `team status` shows. */
export async function statusOf({ server, address, facts }: Team, steady: () => number) {
  const start = steady();
  const { machines, minutes } = await server.database('').read(standing);
  const now = server.now();
  return {
    server: shownAddress(address),
    version: facts().server,
    latency_ms: Math.round((steady() - start) * 5) / 10,
    clock: new Date(now).toISOString(),
    machines,
    minute: minutes.map(({ account, minute }) => `${account}: ${usedOf(minute, now)} requests`),
  };
}

/** The machines with processes that work on runs, and the minute of each account. */
function* standing(): Steps<{ machines: readonly string[]; minutes: readonly { account: string; minute: Minute }[] }> {
  const owners = yield* query(
    `SELECT start, count(DISTINCT owner.id) AS processes, count(item.n) AS rows FROM owner
    LEFT JOIN item ON item.run = owner.run AND item.owner = owner.id AND item.state = ${codeOf('leaving')}
    WHERE is_dead = 0 GROUP BY start ORDER BY start`,
  );
  const machines = owners.map(({ start, processes, rows }) => {
    const name = (typeof start === 'string' ? hostIn(start) : undefined) ?? hostname();
    return `${name} (${Number(processes)} at work, ${Number(rows)} rows in flight)`;
  });
  const found = yield* query('SELECT account, content FROM minute ORDER BY account');
  const minutes = found.map(({ account, content }) => ({
    account: String(account),
    minute: parseMinute(String(content)),
  }));
  return { machines, minutes };
}
