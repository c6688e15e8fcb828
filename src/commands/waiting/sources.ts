import { type Later, sleep } from '../../base/sleep.ts';
import type { Database } from '../../base/transaction.ts';
import { check } from '../../delivery/signature.ts';
import { eventsAfter, newestEvent, type Received } from '../../logs/events.ts';
import type { OutputOf, Remote } from '../../sandbox/remote/remote.ts';
import { eventOf, type WebhookEvent } from '../../webhooks/event/event.ts';
import { createNotes } from '../../webhooks/throttled-warnings.ts';

/** An event of any source. */
export interface SourceEvent extends WebhookEvent {
  /** By the clock of the source. */
  readonly at: number;
  /** The delivery itself, if the source has it. */
  readonly received?: Pick<Received, 'headers' | 'body' | 'received_at'>;
}

/** Yields the events that occur after it was opened. */
export interface EventSource {
  now(): number;
  /** Ends with the signal. */
  events(signal: AbortSignal): AsyncGenerator<SourceEvent>;
  close(): Promise<void>;
}

/** Milliseconds between polls. */
const pollPause = 100;

/** The events that listeners on this machine record. Closes the logs with the source. */
export async function listenerSource(
  logs: Database,
  { now, later }: { readonly now: () => number; readonly later: Later },
): Promise<EventSource> {
  let last = await logs.read(newestEvent);
  return {
    now,
    async *events(signal) {
      while (!signal.aborted) {
        for (const event of await logs.read(eventsAfter(last))) {
          last = event.number;
          yield fromDelivery(event);
        }
        await sleep(pollPause, later, signal);
      }
    },
    close: logs.close,
  };
}

/** Milliseconds that one request to the sandbox waits for events. */
const longPoll = 20_000;
/** A cursor past every existing event. */
const afterAll = Number.MAX_SAFE_INTEGER;

/** The events that a sandbox reports itself, independent of its deliveries. `clock` is that of the sandbox. */
export async function sandboxSource(
  remote: Pick<Remote, 'ask'>,
  { clock, now }: { readonly clock: OutputOf<'clock'>; readonly now: () => number },
): Promise<EventSource> {
  const { cursor } = await remote.ask('events', { after: afterAll });
  return {
    now: () => (clock.frozen ? Date.parse(clock.now) : now() + clock.ahead),
    async *events(signal) {
      for (let after = cursor; !signal.aborted;) {
        const page = await remote.ask('events', { after, wait: longPoll }, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (!page) return;
        for (const { type, at, payload } of page.events) {
          yield { ...eventOf({ headers: [], body: Buffer.from(JSON.stringify(payload)) }), name: type, at };
        }
        after = page.cursor;
      }
    },
    close: async () => {},
  };
}

function fromDelivery(received: NonNullable<SourceEvent['received']>): SourceEvent {
  return { ...eventOf(received), at: received.received_at, received };
}

interface SignatureOptions {
  readonly secrets: readonly string[];
  readonly warn: (text: string) => void;
  readonly now: () => number;
}

/** Drops events that are not correctly signed, since any program on this machine can send one. */
export function signedOnly(source: EventSource, { secrets, warn, now }: SignatureOptions): EventSource {
  const note = createNotes(warn, now);
  return {
    ...source,
    async *events(signal) {
      for await (const event of source.events(signal)) {
        const problem = signatureProblem(event, secrets);
        if (problem === undefined) yield event;
        else note('unsigned', `${event.name ?? 'an event without a name'} does not count: ${problem}`);
      }
    },
  };
}

/** Undefined if the signature is right, or if the sandbox reported the event without a delivery. */
function signatureProblem({ received }: SourceEvent, secrets: readonly string[]): string | undefined {
  if (!received) return undefined;
  const result = check(secrets, received.headers, received.body, received.received_at);
  if (result.verdict === 'good') return undefined;
  return result.verdict === 'bad' ? result.why : 'it is not signed';
}

/** The first result that is not undefined; undefined if the signal came first. */
export async function firstResult<T>(
  source: EventSource,
  judge: (event: SourceEvent) => T | undefined | Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  for await (const event of source.events(signal)) {
    const result = await judge(event);
    if (signal.aborted) return undefined;
    if (result !== undefined) return result;
  }
  return undefined;
}
