import { randomUUID } from 'node:crypto';
import { eventOf, webhookId } from './event/event.ts';
import type { Filter } from './event/filters.ts';
import { createForwarder, type Forwarding } from './forward/forwarder.ts';
import { refuseItself } from './forward/routes.ts';
import { eventItem, type Item } from './items.ts';
import { announceListener, liveListeners } from './listeners.ts';
import { type EventLogOptions, openEventLog } from './log/log.ts';
import type { Received } from './log/records.ts';
import { createQueue } from './queue.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from './receive/server.ts';
import { createVerifier } from './sign/verify.ts';

export interface ListeningOptions extends EventLogOptions, Omit<ReceiverOptions, 'log' | 'respond' | 'mark'> {
  /** The status that answers every event (default: 200). */
  readonly status?: number | undefined;
  /** Chooses the events to show and forward; all are recorded. */
  readonly filter: Filter;
  /** Whether the items are no longer printed, because nothing reads stdout. */
  readonly isUnread: () => boolean;
  /** The secrets known so far, the current one first. */
  readonly secrets: () => readonly string[];
  readonly forward: Forwarding;
  /** The addresses of this machine, to detect forwarding to this listener. */
  readonly addresses: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Resolves when the first event arrives, even if the filter drops it. */
  readonly first: Promise<void>;
  /** Events and the results of forwarding them. Ends after `stop()`, once everything is shown. */
  readonly items: () => AsyncGenerator<readonly Item[], void>;
  /** Receives no more events; those received are still shown. Returns the number of events that were not forwarded. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** The least number of webhook ids that are remembered to detect repeated events. */
const remembered = 10_000;

/** Receives, records, shows and forwards events until it is stopped. */
export async function openListening(options: ListeningOptions): Promise<Listening> {
  const { filter, isUnread, secrets, status = 200, warn = () => {} } = options;
  const log = openEventLog(options);
  const queue = createQueue<Item>();
  const isRepeated = createRecentIds(remembered);
  const verify = createVerifier();
  const mark = randomUUID();
  const report = (item: Item) => queue.put([item]);
  const forwarder = createForwarder(options.forward, { ...options, log, mark, report });
  let [recorded, shown] = [0, 0];
  const showing = showAll();
  showing.catch((error: unknown) => queue.end(error));
  let arrived = () => {};
  const first = new Promise<void>((resolve) => (arrived = resolve));
  const respond = () => {
    if (recorded++ === 0) arrived();
    return status;
  };
  let withdraw = () => {};
  let stopping: Promise<number> | undefined;
  let receiver: RunningReceiver | undefined;
  try {
    receiver = await startReceiver({ ...options, log, mark, respond });
    const { url, port } = receiver;
    refuseItself(options.forward.routes, port, options.addresses);
    // Removes the files of dead listeners.
    liveListeners(options.stateFolder, options.kill);
    const { pid, now, later } = options;
    withdraw = announceListener(options.stateFolder, { url, port, pid, startedAt: now() }, later);
    return { url, port, first, items: queue.batches, stop: () => (stopping ??= stop()), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function showAll(): Promise<void> {
    for await (const events of log.read()) {
      // Reading the rest could take minutes. Only its forwards must be recorded as not sent.
      if (isUnread() && options.forward.routes.all.length === 0) return;
      const items = events.flatMap((event) => show(event) ?? []);
      if (isUnread()) continue;
      queue.put(items);
      shown += events.length;
      await Promise.all([queue.room(), forwarder.room()]);
    }
  }

  function show(received: Received): Item | undefined {
    const signature = verify(received, secrets());
    const event = eventOf(received, signature.verdict === 'good' || secrets().length === 0);
    if (!filter(event)) return undefined;
    forwarder.add(received, event);
    return eventItem(received, event, { signature, again: isRepeated(webhookId(received)) });
  }

  async function stop(): Promise<number> {
    withdraw();
    await receiver?.close();
    const unsent = forwarder.stop(showing.catch(() => {}));
    log.end();
    await showing.catch(() => {});
    const why = isUnread()
      ? 'that were not printed, because stdout was not read'
      : 'whose file was removed before they were shown';
    if (recorded > shown) warn(`events ${why}: ${recorded - shown}`);
    await unsent;
    queue.end();
    return unsent;
  }

  async function close(): Promise<void> {
    withdraw();
    queue.end();
    await receiver?.close();
    log.end();
    await forwarder.stop();
    await log.close();
  }
}

/**
 * Returns whether an id occurred before, among the last `least` or more. Forgets ids in bulk, because finding the oldest
 * one in a set from which many were deleted takes longer than all other work for an event.
 */
function createRecentIds(least: number): (id: string | undefined) => boolean {
  let [ids, older] = [new Set<string>(), new Set<string>()];
  return (id) => {
    if (id === undefined) return false;
    const isKnown = ids.has(id) || older.has(id);
    ids.add(id);
    if (ids.size === least) [ids, older] = [new Set(), ids];
    return isKnown;
  };
}
