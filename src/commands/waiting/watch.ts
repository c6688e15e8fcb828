import { configuration } from '../../base/errors.ts';
import { httpRequest } from '../../base/http-request.ts';
import { type Later, sleep } from '../../base/sleep.ts';
import { type Database, query } from '../../base/transaction.ts';
import type { Context } from '../../cli/command.ts';
import { check } from '../../delivery/signature.ts';
import { eventsAfter, newestEvent, type Received } from '../../logs/events.ts';
import type { Remote } from '../../sandbox/remote/remote.ts';
import { eventOf, type WebhookEvent } from '../../webhooks/event/event.ts';
import { healthPath } from '../../webhooks/refusals.ts';
import { afterAll, longPoll, remoteOf } from '../sandbox/control.ts';
import { openRecordedEvents } from '../webhooks/recorded.ts';
import { secretsToTry, storedSecret } from '../webhooks/secrets.ts';
import { senderOf } from '../webhooks/sender.ts';

export interface WatchedEvent extends WebhookEvent {
  /** By the clock of the watch. */
  readonly at: number;
  /** The delivery; the sandbox reports events without one. */
  readonly received?: Received;
}

/** Yields the events that occur after it was opened. */
export interface Watch {
  readonly from: 'sandbox' | 'listener';
  now(): number;
  /** Ends with the signal. */
  events(signal: AbortSignal): AsyncGenerator<WatchedEvent>;
  close?(): Promise<void>;
}

/** Watches the sandbox that is called, or else what listeners on this machine receive. */
export async function openWatch(context: Context): Promise<Watch> {
  const sender = await senderOf(context);
  return sender.kind === 'sandbox'
    ? watchSandbox(context, await remoteOf(sender.locator))
    : watchListeners(context, storedSecret(context));
}

const frozen =
  'the clock of the sandbox is frozen; bizmsg sandbox clock +10s causes events, as does bizmsg sandbox clock real';

/** The events that a sandbox reports itself, independent of its deliveries, by its own clock. */
async function watchSandbox({ host, note }: Context, remote: Remote): Promise<Watch> {
  const clock = await remote.ask('clock');
  if (clock.frozen) note('frozen', frozen);
  const { cursor } = await remote.ask('events', { after: afterAll });
  return {
    from: 'sandbox',
    now: () => (clock.frozen ? Date.parse(clock.now) : host.now() + clock.ahead),
    async *events(signal) {
      for (let after = cursor; !signal.aborted;) {
        const page = await remote.ask('events', { after, wait: longPoll }, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (!page) return;
        for (const { type, at, payload } of page.events)
          yield { ...eventOf({ headers: [], body: Buffer.from(JSON.stringify(payload)) }), name: type, at };
        after = page.cursor;
      }
    },
  };
}

/** Milliseconds between two looks at the recorded events. */
const pause = 100;

/** The events that listeners record. If the secret is known, only signed ones: any program can send an event. */
async function watchListeners(context: Context, secret: string | undefined): Promise<Watch> {
  const { host, note } = context;
  const logs = await openRecordedEvents(context);
  if (!logs || !(await isListening(logs))) {
    await logs?.close();
    throw configuration(
      'no-events',
      'no listener is running on this machine, so no events would arrive',
      'run bizmsg webhooks listen in another terminal and have the service send events to it, or use --profile local',
    );
  }
  // A listener for a local sandbox receives events that are signed with a secret of that sandbox.
  const secrets = secret === undefined ? [] : (await secretsToTry(context)).map(({ secret }) => secret);
  let last = await logs.read(newestEvent);
  return {
    from: 'listener',
    now: host.now,
    async *events(signal) {
      for (; !signal.aborted; await sleep(pause, host.later, signal))
        for (const received of await logs.read(eventsAfter(last))) {
          last = received.number;
          const event = { ...eventOf(received), at: received.received_at, received };
          const problem = secrets.length === 0 ? undefined : signatureProblem(received, secrets);
          if (problem === undefined) yield event;
          else note('signature', `${event.name ?? unnamed} does not count: ${problem}`);
        }
    },
    close: () => logs.close(),
  };
}

/** Whether a listener answers at one of the recorded addresses. A killed one has left its own. */
async function isListening(logs: Database): Promise<boolean> {
  for (const { url } of await logs.read(() => query('SELECT url FROM listener'))) {
    const { href } = new URL(healthPath, String(url));
    const { status } = await httpRequest(href, { method: 'GET', timeout: 2_000 }).catch(() => ({ status: 0 }));
    if (status === 200) return true;
  }
  return false;
}

function signatureProblem({ headers, body, received_at: at }: Received, secrets: readonly string[]) {
  const result = check(secrets, headers, body, at);
  if (result.verdict === 'good') return undefined;
  return result.verdict === 'bad' ? result.why : 'it is not signed';
}

/** How an event ends a wait: with the expected event or with its opposite. */
export type Result = 'expected' | 'opposite';

/** The first result that is not undefined; undefined if the signal came first. */
export async function firstResult<T>(
  watch: Watch,
  judge: (event: WatchedEvent) => T | undefined | Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  for await (const event of watch.events(signal)) {
    const result = await judge(event);
    if (signal.aborted) return undefined;
    if (result !== undefined) return result;
  }
  return undefined;
}

/** Aborts with the outer signal, or some time after its start. */
export function createLimit(later: Later, outer: AbortSignal) {
  const over = new AbortController();
  return {
    signal: AbortSignal.any([outer, over.signal]),
    start: (milliseconds: number) => void sleep(milliseconds, later, over.signal).then(() => over.abort()),
    release: () => over.abort(),
  };
}

export const unnamed = 'an event without a name';

export type TimelineEvent = Readonly<ReturnType<typeof timelineEvent>>;

/** An event as the waiting commands print it, with the time since the start of the wait. */
export function timelineEvent({ name, at, reason }: WatchedEvent, start: number) {
  const after_ms = Math.max(0, Math.round(at - start));
  return { event: name ?? null, at: new Date(at).toISOString(), after_ms, reason: reason ?? null };
}

export function eventText({ event, after_ms: after, reason }: TimelineEvent): string {
  return `${event ?? unnamed} after ${seconds(after)}${reason === null ? '' : `: ${reason}`}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
