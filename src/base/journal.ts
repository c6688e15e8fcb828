import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { closeSync, fdatasync, fstatSync, ftruncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError, configuration, unsafe } from './errors.ts';
import { fileFault, namesIn } from './files.ts';
import type { Later } from './host.ts';
import { foreign, type Form, type Line, lineOf, linesOf, recordIn } from './journal-lines.ts';

export interface JournalOptions extends Form {
  readonly later: Later;
  /** What a new one begins with: it is there with these, or not at all. */
  readonly first?: readonly unknown[];
  /** It takes the place of one that may be there: a crash leaves the old or the new, whole. */
  readonly isNew?: boolean;
  /** Whether this process still owns the file; checked before a line is written, at most once per millisecond. */
  readonly isOurs?: (() => boolean) | undefined;
  /** The clock of these checks, in milliseconds; it has to go on while this process is stopped. */
  readonly now?: () => number;
  /** Told how many bytes of a line that was never finished were cut off. */
  readonly onTorn?: ((bytes: number) => void) | undefined;
}

export interface Journal {
  /** To be read once, and to its end, before anything is added. */
  readonly past: Iterable<Entry>;
  /** Written when it returns, on the disk soon after; when it throws, nothing of it was added. */
  append(record: unknown): void;
  /** Resolves once the disk has all that was added before; those who wait together share one sync. */
  synced(): Promise<void>;
  /** In place of all that was recorded: a crash leaves the old or the new, whole. */
  rewrite(records: Iterable<unknown>): void;
  /** Whether nobody has removed the file, which would go on taking what nobody finds. */
  isThere(): boolean;
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

interface Entry {
  /** The byte at which its line begins. */
  readonly at: number;
  readonly record: unknown;
}

/** A file of records, one a line, that only grows and that a crash does not hurt; for one process at a time. */
export function openJournal(
  path: string,
  { kind, version, later, first = [], isNew, isOurs = () => true, now = Date.now, onTorn }: JournalOptions,
): Journal {
  const header = lineOf({ format: `bizmsg ${kind}`, version });
  removeDrafts(path);
  const found = isNew ? undefined : openFound(path, header);
  let writer: Writer | undefined;
  let closing: Promise<void> | undefined;
  if (!found) begin(first);
  return {
    past: found ? read(found) : [],
    append: (record) => current().write(lineOf(record)),
    synced: async () => current().synced(),
    rewrite: (records) => begin(records, current()),
    isThere: () => current().isThere(),
    close: () => (closing ??= writer?.close() ?? Promise.resolve(found && closeSync(found.fd))),
  };

  function* read({ fd, lines }: Found): Generator<Entry> {
    let step = lines.next();
    for (; !step.done; step = lines.next()) yield { at: step.value.at, record: recordIn(step.value, path) };
    // Only now that all before it is known to be good is anything changed.
    const { at, bytes: rest } = step.value;
    if (rest.length > 0) ftruncateSync(fd, at);
    writer = createWriter({ path, fd, end: at, later, isOurs, now });
    if (rest.length > 0) onTorn?.(rest.length);
  }

  function begin(records: Iterable<unknown>, old?: Writer): void {
    const { fd, end } = replace({ path, header, records, before: () => old?.refuseTaken() });
    writer = createWriter({ path, fd, end, later, isOurs, now });
    // Whatever the disk has yet to take of it, it took with the new one.
    old?.close().catch(() => {});
    syncFolderOf(path);
  }

  function current(): Writer {
    if (closing) throw new Error(`${path} is closed`);
    if (!writer) throw new Error('the past of a journal is read before anything is added');
    return writer;
  }
}

interface Writer {
  /** Throws if another process has taken the file over; checks now, whenever it last did. */
  refuseTaken(): void;
  write(line: string): void;
  synced(): Promise<void>;
  isThere(): boolean;
  close(): Promise<void>;
}

const syncEvery = 200;
const toDisk = promisify(fdatasync);

interface WriterOptions {
  readonly path: string;
  readonly fd: number;
  /** The byte at which the file ends. */
  readonly end: number;
  readonly later: Later;
  /** Whether this process still owns the file. */
  readonly isOurs: () => boolean;
  /** Milliseconds of a clock that goes on while this process is stopped. */
  readonly now: () => number;
}

/** Appends lines to an open file, each whole or not at all, and syncs them in the background. */
function createWriter({ path, fd, end: start, later, isOurs, now }: WriterOptions): Writer {
  let [end, isDirty] = [start, false];
  /** After it nobody knows what the file holds, or what of it the disk has. */
  let fault: Error | undefined;
  let syncing: Promise<void> | undefined;
  let callOff = () => {};
  let checkedAt: number | undefined;
  return {
    refuseTaken,
    write(line) {
      if (fault) throw fault;
      refuseTakenNowAndThen();
      try {
        end += writeWhole(fd, line, end);
      } catch (error) {
        throw takenBack(unwritable(path, error));
      }
      if (!isDirty && !syncing) callOff = later(syncEvery, sync);
      isDirty = true;
    },
    isThere: () => fstatSync(fd).nlink > 0,
    async synced() {
      await settle();
      if (fault) throw fault;
    },
    async close() {
      await settle();
      closeSync(fd);
      if (fault) throw fault;
    },
  };

  function refuseTaken(): void {
    if (fstatSync(fd).size > end || !isOurs()) throw (fault = taken(path));
  }

  /**
   * Checks once per millisecond: for every line it would cost half as much as writing. Only a process that stood still for
   * long can lose its file, and then the clock has moved.
   */
  function refuseTakenNowAndThen(): void {
    const at = now();
    if (at === checkedAt) return;
    refuseTaken();
    checkedAt = at;
  }

  async function settle(): Promise<void> {
    await syncing;
    callOff();
    if (isDirty) sync();
    await syncing;
  }

  function sync(): void {
    isDirty = false;
    syncing = bring();
  }

  async function bring(): Promise<void> {
    try {
      await toDisk(fd);
    } catch (error) {
      fault = unwritable(path, error);
      return;
    }
    syncing = undefined;
    if (isDirty) callOff = later(syncEvery, sync);
  }

  function takenBack(refusal: Error): Error {
    try {
      ftruncateSync(fd, end);
    } catch {
      fault = refusal;
    }
    return refusal;
  }
}

/** A process that was stopped for long may have lost its file to another one, whose lines it must not overwrite. */
function taken(path: string): Error {
  const hint = 'this process has stopped writing; run the same command again once the other one has ended';
  return unsafe('journal-taken', `another process writes this journal: ${path}`, hint);
}

interface Found {
  readonly fd: number;
  /** Those after the first, one by one; what comes back at the end is the torn rest. */
  readonly lines: Generator<Line, Line>;
}

const chunkSize = 65_536;

/** What stands there, with this first line; undefined where nothing was ever begun. */
function openFound(path: string, header: string): Found | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const lines = linesOf(fd);
    const { value: first, done } = lines.next();
    if (!done && `${first.bytes.toString()}\n` === header) return { fd, lines };
    if (!done || !isTorn(first, header)) throw foreign(first, path);
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
  /** Runs right before the new file takes the old one's place; may throw. */
  readonly before: () => void;
}

