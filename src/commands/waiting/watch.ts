import { configuration } from '../../base/errors.ts';
import type { Later } from '../../base/sleep.ts';
import type { Context } from '../../cli/command.ts';
import { remoteOf } from '../sandbox/control.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import { isListening } from '../../webhooks/listeners.ts';
import { type EventSource, listenerSource, sandboxSource, signedOnly, type SourceEvent } from './sources.ts';
import { openRecordedEvents } from '../webhooks/recorded.ts';
import { storedSecret } from '../webhooks/secrets.ts';
import { senderOf } from '../webhooks/sender.ts';

export interface Watch extends EventSource {
  readonly later: Later;
  readonly from: 'sandbox' | 'listener';
}

/** Events of the sandbox that is called, or else those that listeners on this machine receive, from now on. */
export async function openWatch(context: Context): Promise<Watch> {
  const sender = await senderOf(context);
  const { later } = context.host;
  return sender.kind === 'sandbox'
    ? { ...(await inSandbox(context, sender.locator)), later, from: 'sandbox' }
    : { ...(await atListeners(context)), later, from: 'listener' };
}

async function inSandbox(context: Context, locator: Locator): Promise<EventSource> {
  const remote = await remoteOf(locator);
  const clock = await remote.ask('clock');
  if (clock.frozen) context.note('frozen', frozen);
  return sandboxSource(remote, { clock, now: context.host.now });
}

async function atListeners(context: Context): Promise<EventSource> {
  const { now, later } = context.host;
  const logs = await openRecordedEvents(context);
  if (!logs || !(await isListening(logs))) {
    await logs?.close();
    throw noListener();
  }
  const source = await listenerSource(logs, { now, later });
  const [stored, sandboxes] = [await storedSecret(context), await context.sandboxes()];
  if (stored === undefined) return source;
  // A listener that was started for a local sandbox receives events signed with one of that sandbox's secrets.
  const asked = await Promise.allSettled(
    (await sandboxes.all()).map(async (running) => (await remoteOf(running)).ask('env')),
  );
  const others = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value.secrets : []));
  const warn = (text: string) => context.note('signature', text);
  return signedOnly(source, { secrets: [stored, ...others], now, warn });
}

const frozen =
  'the clock of the sandbox is frozen; bizmsg sandbox clock +10s causes events, as does bizmsg sandbox clock real';

function noListener() {
  const hint =
    'run bizmsg webhooks listen in another terminal and have the service send events to it, or use --profile local';
  return configuration('no-events', 'no listener is running on this machine, so no events would arrive', hint);
}

/** A timeout combined with the outer signal. */
interface Limit {
  readonly signal: AbortSignal;
  start(milliseconds: number): void;
  release(): void;
}

export function createLimit(later: Later, outer: AbortSignal): Limit {
  const over = new AbortController();
  let cancel = () => {};
  return {
    signal: AbortSignal.any([outer, over.signal]),
    start: (milliseconds) => {
      cancel = later(milliseconds, () => over.abort());
    },
    release: () => {
      cancel();
      over.abort();
    },
  };
}

/** An event as the waiting commands print it. */
export interface TimelineEvent {
  readonly event: string | null;
  readonly at: string;
  /** Since the start of the wait. */
  readonly after_ms: number;
  readonly reason: string | null;
}

export const unnamed = 'an event without a name';

export function timelineEvent({ name, at, reason }: SourceEvent, start: number): TimelineEvent {
  const after_ms = Math.max(0, Math.round(at - start));
  return { event: name ?? null, at: new Date(at).toISOString(), after_ms, reason: reason ?? null };
}

export function eventText({ event, after_ms: after, reason }: TimelineEvent): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${event ?? unnamed} after ${seconds(after)}${why}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
