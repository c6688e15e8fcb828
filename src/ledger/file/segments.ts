import { existsSync, fdatasyncSync, fstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../base/files.ts';
import { syncFolderOf } from '../../base/journal.ts';
import { isRecord } from '../../contract/readers.ts';
import { type Book, type Change, createBook, type KnownOwner } from '../book.ts';
import { unusable } from '../identity.ts';
import { type AppendFile, createAppendFile, damaged, openAppendFile } from './append.ts';
import { linesFor } from './lines.ts';
import { expiredBefore, remainsOf } from '../past.ts';
import { applyTo, hasPast, readPast, type Until, writePast } from './past-file.ts';
import { BadTable, openTable, type Table, tailOf, writeTable } from './table.ts';

/** One file a day; only the last one grows. */
export interface Segments {
  /** Applies what other processes have appended. Only in a turn. */
  refresh(): void;
  /** Appends changes; they are not applied. Only in a turn, after a refresh. */
  append(changes: readonly Change[]): void;
  /** Forgets what the table said, which is damaged, and reads the segments themselves. Only in a turn. */
  restart(): void;
  /** Writes a table of all that is known, if that saves others much reading. Only in a turn. */
  save(): void;
  /** The file that the last append went to. */
  current(): AppendFile | undefined;
  /** Whether that file was removed. */
  isRemoved(): boolean;
  close(): void;
}

export interface SegmentOptions {
  readonly folder: string;
  readonly book: Book;
  /** Of the secret. */
  readonly check: string;
  readonly now: () => number;
  readonly isAlive: (owner: KnownOwner) => boolean;
  readonly onRepaired: (path: string, bytes: number) => void;
}

export const form = { format: 'bizmsg ledger', version: 2 };
/** Bytes of segments that a process reads in a millisecond or two. */
const shortTail = 1 << 14;
/** Milliseconds. */
const dayLength = 86_400_000;
/** Milliseconds after which a draft was left by a crash: writing it takes much less. */
const abandonedAfter = 60_000;
/** Milliseconds after which a file with signs of life is removed. */
const silentFor = dayLength;
/** Characters gathered before they are written. */
const chunk = 1 << 17;

export function createSegments({ folder, book, check, now, isAlive, onRepaired }: SegmentOptions): Segments {
  let isOpen = true;
  let current: AppendFile | undefined;
  let day = '';
  /** Until then, the last file is the one of today. */
  let midnight = 0;
  /** The end of the segments that were removed, if it starts after them. */
  let until: Until | undefined;
  /** The segment and the byte up to which the table covers the ledger. */
  let covered = { name: '', size: 0 };
  return {
    current: () => current,
    isRemoved: () => isOpen && current !== undefined && fstatSync(current.fd()).nlink === 0,
    refresh() {
      if (!current) removeDrafts();
      try {
        refresh();
      } catch (error) {
        if (!(error instanceof BadTable)) throw error;
        restart();
      }
    },
    restart,
    append(changes) {
      const time = now();
      const isFirstOfDay = !current || (time >= midnight && nameAt(time) > day);
      const before = day;
      if (isFirstOfDay) begin(nameAt(time));
      midnight = (Math.floor(time / dayLength) + 1) * dayLength;
      current?.append(chunksOf(linesFor(changes)));
      if (isFirstOfDay && before !== '') unlessBad(() => expire(before));
    },
    save: () => unlessBad(() => save(segmentNames(folder))),
    close() {
      isOpen = false;
      current?.close();
      book.clear();
    },
  };

  /** A damaged table is removed, and what needs it is left to the next process. */
  function unlessBad(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof BadTable)) throw error;
      rmSync(join(folder, 'table'), { force: true });
    }
  }

  function refresh(): void {
    const isFirst = !current;
    const names = segmentNames(folder);
    if (isFirst) restore(names);
    if (!current && !until) {
      until = readPast(folder, check, book);
      day = until?.name ?? '';
    }
    const added = names.filter((name) => name > day);
    current?.read(applyTo(book, current.path), added.length === 0 ? 'repair' : 'damage');
    for (const name of added) enter(name, name === added.at(-1));
    // Processes that were killed have written none.
    if (isFirst) save(names);
  }

  function restart(): void {
    current?.close();
    [current, until, day, covered] = [undefined, undefined, '', { name: '', size: 0 }];
    rmSync(join(folder, 'table'), { force: true });
    book.clear();
    refresh();
  }

  function save(names: readonly string[]): void {
    if (!current || !isTailLong(names)) return;
    covered = { name: day, size: current.end() };
    const tail = tailOf(current.fd(), covered.size);
    writeTable(join(folder, 'table'), { ...covered, secret: check, tail }, book.dump());
  }

  /** Starts from the table, if it belongs to a segment as it is now. */
  function restore(names: readonly string[]): void {
    const table = openTable(join(folder, 'table'));
    if (!table) return;
    const segment = table.secret === check ? coveredBy(table, names) : undefined;
    if (!segment) return table.book.entries.close();
    covered = { name: table.name, size: table.size };
    book.restore(table.book);
    // Applying many changes to rows that are still in the file would take longer than reading them.
    if (isTailLong(names)) book.load();
    segment.seek(table.size);
    [current, day] = [segment, table.name];
  }

  /** The segment up to whose middle the table reaches; undefined if it belongs to another segment. */
  function coveredBy(table: Table, names: readonly string[]): AppendFile | undefined {
    // The table is removed before a segment is.
    if (!names.includes(table.name)) throw damaged(join(folder, table.name), 0, 'it is missing');
    const segment = opened(table.name);
    const { size } = fstatSync(segment.fd());
    if (size >= table.size && tailOf(segment.fd(), table.size) === table.tail) return segment;
    segment.close();
    if (size < table.size) throw damaged(segment.path, size, `it once had ${table.size} bytes`);
    return undefined;
  }

  /**
   * Whether reading what follows the table costs more than writing a new one. Writing takes longer the more rows there
   * are, so both together cost the least if the limit grows with their square root.
   */
  function isTailLong(names: readonly string[]): boolean {
    const sizes = names.filter((name) => name >= covered.name).map((name) => statSync(join(folder, name)).size);
    const most = Math.max(shortTail, 64 * Math.sqrt(book.entries.count()));
    return sizes.reduce((sum, size) => sum + size, -covered.size) > most;
  }

  /** The first line names the segment before it, so that one that is missing or shorter is noticed. */
  function enter(name: string, isLast: boolean): void {
    const next = opened(name);
    if (!isAfter(next)) throw damaged(next.path, 0, `it does not follow ${before()?.name ?? 'nothing'}`);
    current?.close();
    [current, day] = [next, name];
    next.read(applyTo(book, next.path), isLast ? 'repair' : 'damage');
  }

  function opened(name: string): AppendFile {
    const file = openAppendFile({ path: join(folder, name), ...form, onRepaired });
    if (file.header['secret'] !== check) throw unusable(`${file.path} was written with another secret`);
    return file;
  }

  function isAfter({ header }: AppendFile): boolean {
    const [after, expected] = [header['after'], before()];
    if (!expected) return after === null;
    return isRecord(after) && after['name'] === expected.name && after['size'] === expected.size;
  }

  /** The segment that the next one follows. */
  function before(): Until | undefined {
    return current ? { name: day, size: current.end() } : until;
  }

  function begin(name: string): void {
    // It is not synced later.
    if (current) fdatasyncSync(current.fd());
    createAppendFile(join(folder, name), form, { secret: check, after: before() ?? null });
    enter(name, true);
  }

  /**
   * Replaces the oldest segments by the few rows of them that still count. The segments go last, so that a crash leaves
   * some that are ignored, and nothing that is needed is ever missing. One command under a wrong clock must not remove
   * what still counts, so the time is that of the segment before this one.
   */
  function expire(before: string): void {
    const time = Math.min(now(), Date.parse(before.slice(0, 10)) + dayLength);
    const limit = nameAt(expiredBefore(book, time, isAlive));
    const names = segmentNames(folder).filter((name) => name < limit && name < day);
    if (names.length === 0) return;
    book.load();
    const old = createBook();
    let end = readPast(folder, check, old);
    for (const name of names) {
      if (end && name <= end.name) continue;
      const segment = opened(name);
      segment.read(applyTo(old, segment.path), 'damage');
      end = { name, size: segment.end() };
      segment.close();
    }
    if (end) writePast(folder, check, end, remainsOf(old, book, time));
    // It has all rows that were expired.
    rmSync(join(folder, 'table'), { force: true });
    // Not even a power cut leaves a table without its segment.
    syncFolderOf(join(folder, 'table'));
    for (const name of names) rmSync(join(folder, name), { force: true });
  }

  /** Crashes leave drafts and signs of life. Younger ones may be in use. */
  function removeDrafts(): void {
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const age = now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
      const isLeft = name.endsWith('.new') ? age > abandonedAfter : name.endsWith('.owner') && age > silentFor;
      if (isLeft) rmSync(path, { force: true });
    }
  }
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < chunk) continue;
    yield text;
    text = '';
  }
  yield text;
}

export function hasSegments(folder: string): boolean {
  return existsSync(folder) && (segmentNames(folder).length > 0 || hasPast(folder));
}

export function segmentNames(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => /^\d{4}-\d{2}-\d{2}\.ndjson$/.test(name))
    .sort();
}

function nameAt(time: number): string {
  return `${new Date(time).toISOString().slice(0, 10)}.ndjson`;
}
