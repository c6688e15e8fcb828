import type { Database } from '../base/transaction.ts';
import { workerName } from '../base/worker.ts';
import type { Context, Emit } from '../cli/command.ts';
import type { BatchClient, Sender } from '../session/session.ts';
import type { Hours } from './hours.ts';
import { hoursOf, rateOf, type Told } from './options.ts';
import type { BatchSignals } from './stop.ts';

/** The connections of a command, and where it records what it does. */
export interface Desk {
  readonly context: Context;
  readonly emit: Emit;
  readonly signals: BatchSignals;
  readonly client: BatchClient;
  readonly sender: Sender;
  readonly database: Database;
  readonly worker: string;
  readonly hours: Hours | undefined;
}

/** Connects with the rate and the hours of a batch. */
export async function openDesk(
  parts: Pick<Desk, 'context' | 'emit' | 'signals' | 'client' | 'database'>,
  told: Told,
): Promise<Desk> {
  const { host } = parts.context;
  const hours = hoursOf(told);
  const closedFor = hours && (() => hours.opensAt(host.now()) - host.now());
  const sender = await parts.client.connect({ rate: rateOf(told), closedFor });
  return { ...parts, sender, worker: workerName(host), hours };
}
