import { join } from 'node:path';
import { type CliError, configuration } from '../../base/errors.ts';
import type { Later } from '../../base/sleep.ts';
import { openJournal } from '../../base/journal.ts';
import { isRecord } from '../../contract/readers.ts';
import { type Packed, packed, unpacked } from './packed.ts';
import type { Change } from './records.ts';
import type { Journal } from './store.ts';

export interface JournalOptions {
  readonly later: Later;
  /** Whether this process still owns the folder. */
  readonly isOurs?: () => boolean;
  readonly warn?: ((text: string) => void) | undefined;
}

export interface FileJournal extends Journal {
  /** Resolves once everything is on disk. */
  close(): Promise<void>;
}

/** A journal file in a folder that this process owns: one commit per line. */
export function openFileJournal(folder: string, { later, isOurs, warn }: JournalOptions): FileJournal {
  const path = join(folder, 'journal.ndjson');
  const onTorn = (bytes: number) =>
    warn?.(`the last ${bytes} bytes of ${path} were removed: the sandbox died while writing them`);
  const journal = openJournal(path, { kind: 'sandbox', version: 2, later, isOurs, onTorn });
  let number = 0;
  return {
    past: commits(),
    append(changes) {
      journal.append([number, ...packed(changes)]);
      number += 1;
    },
    replace(all) {
      let next = 0;
      const numbered = function* () {
        for (const changes of all) yield [next++, ...changes];
      };
      journal.rewrite(numbered());
      number = next;
    },
    size: journal.size,
    close: journal.close,
  };

  /** Commits are numbered, so that a missing or misplaced line is detected. */
  function* commits(): Generator<readonly Change[]> {
    for (const { at, record } of journal.past) {
      const [first, ...records]: readonly unknown[] = Array.isArray(record) ? record : [];
      if (first !== number || !records.every(isPacked)) throw damaged(path, at);
      yield unpacked(records);
      number += 1;
    }
  }
}

function damaged(path: string, at: number): CliError {
  return configuration(
    'journal-damaged',
    `the line at byte ${at} of ${path} does not follow from the one before`,
    'nothing was changed; to start over, move the file away and keep it as a copy',
  );
}

/** The journal's checksum protects the rest of the record. */
function isPacked(value: unknown): value is Packed {
  return isRecord(value) && typeof value['type'] === 'string';
}
