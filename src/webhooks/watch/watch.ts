import type { Later } from '../../base/host.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { processStart } from '../../base/liveness.ts';
import type { Remote } from '../../sandbox/remote/remote.ts';
import { eventOf, type WebhookEvent } from '../event/event.ts';
import { createIds, type EventJournal } from '../log/log.ts';
import { bytesOf, type Received, receivedOf } from '../log/records.ts';
import { cursorNow, follow } from '../log/tail.ts';
import { startReceiver } from '../receive/server.ts';
import { check } from '../sign/verify.ts';
import { createNotes } from '../throttled-warnings.ts';

/** An event, as whoever waits for one sees it. */
export interface Happened extends WebhookEvent {
  /** By the source's own time. */
  readonly at: number;
  /** As it was delivered, where the source tells. */
  readonly received?: Received;
}

/** Events from the moment on in which it was opened. */
export interface EventSource {
  now(): number;
  /** As they come; it ends when the signal says so. */
  events(signal: AbortSignal): AsyncGenerator<Happened>;
  close(): Promise<void>;
}

type Judge<T> = (event: Happened) => T | undefined | Promise<T | undefined>;

/** The first judgement of an event; undefined when the signal came before. */
export async function until<T>(source: EventSource, judge: Judge<T>, signal: AbortSignal): Promise<T | undefined> {
  for await (const event of source.events(signal)) {
    const judged = await judge(event);
    if (signal.aborted) return undefined;
    if (judged !== undefined) return judged;
  }
  return undefined;
}

/** What ends a wait that nothing else ends. */
interface Limit {
  readonly signal: AbortSignal;
  start(milliseconds: number): void;
  release(): void;
}

export function createLimit(later: Later, outer: AbortSignal): Limit {
  const over = new AbortController();
  let callOff = () => {};
  return {
    signal: AbortSignal.any([outer, over.signal]),
    start: (milliseconds) => {
      callOff = later(milliseconds, () => over.abort());
    },
    release: () => {
      callOff();
      over.abort();
    },
  };
}

interface Hooked {
  readonly pid: number;
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

/** What a sandbox delivers, to a receiver that is registered there as long as this is open. */
export async function hooked(
  remote: Pick<Remote, 'addWebhook' | 'removeWebhook'>,
  { pid, now, warn }: Hooked,
): Promise<EventSource> {
  const journal = unwritten(now);
  const receiver = await startReceiver({ journal, port: 0, now, warn });
  const close = async () => {
    // The sandbox may have ended, and forgotten it.
    await remote.removeWebhook(receiver.url).catch(() => {});
    await receiver.close();
  };
  try {
    await remote.addWebhook({ url: receiver.url, owner: { pid, start: processStart(pid) } });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    now,
    async *events(signal) {
      for await (const received of journal.feed(signal)) {
        yield { ...eventOf(received), at: received.received_at, received };
      }
    },
    close,
  };
}

/** It is for one reader and one command: the events of listeners are kept elsewhere. */
function unwritten(now: () => number): EventJournal {
  const id = createIds(0, now);
  const waiting: Received[] = [];
  let wake = () => {};
  return {
    received(delivery) {
      const event = receivedOf(delivery, id(), now());
      waiting.push(event);
      wake();
      return event;
    },
    forwarded: () => {},
    async *feed(signal) {
      for (;;) {
        if (signal?.aborted) return;
        const event = waiting.shift();
        if (event) yield event;
        else await woken(signal, (resolve) => (wake = resolve));
      }
    },
    end: () => {},
    close: async () => {},
  };
}

async function woken(signal: AbortSignal | undefined, offer: (wake: () => void) => void): Promise<void> {
  let wake = () => {};
  await new Promise<void>((resolve) => {
    wake = resolve;
    offer(wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
  signal?.removeEventListener('abort', wake);
}

interface Surroundings {
  readonly now: () => number;
  readonly later: Later;
  readonly onDamage: OnDamage;
}

/** What comes to the listeners of this machine. */
export function listened(stateFolder: string, { now, later, onDamage }: Surroundings): EventSource {
  const from = cursorNow(stateFolder);
  return {
    now,
    async *events(signal) {
      for await (const fact of follow(stateFolder, { from, later, signal, onDamage })) {
        if (fact.type === 'received') yield { ...eventOf(fact), at: fact.received_at, received: fact };
      }
    },
    close: async () => {},
  };
}

type Row = Readonly<Record<string, unknown>>;

interface Time {
  /** The sandbox's own. */
  readonly clock: Awaited<ReturnType<Remote['clock']>>;
  readonly now: () => number;
}

/** Milliseconds for which the sandbox is asked at once. */
const patience = 20_000;
/** Beyond all that has happened. */
const end = Number.MAX_SAFE_INTEGER;

/** What happens in a sandbox, told by itself, whatever comes of its deliveries. */
export async function simulated(remote: Pick<Remote, 'events'>, { clock, now }: Time): Promise<EventSource> {
  const { cursor } = await remote.events(end);
  return {
    now: () => (clock.frozen ? Date.parse(clock.now) : now() + clock.ahead),
    async *events(signal) {
      for (let after = cursor; !signal.aborted;) {
        const page = await remote.events(after, patience, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (!page) return;
        for (const row of page.events) yield happened(row);
        after = page.cursor;
      }
    },
    close: async () => {},
  };
}

function happened({ type, at, payload }: Row): Happened {
  return { ...eventOf({ headers: [], body: JSON.stringify(payload) }), name: String(type), at: Number(at) };
}

interface Proof {
  readonly secrets: readonly string[];
  readonly warn: (text: string) => void;
  readonly now: () => number;
}

/** Leaves out events that are not correctly signed, since any program on this machine can send one. */
export function signedOnly(source: EventSource, { secrets, warn, now }: Proof): EventSource {
  const note = createNotes(warn, now);
  return {
    ...source,
    async *events(signal) {
      for await (const event of source.events(signal)) {
        const fault = faultOf(event, secrets);
        if (fault === undefined) yield event;
        else note('unsigned', `${event.name ?? 'an event without a name'} does not count: ${fault}`);
      }
    },
  };
}

/** What is wrong with its signature. A sandbox that reports an event itself signs nothing. */
function faultOf({ received }: Happened, secrets: readonly string[]): string | undefined {
  if (!received) return undefined;
  const result = check(secrets, received.headers, bytesOf(received), received.received_at);
  if (result.verdict === 'good') return undefined;
  return result.verdict === 'bad' ? result.why : 'it is not signed';
}
