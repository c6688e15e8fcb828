import type { Later } from '../../base/host.ts';
import { openTarget, type Outcome, type Target } from '../../delivery/target.ts';
import type { WebhookEvent } from '../event/event.ts';
import type { ForwardedItem } from '../items.ts';
import type { EventLog } from '../log/log.ts';
import { bytesOf, type Forwarded, type Headers, type Received } from '../log/records.ts';
import { sleep } from '../../base/sleep.ts';
import { createLanes, type Job, type Lanes } from './lanes.ts';
import { forwardedBy } from '../receive/requests.ts';
import { type Routes } from './routes.ts';

export interface Forwarding {
  readonly routes: Routes;
  /** What fails is tried again. */
  readonly retry: boolean;
}

/** Sends events on: of each message one after the other, and so those of none, and to each address a few at once. */
interface Forwarder {
  add(received: Received, event: WebhookEvent): void;
  /** Resolves once not too many are waiting. */
  room(): Promise<void>;
  /** Lets those that are under way come to an end; says how many were to be sent on and were not. */
  stop(): Promise<number>;
}

interface Surroundings {
  readonly log: Pick<EventLog, 'forwarded'>;
  readonly report: (item: ForwardedItem) => void;
  readonly warn?: ((text: string) => void) | undefined;
  readonly later: Later;
  readonly now: () => number;
  /** By which the listener knows what comes back to it. */
  readonly mark: string;
}

interface Way {
  readonly target: Target;
  readonly lanes: Lanes;
}

const second = 1_000;
/** What lies between the attempts. */
const waits = [1, 2, 5, 10, 20].map((seconds) => seconds * second);
const [patience, farewell] = [30 * second, 2 * second];
const many = 1_000;
const shown = 1_000;

export function createForwarder({ routes, retry }: Forwarding, around: Surroundings): Forwarder {
  const { log, report, warn = () => {}, later, now, mark } = around;
  const ways = new Map<string, Way>();
  const over = new AbortController();
  let [pending, underway] = [0, 0];
  let woken: (() => void)[] = [];
  return {
    add(received, event) {
      const url = routes.of(event);
      if (!url) return;
      pending += 1;
      wayTo(url).lanes.add(event.message_id ?? '', sending(received, url));
    },
    room: () => until(() => pending < many || over.signal.aborted),
    async stop() {
      over.abort();
      for (const { lanes } of ways.values()) lanes.stop();
      wake();
      await settled(farewell);
      for (const { target } of ways.values()) target.close();
      await until(() => underway === 0);
      return pending;
    },
  };

  function wayTo(url: URL): Way {
    const known = ways.get(url.href);
    if (known) return known;
    const way = { target: openTarget(url, patience), lanes: createLanes(later) };
    if (over.signal.aborted) way.lanes.stop();
    ways.set(url.href, way);
    return way;
  }

  function sending(received: Received, url: URL): Job {
    const letter = letterOf(received, url, [[forwardedBy, mark]]);
    let attempt = 0;
    return async () => {
      underway += 1;
      const began = now();
      const outcome = await wayTo(url).target.send(letter);
      attempt += 1;
      const again = retry && !isDone(outcome) && !over.signal.aborted ? waits[attempt - 1] : undefined;
      finish({ event: received.id, url: url.href, ms: now() - began, ...factsOf(outcome) }, { attempt, again });
      underway -= 1;
      if (again === undefined) pending -= 1;
      wake();
      return again;
    };
  }

  function finish(
    fact: Omit<Forwarded, 'type' | 'forwarded_at'>,
    { attempt, again }: { attempt: number; again: number | undefined },
  ): void {
    try {
      log.forwarded(fact);
    } catch (error) {
      warn(`what came of sending ${fact.event} on could not be recorded: ${String(error)}`);
    }
    report({ type: 'forwarded', ...fact, attempt, ...(again !== undefined && { retry_in: again }) });
  }

  /** As soon as nothing is under way, or after so long. */
  async function settled(patience: number): Promise<void> {
    const enough = new AbortController();
    const done = until(() => underway === 0).then(() => enough.abort());
    await Promise.race([done, sleep(patience, later, enough.signal)]);
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => woken.push(resolve));
  }

  function wake(): void {
    const all = woken;
    woken = [];
    for (const resolve of all) resolve();
  }
}

function isDone({ response, error }: Outcome): boolean {
  return error === undefined && response !== undefined && response.status >= 200 && response.status < 300;
}

export function factsOf({ response, error }: Outcome): Pick<Forwarded, 'status' | 'error' | 'body'> {
  const body = response?.encoding === undefined ? response?.body.slice(0, shown) : undefined;
  return {
    ...(response && { status: response.status }),
    ...(error !== undefined && { error }),
    ...(body !== undefined && body !== '' && { body }),
  };
}

/** They concern one connection; the last two are those of the new one. */
const ofConnection = [
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

/** An event as it is sent on: the same bytes and headers, but for those of the connection, and who sends it on. */
export function letterOf(
  received: Received,
  { host }: URL,
  by: Headers = [],
): { readonly headers: string[]; readonly body: Buffer } {
  const body = bytesOf(received);
  const named = received.headers.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const left = new Set([...ofConnection, ...named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/))]);
  const headers = received.headers.filter(([name]) => !left.has(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), ...by.flat(), 'content-length', String(body.length)], body };
}
