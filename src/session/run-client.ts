import type { KnownPace } from '../client/pace.ts';
import { refuseAgent } from './agents.ts';
import { openBatchClient } from './batch-client.ts';
import type { Caller } from './caller.ts';
import { openLedger } from './ledger.ts';
import type { Connection, RunClient, RunOptions, Session } from './session.ts';

interface Opened {
  readonly connection: Pick<Connection, 'simulated' | 'mode' | 'close'>;
  readonly runClient: RunClient;
}

export async function openRunClient(session: Session, caller: Caller, options: RunOptions = {}): Promise<Opened> {
  const { concurrency: connections, signals, ...rest } = options;
  const { signal } = session.host;
  const ends = signals ?? { stop: signal, leave: signal };
  const { checkedTarget, connection, batchClient } = await openBatchClient(session, caller, ends);
  const sender = await batchClient.connect({ ...rest, connections });
  const runClient: RunClient = {
    ...batchClient,
    ...sender,
    concurrency: connections ?? concurrencyFor(sender.pace.limit),
    ledger: async (kind) => {
      refuseAgent(session, checkedTarget);
      return openLedger(session, checkedTarget, kind);
    },
  };
  return { connection, runClient };
}

/** Requests in flight at a rate, if each takes two seconds. */
function concurrencyFor(limit: KnownPace | undefined): number {
  const perSecond = limit ? (1_000 * limit.perWindow) / limit.window : 0;
  return Math.min(64, Math.max(16, Math.ceil(2 * perSecond)));
}
