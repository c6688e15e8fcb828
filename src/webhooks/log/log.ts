import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeLeftDrafts } from '../../base/drafts.ts';
import { createFolder, createStateFolder } from '../../base/files.ts';
import type { Later } from '../../base/host.ts';
import { type Journal, openJournal } from '../../base/journal.ts';
import { type Probe, processStart } from '../../base/liveness.ts';
import { acquire } from '../../base/lock.ts';
import { createFeed, type Position } from './feed.ts';
import { eventsFolder, fileName, removeOld } from './files.ts';
import { type Delivery, type Fact, form, type Forwarded, type Listener, type Received, receivedOf } from './records.ts';

export interface EventLogOptions {
  readonly stateFolder: string;
  readonly pid: number;
  readonly kill: Probe;
  /** The time of day. */
  readonly now: () => number;
  readonly later: Later;
  /** Bytes that the files of all listeners may take, without the ones being written (default: 256 MiB). */
  readonly most?: number | undefined;
}

/** The events of one listener and the results of forwarding them. Other processes may read its files at any time. */
export interface EventLog {
  /** Records deliveries in one write and passes them to the reader. Records none if it throws. */
  append(deliveries: readonly Delivery[]): readonly Received[];
  forwarded(outcome: Omit<Forwarded, 'type' | 'forwarded_at'>): void;
  /** Yields all events of this listener, in order, until `end`. For one reader. */
  read(): AsyncGenerator<readonly Received[]>;
  /** Ends the reader once it has read everything. */
  end(): void;
  /** Resolves once everything is on the disk. */
  close(): Promise<void>;
}

export function openEventLog(options: EventLogOptions): EventLog {
  const { now } = options;
  const folder = createStateFolder(eventsFolder(options.stateFolder));
  const slot = claimSlot(folder, options);
  const nextId = createEventIds(slot.number, now);
  const files = openFiles(folder, options, slot);
  const feed = createFeed(files.paths);
  let closing: Promise<void> | undefined;
  return {
    append(deliveries) {
      const at = now();
      const events = deliveries.map((delivery) => receivedOf(delivery, nextId(), at));
      feed.add(events, files.append(events));
      return events;
    },
    forwarded: (outcome) => void files.append([{ type: 'forwarded', forwarded_at: now(), ...outcome }]),
    read: feed.read,
    end: feed.end,
    close() {
      feed.end();
      return (closing ??= files.close().finally(slot.release));
    },
  };
}

/** A number unique among running listeners. */
interface Slot {
  readonly number: number;
  release(): void;
}

function claimSlot(folder: string, owner: EventLogOptions): Slot {
  removeLeftDrafts(folder, owner.kill);
  for (let number = 0; ; number++) {
    const claimed = acquire(join(folder, `listener-${number}.lock`), owner);
    if (claimed.held) return { number, release: () => claimed.release() };
  }
}

// Without i, l, o and u, which are easily misread.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const epoch = Date.UTC(2025, 0, 1);
const idsPerMillisecond = 32;
const timeDigits = 9;

/** Makes ids that sort by time and are unique among listeners with different numbers. */
export function createEventIds(listener: number, now: () => number): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, (now() - epoch) * idsPerMillisecond);
    return `e${base32(last).padStart(timeDigits, '0')}${base32(listener)}`;
  };
}

function base32(number: number): string {
  const digit = alphabet.charAt(number % alphabet.length);
  return number < alphabet.length ? digit : base32(Math.floor(number / alphabet.length)) + digit;
}

/** The files of one listener; it writes to the last one. */
interface RotatingFiles {
  readonly paths: readonly string[];
  /** Returns where the records begin. Adds none if it throws. */
  append(facts: readonly Fact[]): Position;
  /** Resolves once everything is on the disk. */
  close(): Promise<void>;
}

interface File {
  readonly path: string;
  readonly journal: Journal;
}

const fullSize = 16 * 1024 * 1024;
const mostBytes = 256 * 1024 * 1024;

function openFiles(folder: string, options: EventLogOptions, slot: Slot): RotatingFiles {
  const { pid, kill, now, later, most = mostBytes } = options;
  const listener: Listener = { type: 'listener', pid, start: processStart(pid) };
  // Processes in two containers may have the same pid.
  const tag = randomBytes(4).readUInt32BE();
  const paths: string[] = [];
  const closing: Promise<void>[] = [];
  let [isEmpty, isClosed] = [true, false];
  let file = begin();
  return {
    paths,
    append(facts) {
      if (!isClosed && file.journal.size() >= fullSize) rotate();
      let position = write(facts);
      if (!file.journal.exists()) {
        // The file was removed: nothing written to it would ever be found.
        rotate();
        position = write(facts);
      }
      isEmpty = false;
      return position;
    },
    async close() {
      isClosed = true;
      leave(file);
      if (isEmpty) rmSync(file.path, { force: true });
      await Promise.all(closing);
    },
  };

  function write(facts: readonly Fact[]): Position {
    const position = { file: paths.length - 1, at: file.journal.size() };
    file.journal.append(...facts);
    return position;
  }

  function rotate(): void {
    const full = file;
    file = begin();
    leave(full);
  }

  function begin(): File {
    try {
      createFolder(folder);
      const path = newPath(1);
      const journal = openJournal(path, { ...form, later, first: [listener] });
      paths.push(path);
      removeOld(folder, { now: now(), kill, most, isDone: (other) => other !== path && paths.includes(other) });
      return { path, journal };
    } catch (error) {
      if (paths.length === 0) slot.release();
      throw error;
    }
  }

  /** Several files may begin in one millisecond, and a removed one may still be open for reading. */
  function newPath(number: number): string {
    const path = join(folder, fileName(now(), tag, number));
    return existsSync(path) || paths.includes(path) ? newPath(number + 1) : path;
  }

  function leave({ journal }: File): void {
    const closed = journal.close();
    // Errors are reported by close().
    closed.catch(() => {});
    closing.push(closed);
  }
}
