import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError, configuration, fsError, unsafe } from './errors.ts';
import { namesIn } from './files.ts';
import { replaceFile } from './replace-file.ts';
import { isWindows } from './system.ts';
import type { Later } from './sleep.ts';
import { unknownFormat, type JournalFormat, type Line, lineOf, linesOf, recordIn } from './journal-lines.ts';

export interface JournalOptions extends JournalFormat {
  readonly later: Later;
  /** First records of a new journal, written atomically with it. */
  readonly first?: readonly unknown[];
  /** Replaces an existing journal atomically. */
  readonly isNew?: boolean;
  /** Whether this process still owns the file; checked before a line is written, at most every 20 ms. */
  readonly isOurs?: (() => boolean) | undefined;
  /** The clock of these checks, in milliseconds. It must keep running while this process is stopped. */
  readonly now?: () => number;
  /** Called with the length of an unfinished last line that was removed. */
  readonly onTorn?: ((bytes: number) => void) | undefined;
}

export interface Journal {
  /** Existing records. Must be read once, to the end, before the first append. */
  readonly past: Iterable<Entry>;
  /** Adds records in one write, which is synced to disk soon after. If it throws, none was added. */
  append(...records: readonly unknown[]): void;
  /** In bytes. */
  size(): number;
  /** Resolves once everything appended so far is on disk. Concurrent callers share one sync. */
  synced(): Promise<void>;
  /** Replaces all records atomically. */
  rewrite(records: Iterable<unknown>): void;
  /** False if the file was deleted: further writes would be lost. */
  exists(): boolean;
  /** Resolves once everything is on disk. */
  close(): Promise<void>;
}

interface Entry {
  /** Byte offset of the line. */
  readonly at: number;
  readonly record: unknown;
}

/** Opens a crash-safe, append-only file of records, one per line, for one process at a time. */
export function openJournal(
  path: string,
  { kind, version, later, first = [], isNew, isOurs = () => true, now = Date.now, onTorn }: JournalOptions,
): Journal {
  const header = lineOf({ format: `bizmsg ${kind}`, version });
  removeDrafts(path);
  const found = isNew ? undefined : openFound(path, header);
  let writer: Writer | undefined;
  let closing: Promise<void> | undefined;
  if (!found) start(first);
  return {
    past: found ? read(found) : [],
    append: (...records) => current().write(records.length === 1 ? lineOf(records[0]) : records.map(lineOf).join('')),
    size: () => current().size(),
    synced: async () => current().synced(),
    rewrite: (records) => start(records, current()),
    exists: () => current().exists(),
    close: () => (closing ??= writer?.close() ?? Promise.resolve(found && fs.closeSync(found.fd))),
  };

  function* read({ fd, lines }: Found): Generator<Entry> {
    let step = lines.next();
    for (; !step.done; step = lines.next()) yield { at: step.value.at, record: recordIn(step.value, path) };
    // All lines before the unfinished one are intact, so the file may be changed now.
    const { at, bytes: rest } = step.value;
    if (rest.length > 0) fs.ftruncateSync(fd, at);
    writer = createWriter({ path, fd, end: at, later, isOurs, now });
    if (rest.length > 0) onTorn?.(rest.length);
  }

  function start(records: Iterable<unknown>, old?: Writer): void {
    const { fd, end } = replace({ path, header, records, before: () => old?.giveUp() });
    writer = createWriter({ path, fd, end, later, isOurs, now });
    // The new file is complete on disk, so a failed sync of the old one does not matter.
    old?.close().catch(() => {});
    syncFolderOf(path);
  }

  function current(): Writer {
    if (closing) throw new Error(`${path} is closed`);
    if (!writer) throw new Error('read the past of a journal before appending');
    return writer;
  }
}

interface Writer {
  /** Throws if another process has taken the file over. On Windows it closes the file: an open one cannot be replaced. */
  giveUp(): void;
  write(lines: string): void;
  size(): number;
  synced(): Promise<void>;
  exists(): boolean;
  close(): Promise<void>;
}

/** Milliseconds between checks of the owner: far less than another process waits before it takes over. */
const checkEvery = 20;
/** Milliseconds between syncs. */
const syncEvery = 200;
const toDisk = promisify(fs.fdatasync);

interface WriterOptions {
  readonly path: string;
  readonly fd: number;
  /** Size of the file. */
  readonly end: number;
  readonly later: Later;
  /** Whether this process still owns the file. */
  readonly isOurs: () => boolean;
  /** Milliseconds of a clock that keeps running while this process is stopped. */
  readonly now: () => number;
}

