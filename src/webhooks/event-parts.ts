import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/files.ts';
import type { Later } from '../base/host.ts';
import { type Journal, openJournal } from '../base/journal.ts';
import { type Probe, processStart } from '../base/liveness.ts';
import { fileName, removeOld } from './event-files.ts';
import { type Fact, form, type Listener } from './event-records.ts';

export interface PartsOptions {
  readonly pid: number;
  readonly kill: Probe;
  /** The time of day. */
  readonly now: () => number;
  readonly later: Later;
  /** Bytes that the files of all listeners may take (default: 256 MiB), but for the one that each writes. */
  readonly most?: number | undefined;
}

/** The files of one listener, of which it writes the last. */
export interface Parts {
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

export function openParts(folder: string, { pid, kill, now, later, most = mostBytes }: PartsOptions): Parts {
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
    makeFolder(folder);
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
    if (part.journal.isThere()) return;
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
