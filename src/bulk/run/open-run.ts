import { basename } from 'node:path';
import { configuration } from '../../errors.ts';
import type { Journal } from '../../journal.ts';
import { taken } from '../../journal-writer.ts';
import { partOf } from './begin.ts';
import { keepDraft, removeCopy } from './copies.ts';
import type { Holds } from './hold.ts';
import type { Ledger } from './ledger.ts';
import type { OpenRunOptions } from './open.ts';
import type { RowsRecord, RunRecord, Stopped } from './records.ts';
import { journalPath, readStory } from './story.ts';
import type { Summary } from './summary.ts';
import { summaryOf } from './summary.ts';
import { cutShortRecord } from './verdicts.ts';

/** A run that is this process's own until it is closed. */
export interface OpenRun {
  readonly action: 'begin' | 'resume';
  readonly id: string;
  readonly folder: string;
  /** For stderr. */
  readonly notes: readonly string[];
  /** What the parts before this one came to; it stays as it is. */
  readonly ledger: Ledger;
  /** Whether rows that are unsure are sent again. */
  readonly allowUnsure: boolean;
  /** How many the input holds. */
  readonly rows: number;
  /** When this part began. */
  readonly startedAt: number;
  /** Throws, too, where the journal was removed: nobody would find what was recorded, and all be sent again. */
  record(record: RowsRecord): void;
  /** Resolves once the disk has all that was recorded. */
  synced(): Promise<void>;
  /** This part has ended, and with it the whole run where nothing stopped it. */
  end(stopped: Stopped | undefined): void;
  /** The numbers of the whole run, as its journal has them. */
  summary(skipped?: number): Summary;
  /** Takes the copy of stdin in, and gives the path at which it is from now on. */
  keepCopy(draft: string): string;
  /** The copy of stdin goes with a run that is finished. */
  close(): Promise<void>;
}

export interface Opened extends Pick<OpenRun, 'action' | 'folder' | 'notes' | 'ledger'> {
  readonly journal: Journal;
  /** When its part began, which its journal has by then; it is yet to begin if that is not given. */
  readonly startedAt?: number;
  /** See Part. */
  readonly outdated?: readonly number[] | undefined;
}

export function openPart(
  { journal, outdated, startedAt: begun, ...opened }: Opened,
  options: OpenRunOptions,
  holds: Holds,
): OpenRun {
  const { folder, ledger } = opened;
  const { now, flags, rows } = options;
  const startedAt = begun ?? now();
  let isFinished = false;
  if (begun === undefined) beginPart(journal, ledger, partOf(options, startedAt, outdated), outdated);
  return {
    ...opened,
    id: basename(folder),
    allowUnsure: flags.allowUnsure,
    rows,
    startedAt,
    record(record) {
      refuseGone(journal, folder);
      if (!holds.isHeld(folder)) throw taken(journalPath(folder));
      journal.append(record);
    },
    synced: () => journal.synced(),
    end(stopped) {
      refuseGone(journal, folder);
      journal.append(['end', now() - startedAt, stopped ?? null]);
      isFinished = stopped === undefined;
    },
    summary(skipped) {
      refuseGone(journal, folder);
      return summaryNow(folder, skipped);
    },
    keepCopy: (draft) => keepDraft(draft, folder),
    async close() {
      try {
        await journal.close();
        if (isFinished) removeCopy(folder);
      } finally {
        holds.release();
      }
    },
  };
}

function beginPart(journal: Journal, ledger: Ledger, part: RunRecord, outdated: readonly number[] = []): void {
  journal.append(part);
  ledger.drop(outdated);
  const cutShort = cutShortRecord(ledger);
  if (!cutShort) return;
  journal.append(cutShort);
  ledger.take(cutShort, 0);
}

function refuseGone(journal: Journal, folder: string): void {
  if (journal.isThere()) return;
  const hint = 'see the service for what was sent; begun again, all of it is sent again';
  throw configuration('journal-gone', `the journal of this run was removed while it went on: ${folder}`, hint);
}

function summaryNow(folder: string, skipped: number | undefined): Summary {
  const story = readStory(folder);
  if (!story) throw new Error(`the journal in ${folder} has gone`);
  return summaryOf(story, journalPath(folder), skipped);
}
