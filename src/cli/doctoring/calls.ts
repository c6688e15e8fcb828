import { type Client, createClient } from '../../client/client.ts';
import { createConceal } from '../../client/trace.ts';
import { failureOf } from '../../client/failure.ts';
import { redirect } from '../../client/exchange.ts';
import { header, openTransport, type Transport } from '../../client/transport.ts';
import type { Heard } from '../../doctor/clock.ts';
import type { Approached, Line } from '../approached.ts';
import { basics, wayTo } from '../calling.ts';

/** A client that counts what it sends, and keeps what an answer says of the time. */
export interface Calls {
  readonly client: Client;
  count(): number;
  heard(): Heard | undefined;
  close(): Promise<void>;
}

/** Milliseconds that an answer may take. */
const patience = 10_000;

export function openCalls(line: Line, { target, simulated }: Approached): Calls {
  const { host, given } = line;
  const { transport, count, heard } = counting(openTransport(wayTo(line, target)), host.now, target.key);
  const client = createClient({
    ...basics(line, target),
    transport,
    timeout: given.timeout ?? patience,
    // What a second try heals, somebody should know of.
    retries: 0,
    local: simulated,
  });
  return { client, count, heard, close: () => transport.close() };
}

function counting(transport: Transport, now: () => number, key: string) {
  const conceal = createConceal(key);
  let [count, heard]: [number, Heard | undefined] = [0, undefined];
  const send: Transport['send'] = async (request, limits) => {
    const sentAt = now();
    count += 1;
    const answer = await transport.send(request, limits);
    heard ??= { sentAt, cameAt: now(), date: header(answer.headers, 'date') };
    // A look is one call, and a service that leads in circles would make it many.
    if (redirect(request, answer, 0).kind === 'follow') {
      const why = `a redirect to "${header(answer.headers, 'location')}", which doctor does not follow`;
      throw failureOf({ kind: 'redirected', answer, why }, { ...request, conceal });
    }
    return answer;
  };
  return { transport: { ...transport, send }, count: () => count, heard: () => heard };
}
