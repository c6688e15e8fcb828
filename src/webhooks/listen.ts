import { randomUUID } from 'node:crypto';
import { eventOf, webhookId } from './event/event.ts';
import type { Filter } from './event/filters.ts';
import { createForwarder, type Forwarding } from './forward/forwarder.ts';
import { refuseItself } from './forward/routes.ts';
import { eventItem, type Item } from './items.ts';
import { announceListener, liveListeners } from './listeners.ts';
import { type EventJournal, type EventJournalOptions, openEventJournal } from './log/log.ts';
import type { Received } from './log/records.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from './receive/server.ts';
import { createDiagnosis } from './sign/verify.ts';

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

/** What several have to say, for one who takes it at his own pace. */
interface Inbox<T> {
  put(item: T): void;
  /** Resolves once few are waiting. */
  room(): Promise<void>;
  /** Nothing more comes; what is waiting is still taken, and then the error, if there is one. */
  end(error?: unknown): void;
  taken(): AsyncGenerator<T, void>;
}

const few = 64;

function createInbox<T>(): Inbox<T> {
  let waiting: T[] = [];
  let ending: { readonly error: unknown } | undefined;
  let wakeTaker = () => {};
  let wakePutters: (() => void)[] = [];
  return {
    put(item) {
      waiting.push(item);
      wakeTaker();
    },
    async room() {
      if (waiting.length >= few && !ending) await new Promise<void>((resolve) => wakePutters.push(resolve));
    },
    end(error) {
      ending ??= { error };
      wakeTaker();
      letPut();
    },
    taken,
  };

  async function* taken(): AsyncGenerator<T, void> {
    for (;;) {
      const all = waiting;
      waiting = [];
      letPut();
      yield* all;
      if (waiting.length > 0) continue;
      if (ending?.error !== undefined) throw ending.error;
      if (ending) return;
      await new Promise<void>((resolve) => (wakeTaker = resolve));
    }
  }

  function letPut(): void {
    const woken = wakePutters;
    wakePutters = [];
    for (const wake of woken) wake();
  }
}

/** Says of each id whether it came before, among the last so many. */
function createMemory(most: number): (id: string | undefined) => boolean {
  const known = new Set<string>();
  return (id) => {
    if (id === undefined) return false;
    const isKnown = known.delete(id);
    known.add(id);
    const [oldest] = known;
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return isKnown;
  };
}

/** Hands on what is in the journal, one event after the other. */
interface Telling {
  /** An event is in the journal. */
  arrived(): void;
  /** Settles once it was stopped and all is told. Of how many not, since what recorded them was removed. */
  readonly ended: Promise<number>;
  /** Nothing more arrives. */
  stop(): void;
}

function telling(journal: Pick<EventJournal, 'feed' | 'end'>, tell: (event: Received) => Promise<void>): Telling {
  let [arrived, told] = [0, 0];
  return {
    arrived: () => void (arrived += 1),
    ended: tellAll(),
    stop: journal.end,
  };

  async function tellAll(): Promise<number> {
    for await (const event of journal.feed()) {
      await tell(event);
      told += 1;
    }
    return arrived - told;
  }
}
