import { openTarget, type Target } from '../../delivery/target.ts';
import type { Delivery, Received } from '../../logs/events.ts';
import type { Attempt } from '../../logs/forwards.ts';
import { forwardRequest, resultOf } from './forwarder.ts';

/** An event and its destination. */
export interface Addressed {
  readonly event: Received;
  readonly url: URL;
}

interface ReplayOptions {
  readonly events: AsyncIterable<Addressed> | Iterable<Addressed>;
  /** Returns the event to send, which may be signed again. */
  readonly prepare: (event: Received) => Received;
  /** Milliseconds. */
  readonly timeout: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Replayed {
  readonly event: Received;
  readonly attempt: Attempt;
}

/** Sends events again in sequence, until the signal. It cuts off the request in flight, which is the last outcome. */
export async function* replay({ events, prepare, timeout, now, signal }: ReplayOptions): AsyncGenerator<Replayed> {
  const targets = new Map<string, Target>();
  const closeAll = () => {
    for (const target of targets.values()) target.close();
  };
  signal.addEventListener('abort', closeAll);
  try {
    for await (const { event, url } of events) {
      const target = targets.get(url.href) ?? openTarget(url, timeout);
      targets.set(url.href, target);
      const request = forwardRequest(prepare(event), url);
      const start = now();
      const result = resultOf(await target.send(request));
      yield { event, attempt: { url: url.href, ms: now() - start, ...result } };
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener('abort', closeAll);
    closeAll();
  }
}

/** The user's webhook handler. */
export interface Handler {
  /** Forwards an event unchanged. Returns the status, or why there was none. */
  send(event: Pick<Delivery, 'headers' | 'body'>): Promise<Answered>;
  close(): void;
}

type Answered = { readonly status: number } | { readonly error: string };

const handlerTimeout = 30_000;

export function openHandler(url: URL): Handler {
  const target = openTarget(url, handlerTimeout);
  return {
    async send(event) {
      const { response, error } = await target.send(forwardRequest(event, url));
      if (response && error === undefined) return { status: response.status };
      return { error: error ?? 'no response' };
    },
    close: target.close,
  };
}