/** Puts a new file in place of the one at this path, which stays as it is if this throws. */
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
    fs.renameSync(draft, path);
    return { fd, end };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(draft, { force: true });
    throw !(error instanceof CliError) && fileFault(error) ? unwritable(path, error) : error;
  }
}

/** Removes what a crash left of new files; the process that holds the journal calls it. */
function removeDrafts(path: string): void {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  for (const name of namesIn(folder))
    if (name.startsWith(start) && name.endsWith('.new')) fs.rmSync(join(folder, name), { force: true });
}

/** Has the disk take a name that was given; some file systems do that by themselves, and refuse to be asked. */
export function syncFolderOf(path: string): void {
  const fd = fs.openSync(dirname(path), 'r');
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (fileFault(error)?.code !== 'EINVAL') throw unwritable(path, error);
  } finally {
    fs.closeSync(fd);
  }
}

/** How many bytes it took. A disk that is nearly full takes a part, and says why when it is offered the rest. */
export function writeWhole(fd: number, text: string, at: number): number {
  const size = Buffer.byteLength(text);
  let done = fs.writeSync(fd, text, at);
  while (done < size) done += fs.writeSync(fd, Buffer.from(text), done, size - done, at + done);
  return done;
}

export function unwritable(path: string, error: unknown): CliError {
  const reason = fileFault(error)?.reason ?? String(error);
  const hint = 'what was written before is kept';
  return configuration('journal-unwritable', `cannot write ${path}: ${reason}`, hint, error);
}

function openIfThere(path: string): number | undefined {
  try {
    return fs.openSync(path, 'r+');
  } catch (error) {
    if (fileFault(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A crash may have left a part of it, and zeros that were never written over. */
function isTorn({ bytes }: Line, header: string): boolean {
  const written = bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : undefined);
  return header.startsWith(written.toString()) && bytes.subarray(written.length).every((byte) => byte === 0);
}
