import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { type CliError, configuration, unsafe } from '../../base/errors.ts';
import { fsError, openRegular } from '../../base/files.ts';
import { syncFolderOf, unwritable, writeWhole } from '../../base/journal.ts';
import { type Damage, unknownFormat, type Line, lineOf, linesOf, recordIn } from '../../base/journal-lines.ts';
import { isRecord } from '../../contract/readers.ts';

/** A file of checksummed lines that several processes append to, one at a time. */
export interface AppendFile {
  readonly path: string;
  /** The other fields of the first line. */
  readonly header: Readonly<Record<string, unknown>>;
  /** The byte up to which it was read or written. */
  end(): number;
  read(onRecord: OnRecord, tail: Tail): void;
  /** Continues to read and append at this byte, where a line begins. */
  seek(at: number): void;
  /** Appends all of it, or nothing if it throws. */
  append(texts: Iterable<string>): void;
  fd(): number;
  close(): void;
}

type OnRecord = (record: unknown, at: number) => void;

/** Why a line has no end: a crash, damage, or a write in progress. Only the process that has the turn repairs it. */
type Tail = 'repair' | 'damage' | 'skip';

export interface Form {
  readonly format: string;
  readonly version: number;
}

export interface AppendOptions extends Form {
  readonly path: string;
  /** Called after a line that a crash had cut off was removed. */
  readonly onRepaired: (path: string, bytes: number) => void;
}

/** Creates the file with its first line, complete from its first instant; keeps one that exists. */
export function createAppendFile(
  path: string,
  { format, version }: Form,
  header: Readonly<Record<string, unknown>>,
): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    fs.writeFileSync(draft, lineOf({ format, version, ...header }), { mode: 0o600, flag: 'wx', flush: true });
    fs.linkSync(draft, path);
    syncFolderOf(path);
  } catch (error) {
    const fault = fsError(error);
    if (fault && fault.code !== 'EEXIST') throw unwritable(path, error);
    if (!fault) throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

export function openAppendFile({ path, onRepaired, ...form }: AppendOptions): AppendFile {
  const fd = openRegular(path, fs.constants.O_RDWR);
  const { header, after } = headerIn(fd, path, form);
  let end = after;
  return {
    path,
    header,
    end: () => end,
    fd: () => fd,
    read(onRecord, tail) {
      const lines = linesOf(fd, end);
      let step = lines.next();
      for (; !step.done; step = lines.next()) {
        onRecord(recordIn(step.value, path, refuseDamage), step.value.at);
        end = step.value.at + step.value.bytes.length + 1;
      }
      if (step.value.bytes.length > 0 && tail !== 'skip') finish(step.value, onRecord, tail);
    },
    seek(at) {
      end = at;
    },
    append(texts) {
      refuseTaken();
      let size = end;
      try {
        for (const text of texts) size += writeWhole(fd, text, size);
      } catch (error) {
        fs.ftruncateSync(fd, end);
        throw unwritable(path, error);
      }
      end = size;
    },
    close: () => fs.closeSync(fd),
  };

  /** A crash leaves only the beginning of a line; anything else means that a byte was changed. */
  function finish(rest: Line, onRecord: OnRecord, tail: Tail): void {
    const { at, bytes } = rest;
    if (tail === 'damage' || isWhole({ at, bytes: bytes.subarray(0, -1) }, path))
      recordIn({ at, bytes: Buffer.alloc(0) }, path, refuseDamage);
    if (isWhole(rest, path)) {
      onRecord(recordIn(rest, path, refuseDamage), at);
      writeWhole(fd, '\n', at + bytes.length);
      end = at + bytes.length + 1;
      return;
    }
    fs.ftruncateSync(fd, at);
    onRepaired(path, bytes.length);
  }

  /** A process that was stopped for long may have lost its turn; the other one has written since. */
  function refuseTaken(): void {
    const { size, nlink } = fs.fstatSync(fd);
    if (size !== end || nlink === 0) throw taken(path);
  }
}

export function taken(path: string): CliError {
  const hint = 'this process has stopped; run the same command again: it continues';
  return unsafe('journal-taken', `another process wrote to ${path} while it was this one's turn`, hint);
}

/** The hint for a file of the ledger that cannot be read. */
const noCopy = 'restore it from a backup; messages may be sent twice without it';

/** Text that no writer of this version would have written there. */
export function damaged(path: string, at: number, why: string): CliError {
  return configuration('journal-damaged', `${path} is damaged at byte ${at}: ${why}`, noCopy);
}

export function refuseDamage({ text }: Damage): never {
  throw configuration('journal-damaged', text, `nothing was changed; ${noCopy}`);
}

/** The first line of a file, if this bizmsg can read the file. */
export function headerOf(line: Line, path: string, { format, version }: Form) {
  const header = recordIn(line, path, refuseDamage);
  if (isRecord(header) && header['format'] === format && header['version'] === version) return header;
  throw unknownFormat(line, path, noCopy);
}

function headerIn(fd: number, path: string, form: Form) {
  const lines = linesOf(fd);
  const { value: first, done } = lines.next();
  if (done) throw damaged(path, 0, 'its first line is incomplete');
  return { header: headerOf(first, path, form), after: first.bytes.length + 1 };
}

function isWhole(line: Line, path: string): boolean {
  let isWhole = true;
  recordIn(line, path, () => (isWhole = false));
  return isWhole;
}
