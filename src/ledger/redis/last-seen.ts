import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { createStateFolder, fsError, readRegular } from '../../base/files.ts';
import { unwritable } from '../../base/journal.ts';
import { isRecord } from '../../contract/readers.ts';

/** The last record of this machine on a server. If the server knows less, it has lost data. */
interface Known {
  readonly epoch: string;
  /** Changes by this machine. */
  readonly count: number;
  /** Changes by all machines. */
  readonly order: number;
  /** When that was, in milliseconds of the server's clock. */
  readonly at: number;
}

export interface LastSeen {
  /** A random id. */
  readonly machine: string;
  known(): Known | undefined;
  /** Written immediately, so that it survives the end of this process. */
  note(known: Known): void;
  close(): void;
}

/** One line of a fixed length: a write replaces all of it. */
const length = 200;

/** A small file in the state folder. Several processes write it, each after its own changes. */
export function openLastSeen(path: string): LastSeen {
  const stored = read(path);
  const machine = stored?.machine ?? randomBytes(8).toString('hex');
  let known = stored?.known;
  let fd: number | undefined;
  let isClosed = false;
  return {
    machine,
    known: () => known,
    note(next) {
      known = next;
      if (!isClosed) write(`${JSON.stringify({ machine, ...next }).padEnd(length - 1)}\n`);
    },
    close() {
      if (fd !== undefined) fs.closeSync(fd);
      [fd, isClosed] = [undefined, true];
    },
  };

  function write(line: string): void {
    try {
      fd ??= opened(path);
      fs.writeSync(fd, line, 0);
    } catch (error) {
      throw fsError(error) ? unwritable(path, error) : error;
    }
  }
}

function opened(path: string): number {
  createStateFolder(dirname(path));
  return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
}

function read(path: string): { readonly machine: string; readonly known: Known } | undefined {
  try {
    const line = readRegular(path).toString();
    // The process that created the file was killed before it wrote.
    if (line === '') return undefined;
    const value: unknown = JSON.parse(line);
    const { machine, epoch, count, order, at } = isRecord(value) ? value : {};
    const isComplete = typeof count === 'number' && typeof order === 'number' && typeof at === 'number';
    if (typeof machine !== 'string' || typeof epoch !== 'string' || !isComplete)
      throw new SyntaxError('a field is missing');
    return { machine, known: { epoch, count, order, at } };
  } catch (error) {
    if (fsError(error)?.code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw configuration(
      'journal-damaged',
      `${path} is damaged`,
      'remove it to use the team from this machine as a new one',
    );
  }
}