/** Appends lines to an open file, each completely or not at all, and syncs them in the background. */
function createWriter({ path, fd, end: start, later, isOurs, now }: WriterOptions): Writer {
  let [end, isOpen, isDirty] = [start, true, false];
  /** Set after a failed write or sync: the contents of the file are unknown from then on. */
  let fault: Error | undefined;
  let syncing: Promise<void> | undefined;
  let cancel = () => {};
  let checkedAt = -Infinity;
  return {
    giveUp() {
      refuseTakenOver();
      if (!isWindows) return;
      cancel();
      [isOpen, isDirty] = [false, false];
      // If the replacement fails, nothing may be written: the number may belong to another file then.
      fault = unwritable(path, new Error('it could not be replaced'));
      fs.closeSync(fd);
    },
    write(lines) {
      if (fault) throw fault;
      checkOwner();
      try {
        end += writeWhole(fd, lines, end);
      } catch (error) {
        throw rolledBack(unwritable(path, error));
      }
      if (!isDirty && !syncing) cancel = later(syncEvery, sync);
      isDirty = true;
    },
    size: () => end,
    exists: () => isOpen && fs.fstatSync(fd).nlink > 0,
    async synced() {
      await flush();
      if (fault) throw fault;
    },
    async close() {
      if (!isOpen) return;
      await flush();
      fs.closeSync(fd);
      if (fault) throw fault;
    },
  };

  function refuseTakenOver(): void {
    if (fs.fstatSync(fd).size > end || !isOurs()) throw (fault = takenOver(path));
  }

  /** A check for every line would cost half as much as writing. Only a process that was stopped can lose its file. */
  function checkOwner(): void {
    const at = now();
    if (Math.abs(at - checkedAt) < checkEvery) return;
    refuseTakenOver();
    checkedAt = at;
  }

  async function flush(): Promise<void> {
    await syncing;
    cancel();
    if (isDirty) sync();
    await syncing;
  }

  function sync(): void {
    isDirty = false;
    syncing = syncToDisk();
  }

  async function syncToDisk(): Promise<void> {
    try {
      await toDisk(fd);
    } catch (error) {
      fault = unwritable(path, error);
      return;
    }
    syncing = undefined;
    if (isDirty) cancel = later(syncEvery, sync);
  }

  /** Removes a partly written line. */
  function rolledBack(error: Error): Error {
    try {
      fs.ftruncateSync(fd, end);
    } catch {
      fault = error;
    }
    return error;
  }
}

/** A process that was stopped for long may have lost its journal to a process whose lines it must not overwrite. */
function takenOver(path: string): Error {
  const hint = 'this process has stopped writing; run the same command again once the other one has ended';
  return unsafe('journal-taken', `another process is writing this journal: ${path}`, hint);
}

interface Found {
  readonly fd: number;
  /** Yields the lines after the header; returns the unfinished rest. */
  readonly lines: Generator<Line, Line>;
}

const chunkSize = 65_536;

/** Opens a journal with this header; undefined if it does not exist or its header is incomplete. */
function openFound(path: string, header: string): Found | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const lines = linesOf(fd);
    const { value: first, done } = lines.next();
    if (!done && `${first.bytes.toString()}\n` === header) return { fd, lines };
    if (!done || !isTorn(first, header)) throw unknownFormat(first, path);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
}

interface Replacement {
  readonly path: string;
  readonly header: string;
  readonly records: Iterable<unknown>;
  /** Runs right before the rename; may throw. */
  readonly before: () => void;
}

/** Replaces the file at this path atomically. If it throws, the old file is unchanged. */
export function replace({ path, header, records, before }: Replacement): { fd: number; end: number } {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const fd = fs.openSync(draft, 'wx', 0o600);
  try {
    let [end, text] = [0, header];
    for (const record of records) {
      text += lineOf(record);
      if (text.length < chunkSize) continue;
      end += writeWhole(fd, text, end);
      text = '';
    }
    end += writeWhole(fd, text, end);
    fs.fsyncSync(fd);
    before();
    replaceFile(draft, path);
    return { fd, end };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(draft, { force: true });
    throw !(error instanceof CliError) && fsError(error) ? unwritable(path, error) : error;
  }
}

/** Removes drafts left by a crash. Only the owner of the journal may call this. */
function removeDrafts(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  for (const name of namesIn(folder))
    if (name.startsWith(start) && name.endsWith('.new')) fs.rmSync(join(folder, name), { force: true });
}

/** Syncs the folder of a path after a rename. EINVAL means that the file system does not need it; Windows cannot do it. */
export function syncFolderOf(path: string): void {
  if (isWindows) return;
  const fd = fs.openSync(dirname(path), 'r');
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (fsError(error)?.code !== 'EINVAL') throw unwritable(path, error);
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes the whole text and returns its size. A nearly full disk writes a part, and fails on the next write. */
export function writeWhole(fd: number, text: string, at: number): number {
  const size = Buffer.byteLength(text);
  let done = fs.writeSync(fd, text, at);
  while (done < size) done += fs.writeSync(fd, Buffer.from(text), done, size - done, at + done);
  return done;
}

export function unwritable(path: string, error: unknown): CliError {
  const reason = fsError(error)?.reason ?? String(error);
  const hint = 'earlier records are kept';
  return configuration('journal-unwritable', `cannot write ${path}: ${reason}`, hint, error);
}

function openIfThere(path: string): number | undefined {
  try {
    return fs.openSync(path, 'r+');
  } catch (error) {
    if (fsError(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A crash may leave a part of the header followed by zeros. */
function isTorn({ bytes }: Line, header: string): boolean {
  const written = bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : undefined);
  return header.startsWith(written.toString()) && bytes.subarray(written.length).every((byte) => byte === 0);
}
