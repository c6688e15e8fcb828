import { join } from 'node:path';
import { isRecord } from '../contract/readers.ts';
import { configuration } from '../errors.ts';
import { openJournal } from '../journal.ts';
import type { Journal, Later } from '../journal.ts';
import type { Change } from './changes.ts';
import type { Store } from './ledger.ts';

export interface StoreOptions {
  readonly later: Later;
  /** Told of what its user must hear. */
  readonly warn?: ((text: string) => void) | undefined;
}

export interface FileStore extends Store {
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

/** What a sandbox keeps in its folder, which it has to itself: a journal with a commit a line. */
export function openStore(folder: string, { later, warn }: StoreOptions): FileStore {
  const path = join(folder, 'journal.ndjson');
  const onTorn = (bytes: number) =>
    warn?.(`the last ${bytes} bytes of ${path} were cut off: its sandbox died while it wrote them`);
  const journal = openJournal(path, { kind: 'sandbox', version: 1, later, onTorn });
  return {
    past: commitsIn(journal, path),
    append: journal.append,
    replace: journal.rewrite,
    close: journal.close,
  };
}

function* commitsIn({ past }: Journal, path: string): Generator<readonly Change[]> {
  for (const { at, record } of past) {
    if (!isCommit(record)) {
      const hint = 'nothing was changed; keep a copy of it, and move it away to begin anew';
      throw configuration('journal-damaged', `${path} holds at byte ${at} what no sandbox writes`, hint);
    }
    yield record;
  }
}

/** A checksum has shown that it is as it was written, so what it is called is enough. */
function isCommit(record: unknown): record is readonly Change[] {
  return Array.isArray(record) && record.every((change) => isRecord(change) && typeof change['type'] === 'string');
}
