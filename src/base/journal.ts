import { closeSync, ftruncateSync } from 'node:fs';
import { openFound, removeDrafts, replace, syncFolderOf } from './journal-file.ts';
import type { Found } from './journal-file.ts';
import { lineOf, recordIn } from './journal-lines.ts';
import type { Form } from './journal-lines.ts';
import { createWriter } from './journal-writer.ts';
import type { Later, Writer } from './journal-writer.ts';

export type { Later } from './journal-writer.ts';

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
