import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { createStateFolder, fsError, readRegular } from '../../base/files.ts';
import { replace } from '../../base/journal.ts';
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

export interface Memory {
  /** A random id. */
  readonly machine: string;
  known(): Known | undefined;
  note(known: Known): void;
  write(): void;
}

/** A small file in the state folder. Several processes write it; the one that knows most wins. */
export function createMemory(path: string): Memory {
  const stored = read(path);
  const machine = stored?.machine ?? randomBytes(8).toString('hex');
  let known = stored?.known;
  return {
    machine,
    known: () => known,
    note: (next) => void (known = next),
    write() {
      const other = read(path);
      const isNewer =
        other?.machine === machine && other.known.epoch === known?.epoch && other.known.order > known.order;
      if (!known || isNewer) return;
      createStateFolder(dirname(path));
      const header = `${JSON.stringify({ machine, ...known })}\n`;
      closeSync(replace({ path, header, records: [], before: () => {} }).fd);
    },
  };
}

function read(path: string): { readonly machine: string; readonly known: Known } | undefined {
  try {
    const value: unknown = JSON.parse(readRegular(path).toString());
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
