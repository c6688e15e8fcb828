import { type Later, sleep } from '../../base/sleep.ts';
import { CliError } from '../../base/errors.ts';
import { redact } from '../../base/redact.ts';
import type { Database } from '../../base/transaction.ts';
import { createLanes, type Job, type Lanes } from '../../delivery/lanes.ts';
import { openTarget, type PostResult, type Target } from '../../delivery/target.ts';
import { isDelivered } from '../../contract/events.ts';
import type { Headers } from '../../delivery/headers.ts';
import type { Delivery } from '../../logs/events.ts';
import { abandon, type Attempt, type Order, ordersAfter, recordForward } from '../../logs/forwards.ts';
import type { Bell } from '../bell.ts';
import { forwardedBy } from '../receive/requests.ts';
import type { Note } from '../throttled-warnings.ts';

/** Forwards the pending events of a listener: in order per lane, eight in parallel per address. */
export interface Forwarder {
  /** Tells how many more events were recorded to be forwarded, and rings. */
  expect(events: number): void;
  /** Waits for attempts in flight, and records the events that were not attempted. Returns the number of unsent events. */
  stop(): Promise<number>;
}

interface ForwarderOptions {
  readonly logs: Database;
  readonly listener: string;
  /** Retries failed attempts. */
  readonly retry: boolean;
  readonly bell: Bell;
  readonly note: Note;
  readonly later: Later;
  readonly now: () => number;
}

interface Connection {
  readonly target: Target;
  readonly lanes: Lanes;
}

const second = 1_000;
/** Milliseconds before each retry. */
const retryDelays = [1, 2, 5, 10, 20].map((seconds) => seconds * second);
const timeout = 30 * second;
/** Milliseconds that `stop` waits for attempts in flight. */
const gracePeriod = 2 * second;
/** Bytes of the events in memory, and those that each takes besides its body. */
const [mostHeld, heldBesides] = [8 * 1024 * 1024, 8 * 1024];

export function startForwarder({ logs, listener, retry, bell, note, later, now }: ForwarderOptions): Forwarder {
  const connections = new Map<string, Connection>();
  let [unsent, held, inFlight, isStopped] = [0, 0, 0, false];
  const taking = takeOrders();
  return {
    expect(events) {
      unsent += events;
      bell.ring();
    },
    async stop() {
      isStopped = true;
      for (const { lanes } of connections.values()) lanes.stop();
      bell.ring();
      await taking;
      await graceful();
      for (const { target } of connections.values()) target.close();
      await bell.until(() => inFlight === 0);
      if (unsent > 0) await abandonAll();
      return unsent;
    },
  };

  /** Holds a few of the pending events in memory; the others wait in the logs. */
  async function takeOrders(): Promise<void> {
    for (let last = 0; ;) {
      await bell.until(() => isStopped || (held < mostHeld && unsent > 0));
      if (isStopped) return;
      const { rings } = bell;
      const orders =
        (await tolerated(logs.read(ordersAfter(last, listener)), 'cannot read the events to forward')) ?? [];
      for (const order of orders) forward(order);
      last = orders.at(-1)?.event.number ?? last;
      if (orders.length === 0) await bell.until(() => isStopped || bell.rings > rings);
    }
  }

  function forward(order: Order): void {
    if (isStopped) return;
    held += sizeOf(order);
    connectionTo(order.url).lanes.add(order.lane, attempts(order));
  }

  function connectionTo(url: string): Connection {
    const known = connections.get(url);
    if (known) return known;
    const connection = { target: openTarget(new URL(url), timeout), lanes: createLanes(later) };
    connections.set(url, connection);
    return connection;
  }

  function attempts(order: Order): Job {
    const { event, url } = order;
    const request = forwardRequest(event, new URL(url), [[forwardedBy, listener]]);
    let attempt = 0;
    return async () => {
      inFlight += 1;
      const start = now();
      const result = resultOf(await connectionTo(url).target.send(request));
      const delay = retry && !isDelivered(result) ? retryDelays[attempt] : undefined;
      const retryIn = isStopped ? undefined : delay;
      attempt += 1;
      const recording = recordForward(
        event.number,
        now(),
        { url, ms: now() - start, ...result },
        { listener, attempt, retryIn },
      );
      await tolerated(logs.write(recording), `the result of forwarding ${event.id} could not be recorded`);
      inFlight -= 1;
      if (delay === undefined) {
        unsent -= 1;
        held -= sizeOf(order);
      }
      bell.ring();
      return retryIn;
    };
  }

  /** Resolves once nothing is in flight, or after the grace period. */
  async function graceful(): Promise<void> {
    const enough = new AbortController();
    const done = bell.until(() => inFlight === 0).then(() => enough.abort());
    await Promise.race([done, sleep(gracePeriod, later, enough.signal)]);
  }

  async function abandonAll(): Promise<void> {
    const what = 'the events that were not forwarded could not be recorded';
    while (await tolerated(logs.write(abandon(listener, now())), what));
  }

  async function tolerated<T>(work: Promise<T>, what: string): Promise<T | undefined> {
    return work.catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      note('forward', `${what}: ${error.message}`);
      return undefined;
    });
  }
}

function sizeOf({ event }: Order): number {
  return event.body.length + heldBesides;
}

/** Characters of an answer's body that are recorded. */
const mostBody = 1_000;

export function resultOf({ response, error }: PostResult): Omit<Attempt, 'url' | 'ms'> {
  const body = response?.encoding === undefined ? response && startOf(response.body) : undefined;
  return {
    ...(response && { status: response.status }),
    ...(error !== undefined && { error }),
    ...(body !== undefined && body !== '' && { body }),
  };
}

/** The start of an answer, without keys, which the error page of a handler may show. */
function startOf(body: string): string {
  return redact(body.slice(0, 2 * mostBody)).slice(0, mostBody);
}

/** Headers of one connection; the last two are set for the new one. */
const hopByHop = [
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
];
/** Headers by which a sender would seem to be a known client or proxy of the handler. */
const untrusted = /^(?:cookie|authorization|forwarded|proxy-.*|x-forwarded-.*)$/;

/** The event with its bytes and headers, except hop-by-hop and untrusted ones, and with `added` headers. */
export function forwardRequest(
  { headers: given, body }: Pick<Delivery, 'headers' | 'body'>,
  { host }: URL,
  added: Headers = [],
): { readonly headers: string[]; readonly body: Buffer } {
  const named = given.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const dropped = new Set([...hopByHop, ...named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/))]);
  // Many servers pass both signs on as the same.
  const isKept = (name: string) => !dropped.has(name) && !untrusted.test(name.replaceAll('_', '-'));
  const headers = given.filter(([name]) => isKept(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), ...added.flat(), 'content-length', String(body.length)], body };
}
