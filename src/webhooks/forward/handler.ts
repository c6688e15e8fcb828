import { openTarget } from '../../delivery/target.ts';
import type { Delivery } from '../../logs/events.ts';
import { forwardRequest } from './forwarder.ts';

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
