import { processStart } from '../base/liveness.ts';
import type { Remote } from '../sandbox/remote/remote.ts';
import { eventOf } from './event.ts';
import { createIds } from './event-ids.ts';
import type { EventJournal } from './event-journal.ts';
import { type Received, receivedOf } from './event-records.ts';
import { startReceiver } from './receiver.ts';
import type { EventSource } from './waiting.ts';

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
