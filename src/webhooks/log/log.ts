import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, createStateFolder } from '../../base/files.ts';
import type { Later } from '../../base/host.ts';
import { type Journal, openJournal } from '../../base/journal.ts';
import { type Probe, processStart } from '../../base/liveness.ts';
import { acquire } from '../../base/lock.ts';
import { sleep } from '../../base/sleep.ts';
import { eventsFolder, fileName, recordsIn, removeOld } from './files.ts';
import { type Delivery, type Fact, form, type Forwarded, type Listener, type Received, receivedOf } from './records.ts';

export interface EventJournalOptions extends PartsOptions {
  readonly stateFolder: string;
}

/** What one listener receives, and what becomes of it. Others may read its files at any time. */
export interface EventJournal {
  /** Written when it returns; when it throws, nothing of it was. */
  received(delivery: Delivery): Received;
  forwarded(outcome: Omit<Forwarded, 'type' | 'forwarded_at'>): void;
  /** All events of this listener from the first on, at the pace of whoever reads; it ends with the journal, or when the signal says so. */
  feed(signal?: AbortSignal): AsyncGenerator<Received>;
  /** Nothing more is received: a feed ends once all that can be read of it is. */
  end(): void;
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

export function openEventJournal(options: EventJournalOptions): EventJournal {
  const { stateFolder, now, later } = options;
  const folder = ownFolder(stateFolder);
  const place = claim(folder, options);
  const id = createIds(place.number, now);
  const parts = openIn(folder, options, place);
  const feed = createFeed(parts.paths, later);
  let closing: Promise<void> | undefined;
  return {
    received(delivery) {
      const event = receivedOf(delivery, id(), now());
      parts.append(event);
      feed.grown();
      return event;
    },
    forwarded: (outcome) => parts.append({ type: 'forwarded', forwarded_at: now(), ...outcome }),
    feed: feed.read,
    end: feed.end,
    close() {
      feed.end();
      return (closing ??= parts.close().finally(place.release));
    },
  };
}

/** A number that no other listener has while this one lives. */
interface Place {
  readonly number: number;
  release(): void;
}

function claim(folder: string, owner: PartsOptions): Place {
  for (let number = 0; ; number++) {
    const claimed = acquire(join(folder, `listener-${number}.lock`), owner);
    if (claimed.held) return { number, release: () => claimed.release() };
  }
}

function openIn(folder: string, options: PartsOptions, place: Place): Parts {
  try {
    return openParts(folder, options);
  } catch (error) {
    place.release();
    throw error;
  }
}

function ownFolder(stateFolder: string): string {
  return createStateFolder(eventsFolder(stateFolder));
}

interface PartsOptions {
  readonly pid: number;
  readonly kill: Probe;
  /** The time of day. */
  readonly now: () => number;
  readonly later: Later;
  /** Bytes that the files of all listeners may take (default: 256 MiB), but for the one that each writes. */
  readonly most?: number | undefined;
}

/** The files of one listener, of which it writes the last. */
interface Parts {
  readonly paths: readonly string[];
  /** Written when it returns; when it throws, nothing of it was. */
  append(fact: Fact): void;
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

interface Part {
  readonly path: string;
  readonly journal: Journal;
}

const fullSize = 16 * 1024 * 1024;
const mostBytes = 256 * 1024 * 1024;
/** Milliseconds for which its size is reckoned, since asking for it costs half as much as an event. */
const glance = 100;

function openParts(folder: string, { pid, kill, now, later, most = mostBytes }: PartsOptions): Parts {
  const listener: Listener = { type: 'listener', pid, start: processStart(pid) };
  // Processes in two containers may have the same number.
  const tag = randomBytes(4).readUInt32BE();
  const paths: string[] = [];
  const closing: Promise<void>[] = [];
  let part = begin();
  let [size, looked, isEmpty, isClosed] = [0, 0, true, false];
  return {
    paths,
    append(fact) {
      if (!isClosed) turn();
      write(fact);
      isEmpty = false;
      size += (fact.body?.length ?? 0) + 1024;
      if (size >= fullSize) look();
    },
    async close() {
      isClosed = true;
      leave(part);
      if (isEmpty) rmSync(part.path, { force: true });
      await Promise.all(closing);
    },
  };

  function begin(): Part {
    createFolder(folder);
    const path = newPath(1);
    const journal = openJournal(path, { ...form, later, first: [listener] });
    paths.push(path);
    removeOld(folder, { now: now(), kill, most, isDone: (other) => other !== path && paths.includes(other) });
    return { path, journal };
  }

  /** Several may begin within a millisecond; one that was removed may still be read. */
  function newPath(number: number): string {
    const path = join(folder, fileName(now(), tag, number));
    return existsSync(path) || paths.includes(path) ? newPath(number + 1) : path;
  }

  function turn(): void {
    if (Math.abs(now() - looked) >= glance) look();
    if (size >= fullSize) part = follow(part);
  }

  /** Nobody would find it in one that was removed since the last look. */
  function write(fact: Fact): void {
    part.journal.append(fact);
    if (part.journal.exists()) return;
    part = follow(part);
    part.journal.append(fact);
  }

  /** One that somebody has removed takes nothing more. */
  function look(): void {
    size = statSync(part.path, { throwIfNoEntry: false })?.size ?? Infinity;
    looked = now();
  }

  function follow(full: Part): Part {
    const next = begin();
    size = 0;
    leave(full);
    return next;
  }

  function leave({ journal }: Part): void {
    const closed = journal.close();
    // Whoever closes all of it is told.
    closed.catch(() => {});
    closing.push(closed);
  }
}

// Without i, l, o and u, which are mistaken for others.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const epoch = Date.UTC(2025, 0, 1);
/** Ids of one millisecond. */
const steps = 32;
const digits = 9;

/** Ids that sort by time, and that no listener with another number makes. */
export function createIds(listener: number, now: () => number): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, (now() - epoch) * steps);
    return `e${written(last).padStart(digits, '0')}${written(listener)}`;
  };
}

