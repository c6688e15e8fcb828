import { openTarget } from '../delivery/target.ts';
import { letterOf } from './forward/letter.ts';
import type { Received } from './event-records.ts';

/** Code that takes events, and what it answers them. */
export interface Handler {
  /** Sends an event on as it came. Says what was answered, or why nothing was. */
  hand(event: Received): Promise<Answered>;
  close(): void;
}

type Answered = { readonly status: number } | { readonly error: string };

const patience = 30_000;

export function openHandler(url: URL): Handler {
  const target = openTarget(url, patience);
  return {
    async hand(event) {
      const { response, error } = await target.send(letterOf(event, url));
      if (response && error === undefined) return { status: response.status };
      return { error: error ?? 'nothing came back' };
    },
    close: target.close,
  };
}
