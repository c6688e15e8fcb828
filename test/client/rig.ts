import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts';
import { sendDirect } from '../../src/client/transport.ts';
import { complete } from '../../src/client/exchange.ts';
import { openPool, type PoolOptions } from '../../src/client/pool.ts';
import type { Transport } from '../../src/client/wire.ts';
import { CliError } from '../../src/base/errors.ts';
import { rejection } from '../support/thrown.ts';

export const ways = ['direct', 'pool'] as const;
export type Way = (typeof ways)[number];

export const key = 'sk_test_0123456789abcdef';

export const message = { to: '+12025550101', template: 'order_update', params: ['Ada'] };

type Ends = Pick<PoolOptions, 'ca' | 'connectTimeout' | 'connections'> & { readonly url: string };

export function open(way: Way, { url, ...options }: Ends): Transport {
  if (way === 'direct')
    return { send: (request, limits) => sendDirect(request, limits, options), close: async () => {} };
  const transport = openPool({ origin: new URL(url).origin, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

/** A client for a URL, whose waits take no time. */
export async function rig(way: Way, url: string, options: Partial<ClientOptions> = {}) {
  /** The waits of the client before each retry. */
  const waits: number[] = [];
  const lines: string[] = [];
  const client = createClient({
    baseUrl: url,
    key,
    userAgent: 'bizmsg-test',
    transport: open(way, { url }),
    signal: new AbortController().signal,
    random: () => 0.5,
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
    trace: (line) => lines.push(line),
    ...options,
  });
  return { client, waits, lines };
}

/** Sends a request as given. */
export async function raw(client: Client, request: Parameters<Client['raw']>[0]) {
  return complete(client.raw(request));
}

/** The error of a failed call. */
export function failureFrom(call: Promise<unknown>): Promise<CliError> {
  return rejection(call, CliError);
}
