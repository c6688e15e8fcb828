import { bytesOf } from './event-records.ts';
import { createNotes } from './notes.ts';
import { check } from './verify.ts';
import type { EventSource, Happened } from './waiting.ts';

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
