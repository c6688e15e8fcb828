import type { Later } from '../../base/host.ts';
import { sleep } from '../../base/sleep.ts';
import { createLanes, type Job, type Lanes } from '../../delivery/lanes.ts';
import { openTarget, type PostResult, type Target } from '../../delivery/target.ts';
import { isDelivered } from '../../contract/events.ts';
import type { WebhookEvent } from '../event/event.ts';
import type { ForwardedItem } from '../items.ts';
import type { EventLog } from '../log/log.ts';
import type { Headers } from '../../delivery/headers.ts';
import { bytesOf, type Forwarded, type Received } from '../log/records.ts';
import { forwardedBy } from '../receive/requests.ts';
import { createNotes } from '../throttled-warnings.ts';
import type { Routes } from './routes.ts';

export interface Forwarding {
  readonly routes: Routes;
  /** Retries failed attempts. */
  readonly retry: boolean;
}

/** Forwards events: in order per message (events without one share a lane), eight in parallel per address. */
export interface Forwarder {
  add(received: Received, event: WebhookEvent): void;
  /** Resolves once there is room for more events. */
  room(): Promise<void>;
  /**
   * Waits for attempts in flight, and until all events are added. Records those that were not attempted. Returns the
   * number of events that were not forwarded.
   */
  stop(added?: Promise<unknown>): Promise<number>;
}

interface ForwarderOptions {
  readonly log: Pick<EventLog, 'forwarded'>;
  readonly report: (item: ForwardedItem) => void;
  readonly warn?: ((text: string) => void) | undefined;
  readonly later: Later;
  readonly now: () => number;
  /** Identifies this listener, so that it refuses events that come back to it. */
  readonly mark: string;
}

/** An event to forward, and its destination. */
interface Order {
  readonly event: string;
  readonly url: string;
}

interface Destination {
  readonly target: Target;
  readonly lanes: Lanes;
}

const second = 1_000;
/** Milliseconds before each retry. */
const retryDelays = [1, 2, 5, 10, 20].map((seconds) => seconds * second);
const timeout = 30 * second;
/** Milliseconds that `stop` waits for attempts in flight. */
const gracePeriod = 2 * second;
const mostPending = 1_000;

export function createForwarder({ routes, retry }: Forwarding, options: ForwarderOptions): Forwarder {
  const { log, report, warn = () => {}, later, now, mark } = options;
  const note = createNotes(warn, now);
  const destinations = new Map<string, Destination>();
  const stopped = new AbortController();
  const unattempted = new Set<Order>();
  let [pending, inFlight] = [0, 0];
  let wakeUps: (() => void)[] = [];
  return {
    add(received, event) {
      const url = routes.of(event);
      if (!url) return;
      pending += 1;
      destinationOf(url).lanes.add(event.message_id ?? '', attempts(received, url));
    },
    room: () => until(() => pending < mostPending || stopped.signal.aborted),
    async stop(added) {
      stopped.abort();
      for (const { lanes } of destinations.values()) lanes.stop();
      wake();
      await graceful();
      for (const { target } of destinations.values()) target.close();
      await until(() => inFlight === 0);
      await added;
      for (const order of unattempted) record({ ...order, ms: 0, error: 'not sent: the listener stopped' });
      unattempted.clear();
      return pending;
    },
  };

  function destinationOf(url: URL): Destination {
    const known = destinations.get(url.href);
    if (known) return known;
    const destination = { target: openTarget(url, timeout), lanes: createLanes(later) };
    if (stopped.signal.aborted) destination.lanes.stop();
    destinations.set(url.href, destination);
    return destination;
  }

  function attempts(received: Received, url: URL): Job {
    const request = forwardRequest(received, url, [[forwardedBy, mark]]);
    const order: Order = { event: received.id, url: url.href };
    unattempted.add(order);
    let attempt = 0;
    return async () => {
      unattempted.delete(order);
      inFlight += 1;
      const start = now();
      const result = resultOf(await destinationOf(url).target.send(request));
      attempt += 1;
      const delay = retry && !isDelivered(result) ? retryDelays[attempt - 1] : undefined;
      const retryIn = stopped.signal.aborted ? undefined : delay;
      const forwarded = { ...order, ms: now() - start, ...result };
      record(forwarded);
      report({ type: 'forwarded', ...forwarded, attempt, ...(retryIn !== undefined && { retry_in: retryIn }) });
      inFlight -= 1;
      if (delay === undefined) pending -= 1;
      wake();
      return retryIn;
    };
  }

  function record(forwarded: Omit<Forwarded, 'type' | 'forwarded_at'>): void {
    try {
      log.forwarded(forwarded);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      note('forwarded', `the result of forwarding ${forwarded.event} could not be recorded: ${reason}`);
    }
  }

  /** Resolves once nothing is in flight, or after the grace period. */
  async function graceful(): Promise<void> {
    const enough = new AbortController();
    const done = until(() => inFlight === 0).then(() => enough.abort());
    await Promise.race([done, sleep(gracePeriod, later, enough.signal)]);
  }

  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => wakeUps.push(resolve));
  }

  function wake(): void {
    const all = wakeUps;
    wakeUps = [];
    for (const resolve of all) resolve();
  }
}

/** Characters of an answer's body that are recorded. */
const mostBody = 1_000;

export function resultOf({ response, error }: PostResult): Pick<Forwarded, 'status' | 'error' | 'body'> {
  const body = response?.encoding === undefined ? response?.body.slice(0, mostBody) : undefined;
  return {
    ...(response && { status: response.status }),
    ...(error !== undefined && { error }),
    ...(body !== undefined && body !== '' && { body }),
  };
}

/** Headers of one connection; the last two are set for the new one. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
];

/** The event with the bytes and headers it was received with, except hop-by-hop headers, and with `added` headers. */
export function forwardRequest(
  received: Received,
  { host }: URL,
  added: Headers = [],
): { readonly headers: string[]; readonly body: Buffer } {
  const body = bytesOf(received);
  const named = received.headers.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const dropped = new Set([...hopByHop, ...named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/))]);
  const headers = received.headers.filter(([name]) => !dropped.has(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), ...added.flat(), 'content-length', String(body.length)], body };
}