function written(number: number): string {
  const digit = alphabet.charAt(number % alphabet.length);
  return number < alphabet.length ? digit : written(Math.floor(number / alphabet.length)) + digit;
}

/** Hands on what stands in a listener's files. Whoever is slow reads later: nothing is held for him. */
interface Feed {
  read(signal?: AbortSignal): AsyncGenerator<Received>;
  /** There is more to read. */
  grown(): void;
  /** Nothing more will come. */
  end(): void;
}

/** Whoever is behind reads so many, and for each lets so many come in first, unless none does for so many turns. */
const [atOnce, before, turns] = [4, 256, 3];

function createFeed(paths: readonly string[], later: Later): Feed {
  const waiting = new Set<() => void>();
  let [came, ended] = [0, false];
  return {
    read,
    grown() {
      came += 1;
      wake();
    },
    end() {
      ended = true;
      wake();
    },
  };

  async function* read(signal?: AbortSignal): AsyncGenerator<Received> {
    const isOver = () => signal?.aborted === true;
    let handed = 0;
    for (let [part, at] = [0, 0]; !isOver();) {
      for (const { record, next } of recordsIn(paths[part] ?? '', { from: at })) {
        at = next;
        if (record.type === 'received') yield record;
        if (++handed % atOnce === 0) await letIn(atOnce * before);
        if (isOver()) return;
      }
      if (part + 1 < paths.length) [part, at] = [part + 1, 0];
      else if (ended) return;
      else await more(signal);
    }
  }

  /** Until so many have come, or none for a few turns: whoever has just been answered needs one to send the next. */
  async function letIn(most: number): Promise<void> {
    const end = came + most;
    for (let [seen, idle] = [came, 0]; seen < end && idle < turns;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      idle = came > seen ? 0 : idle + 1;
      seen = came;
    }
  }

  /** Not at once when it has grown, so that much is read together. */
  async function more(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.add(resolve);
      signal?.addEventListener('abort', wake);
    });
    signal?.removeEventListener('abort', wake);
    if (!ended) await sleep(0, later, signal);
  }

  function wake(): void {
    for (const go of waiting) go();
    waiting.clear();
  }
}
