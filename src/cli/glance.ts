import type { Client } from '../client/client.ts';
import { CliError } from '../base/errors.ts';
import type { Approached, Line } from './approached.ts';
import { type ManyCalls, openConnection } from './calling.ts';

/** Milliseconds that a run may be kept from its first row. */
const longest = 3_000;

/** Looks at something that is good to know and not needed: in a moment, without a repetition, or not at all. */
export async function glance(
  line: Line,
  approached: Approached,
  { pace, stop }: Pick<ManyCalls, 'pace'> & { readonly stop: AbortSignal },
  look: (client: Pick<Client, 'pages'>) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const cancel = line.host.later(longest, () => late.abort());
  const signal = AbortSignal.any([stop, late.signal]);
  const once = { ...line, given: { ...line.given, retries: 0 } };
  const ways = { connections: 1, pace, looksOnly: true, signal, boarding: signal };
  const { client, close } = await openConnection(once, approached, ways);
  try {
    await look(client);
  } catch (error) {
    // A key may be allowed to send and not to read.
    if (!(error instanceof CliError)) throw error;
  } finally {
    cancel();
    await close();
  }
}
