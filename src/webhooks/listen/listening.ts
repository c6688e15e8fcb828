import { randomUUID } from 'node:crypto';
import { eventOf, webhookId } from '../event.ts';
import { type EventJournalOptions, openEventJournal } from '../event-journal.ts';
import type { Filter } from '../filters.ts';
import { createForwarder, type Forwarding } from '../forward/forwarder.ts';
import { refuseItself } from '../forward/itself.ts';
import { announceListener, liveListeners } from '../listener-locator.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from '../receiver.ts';
import { createDiagnosis } from './diagnosis.ts';
import { createInbox } from './inbox.ts';
import { eventItem, type Item } from './items.ts';
import { createMemory } from './memory.ts';
import { telling } from './telling.ts';

export interface ListeningOptions extends EventJournalOptions, Omit<ReceiverOptions, 'journal' | 'respond' | 'mark'> {
  /** The status that answers every event: 200 without it. */
  readonly status?: number | undefined;
  /** What is told and sent on; all is recorded. */
  readonly filter: Filter;
  /** Those known by then, the one in use first. */
  readonly secrets: () => readonly string[];
  readonly forward: Forwarding;
  /** Those of this machine, to which nothing may be sent on that would come back. */
  readonly addresses: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Resolves when the first event comes, whether it is told or not. */
  readonly first: Promise<void>;
  /** Events, and what came of sending them on. They end some time after the stop. */
  readonly items: () => AsyncGenerator<Item, void>;
  /** Nobody reaches it any more. What came is still told; what could not be sent on yet is counted. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** Of what came so long ago no sender sends the same again. */
const remembered = 10_000;

/** Receives, records, tells and sends on, until it is stopped. */
export async function openListening(options: ListeningOptions): Promise<Listening> {
  const journal = openEventJournal(options);
  const inbox = createInbox<Item>();
  const isKnown = createMemory(remembered);
  const judge = createDiagnosis();
  const mark = randomUUID();
  const forwarder = createForwarder(options.forward, { ...options, journal, mark, tell: inbox.put });
  const teller = telling(journal, async (received) => {
    const event = eventOf(received);
    if (!options.filter(event)) return;
    const signature = judge(received, options.secrets());
    inbox.put(eventItem(received, event, { signature, again: isKnown(webhookId(received)) }));
    forwarder.add(received, event);
    await Promise.all([inbox.room(), forwarder.room()]);
  });
  teller.ended.catch((error: unknown) => inbox.end(error));
  let heard = () => {};
  const first = new Promise<void>((resolve) => (heard = resolve));
  const respond = () => {
    heard();
    teller.arrived();
    return options.status ?? 200;
  };
  let forget = () => {};
  let receiver: RunningReceiver | undefined;
  try {
    receiver = await startReceiver({ ...options, journal, mark, respond });
    refuseItself(options.forward.routes, receiver.port, options.addresses);
    // What dead ones left is removed.
    liveListeners(options.stateFolder, options.kill);
    forget = announceListener(options.stateFolder, locatorOf(receiver, options), options.later);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: receiver.url, port: receiver.port, first, items: inbox.taken, stop: once(stop), close };

  async function stop(): Promise<number> {
    forget();
    await receiver?.close();
    const unsent = forwarder.stop();
    teller.stop();
    const untold = await teller.ended.catch(() => 0);
    if (untold > 0) options.warn?.(`events whose file was removed before they were shown: ${untold}`);
    await unsent;
    inbox.end();
    return unsent;
  }

  async function close(): Promise<void> {
    forget();
    inbox.end();
    await receiver?.close();
    teller.stop();
    await forwarder.stop();
    await journal.close();
  }
}

function locatorOf({ url, port }: RunningReceiver, { pid, now }: ListeningOptions) {
  return { url, port, pid, startedAt: now() };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
