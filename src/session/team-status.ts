import { hostname } from 'node:os';
import { hostIn } from '../base/liveness.ts';
import { shownAddress } from '../base/postgres-address.ts';
import { query } from '../base/transaction.ts';
import { codeOf } from '../ledger/states.ts';
import type { Steps } from '../ledger/statements.ts';
import type { Team } from './team-server.ts';

/** What `team status` shows. */
export async function statusOf({ server, address, facts }: Team, steady: () => number) {
  const start = steady();
  const machines = await server.database('').read(standing);
  return {
    server: shownAddress(address),
    version: facts().server,
    latency_ms: Math.round((steady() - start) * 5) / 10,
    clock: new Date(server.now()).toISOString(),
    machines,
  };
}

/** The machines with processes that work on runs. */
function* standing(): Steps<readonly string[]> {
  const owners = yield* query(
    `SELECT start, count(DISTINCT owner.id) AS processes, count(item.n) AS rows FROM owner
    LEFT JOIN item ON item.run = owner.run AND item.owner = owner.id AND item.state = ${codeOf('leaving')}
    WHERE is_dead = 0 GROUP BY start ORDER BY start`,
  );
  return owners.map(({ start, processes, rows }) => {
    const name = (typeof start === 'string' ? hostIn(start) : undefined) ?? hostname();
    return `${name} (${Number(processes)} at work, ${Number(rows)} rows in flight)`;
  });
}
