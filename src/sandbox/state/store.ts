import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../contract/readers.ts';
import { type CliError, configuration } from '../../base/errors.ts';
import type { Later } from '../../base/host.ts';
import { openJournal } from '../../base/journal.ts';
import type { Change } from './records.ts';
import type { Store } from './ledger.ts';

export interface StoreOptions {
  readonly later: Later;
  /** Whether this process still owns the folder. */
  readonly isOurs?: () => boolean;
  /** Told of what its user must hear. */
  readonly warn?: ((text: string) => void) | undefined;
}

export interface FileStore extends Store {
  /** Resolves once all is on the disk. */
  close(): Promise<void>;
}

/** What a sandbox keeps in its folder, which it has to itself: a journal with a commit a line. */
export function openStore(folder: string, { later, isOurs, warn }: StoreOptions): FileStore {
  const path = join(folder, 'journal.ndjson');
  const onTorn = (bytes: number) =>
    warn?.(`the last ${bytes} bytes of ${path} were cut off: its sandbox died while it wrote them`);
  const journal = openJournal(path, { kind: 'sandbox', version: 1, later, isOurs, onTorn });
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
    size: () => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    close: journal.close,
  };

  function* commits(): Generator<readonly Change[]> {
    for (const { at, record } of journal.past) {
      const [first, ...changes]: readonly unknown[] = Array.isArray(record) ? record : [];
      if (first !== number || !changes.every(isChange)) throw damaged(path, at);
      yield unpacked(changes);
      number += 1;
    }
  }
}

/** A new contact and its event hold the same: it is written once. */
function packed(changes: readonly Change[]): readonly unknown[] {
  const [contact, event] = changes;
  if (contact?.type !== 'contact' || event?.type !== 'event') return changes;
  const { id, type, at, data } = event.event;
  if (type !== 'contact.created' || data !== contact.contact) return changes;
  return [contact, { type: 'event', event: { id, type, at } }, ...changes.slice(2)];
}

function unpacked(changes: readonly Change[]): readonly Change[] {
  const [contact, event] = changes;
  if (contact?.type !== 'contact' || event?.type !== 'event') return changes;
  if (Object.hasOwn(event.event, 'data')) return changes;
  const whole: Change = { ...event, event: { ...event.event, data: contact.contact } };
  return [contact, whole, ...changes.slice(2)];
}

/** Each line is numbered, so that one which is missing, or stands elsewhere, is noticed. */
function damaged(path: string, at: number): CliError {
  const hint = 'nothing was changed; keep a copy of it, and move it away to begin anew';
  return configuration(
    'journal-damaged',
    `${path} holds at byte ${at} what does not follow from the line before`,
    hint,
  );
}

/** A checksum has shown that it is as it was written, so what it is called is enough. */
function isChange(value: unknown): value is Change {
  return isRecord(value) && typeof value['type'] === 'string';
}
