import { randomBytes } from 'node:crypto';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { check } from '../delivery/signature.ts';
import { isThisMachine } from '../delivery/target.ts';
import { openLogs } from '../logs/database.ts';
import { type Delivery, type Destination, type Received, type Recording } from '../logs/events.ts';
import { adopt, type News, newestRecords, newsAfter, type Place } from '../logs/forwards.ts';
import { createBell } from './bell.ts';
import { eventOf, webhookId } from './event/event.ts';
import type { Filter } from './event/filters.ts';
import { startForwarder } from './forward/forwarder.ts';
import { refuseItself } from './forward/address.ts';
import { eventItem, type Item, reportItem } from './items.ts';
import { announceListener, liveListeners } from './listeners.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from './receive/server.ts';
import { createRecorder } from './recorder.ts';
import { createNotes } from './throttled-warnings.ts';

export interface ListeningOptions extends Omit<ReceiverOptions, 'record' | 'mark' | 'now'> {
  readonly machine: Pick<Host, 'kill' | 'later' | 'now' | 'pid' | 'random' | 'sqlite' | 'steady'>;
  readonly stateFolder: string;
  readonly warn: (text: string) => void;
  /** Chooses the events to show and forward; all are recorded. */
  readonly filter: Filter;
  /** The secrets known so far, the current one first. */
  readonly secrets: () => readonly string[];
  /** Where the events are forwarded to. */
  readonly forwardTo?: URL | undefined;
  /** Called with each event before it is recorded, and awaited before it is acknowledged. */
  readonly onReply?: ((delivery: Delivery) => Promise<void>) | undefined;
  /** Retries failed forwards. */
  readonly retry: boolean;
  /** The addresses of this machine, to detect forwarding to this listener. */
  readonly addresses: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Resolves when the first event arrives, even if the filter drops it. */
  readonly first: Promise<void>;
  /** Events and the results of forwarding them. Ends after `stop()`, once everything is shown. For one reader. */
  items(): AsyncGenerator<readonly Item[], void>;
  /** Receives no more events; those received are still shown. Returns the number of events that were not forwarded. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

/** Milliseconds to wait for the logs; then senders get an error, and send again. */
const patience = 5_000;
/** The least number of webhook ids that are remembered to detect repeated events. */
const remembered = 10_000;
/** While events keep arriving, the reader waits this many turns, so that senders get their answers first. */
const mostTurns = 30;

/** Receives, records, shows and forwards events until it is stopped. */
export async function openListening(options: ListeningOptions): Promise<Listening> {
  const { machine, stateFolder, filter, secrets, forwardTo, warn } = options;
  const { now, later, pid, kill } = machine;
  const id = randomBytes(6).toString('hex');
  const note = createNotes(warn, now);
  const logs = await openLogs(stateFolder, { host: machine, patience, note: warn });
  const bell = createBell();
  const isRepeated = createRecentIds(remembered);
  const isExposed = options.host !== undefined && !isThisMachine(options.host);
  const stopped = new AbortController();
  let [received, shown] = [0, 0];
  let arrived = () => {};
  const first = new Promise<void>((resolve) => (arrived = resolve));
  let withdraw = () => {};
  let receiver: RunningReceiver | undefined;
  let stopping: Promise<number> | undefined;
  const start = await logs.read(newestRecords);
  const forwarder = startForwarder({ ...options, ...machine, logs, bell, listener: id, note });
  const { signal } = stopped;
  const recordEvent = createRecorder({
    logs,
    listener: id,
    after: start.event,
    now,
    bell,
    signal,
    destinationOf,
    recorded,
  });
  const { onReply } = options;
  const record = async (delivery: Delivery) => {
    await onReply?.(delivery);
    await recordEvent(delivery);
  };
  try {
    receiver = await startReceiver({ ...options, now, record: onReply ? record : recordEvent, mark: id });
    const { url, port } = receiver;
    if (forwardTo) refuseItself(forwardTo, port, options.addresses);
    // Removes the files of dead listeners.
    const live = liveListeners(stateFolder, kill).map((one) => one.id);
    withdraw = announceListener(stateFolder, { id, url, port, pid, startedAt: now() }, later);
    const adopted = forwardTo ? await logs.write(adopt(id, forwardTo.href, live)) : 0;
    if (adopted > 0) warn(`forwarding events that a killed listener received: ${adopted}`);
    forwarder.expect(adopted);
    return { url, port, first, items, stop, close };
  } catch (error) {
    await close();
    throw error;
  }

  function recorded(events: readonly Recording[]): void {
    if (received === 0) arrived();
    received += events.length;
    forwarder.expect(events.filter(({ destination }) => destination).length);
  }

  function destinationOf(delivery: Delivery): Destination | undefined {
    if (!forwardTo) return undefined;
    const isTrusted = !isForged(delivery);
    if (isExposed && !isTrusted) return undefined;
    const event = eventOf(delivery, isTrusted);
    return filter(event) ? { url: forwardTo.href, lane: event.message_id ?? '' } : undefined;
  }

  /** Anyone who can reach an exposed listener can send an event. */
  function isForged({ headers, body }: Delivery): boolean {
    const known = secrets();
    return known.length > 0 && check(known, headers, body, now()).verdict !== 'good';
  }

  async function* items(): AsyncGenerator<readonly Item[], void> {
    for (let place = start; ;) {
      const [rings, isLast] = [bell.rings, stopped.signal.aborted];
      const { events, reports, last } = await newsAfterPlace(place);
      place = last;
      shown += events.length;
      const found = [...events.flatMap((event) => show(event) ?? []), ...reports.map(reportItem)];
      if (found.length > 0) yield found;
      if (events.length + reports.length > 0) await lull();
      else if (isLast) break;
      else await bell.until(() => bell.rings > rings);
    }
    if (received > shown) warn(`events that were deleted before they were shown: ${received - shown}`);
  }

  async function newsAfterPlace(place: Place): Promise<News> {
    const which = { listener: id, isForwarding: forwardTo !== undefined };
    return logs.read(newsAfter(place, which)).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      note('logs', error.message);
      return { events: [], reports: [], last: place };
    });
  }

  function show(received: Received): Item | undefined {
    const signature = check(secrets(), received.headers, received.body, received.received_at);
    const event = eventOf(received, signature.verdict === 'good' || secrets().length === 0);
    if (!filter(event)) return undefined;
    return eventItem(received, event, { signature, again: isRepeated(webhookId(received)) });
  }

  /** Ends after a turn without a change, or after many turns. */
  async function lull(): Promise<void> {
    for (let turn = 0; turn < mostTurns; turn++) {
      const { rings } = bell;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (bell.rings === rings) return;
    }
  }

  function stop(): Promise<number> {
    return (stopping ??= end());
  }

  async function end(): Promise<number> {
    withdraw();
    await receiver?.close();
    const unsent = await forwarder.stop();
    stopped.abort();
    bell.ring();
    return unsent;
  }

  async function close(): Promise<void> {
    await stop();
    await logs.close();
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
