import type { Later } from '../base/host.ts';
import type { WebhookEvent } from './event.ts';
import type { Received } from './event-records.ts';

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
export interface Limit {
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
