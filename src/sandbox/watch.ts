import { type DeliveryRecord, deliveryRecords } from './events/deliveries.ts';
import type { SandboxEvent } from './state/records.ts';
import type { Happening, Store } from './state/state.ts';
import { longestTimer } from './time/clock.ts';
import { type RequestRow, requestRow } from './views.ts';

/** A request that was answered, or an event with the result of an attempt to deliver it. */
export type Happened = ({ readonly type: 'request' } & RequestRow) | HappenedEvent;

export interface HappenedEvent {
  readonly type: 'event';
  readonly event: SandboxEvent;
  /** After its last attempt; null without a webhook. */
  readonly delivery: DeliveryRecord | null;
}

/** Calls the listener for each request, for each event without a webhook, and for each attempt to deliver another. */
export function createWatch({ state, follow }: Store): (listener: (happened: Happened) => void) => void {
  return (listener) =>
    follow((what) => {
      const happened = happenedIn(what);
      // The events of a request happen before its row in the log.
      if (happened?.type === 'event') queueMicrotask(() => listener(happened));
      else if (happened) listener(happened);
    });

  function happenedIn(what: Happening): Happened | undefined {
    if (what.type === 'request') return { type: 'request', ...requestRow(what.call) };
    if (what.type === 'event' && what.emitted.deliveries.length === 0)
      return { type: 'event', event: what.emitted.event, delivery: null };
    if (what.type !== 'attempt') return undefined;
    const event = state.events.get(what.id)?.event;
    const [delivery] = deliveryRecords(state, what.id);
    return event && delivery ? { type: 'event', event, delivery } : undefined;
  }
}

export interface WaitLimit {
  /** Milliseconds of real time. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

/** Returns a function that resolves at the next event, request or message, after a time, or when aborted. */
export function createWait({ follow }: Store) {
  return (type: 'event' | 'request' | 'message', { within = Infinity, signal }: WaitLimit = {}) =>
    new Promise<void>((resolve) => {
      if (within <= 0 || signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const stop = follow((what) => what.type === type && wake());
      const timer = setTimeout(wake, Math.min(within, longestTimer));
      signal?.addEventListener('abort', wake);
    });
}
