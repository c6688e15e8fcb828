import { basename } from 'node:path';
import type { Journal } from '../../journal.ts';
import { keepDraft, removeCopy } from './copies.ts';
import type { Holds } from './hold.ts';
import type { Ledger } from './ledger.ts';
import type { OpenRunOptions } from './open.ts';
import type { RowsRecord, Stopped } from './records.ts';
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
  /** When this part began. */
  readonly startedAt: number;
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
}

export function openPart({ journal, ...opened }: Opened, options: OpenRunOptions, holds: Holds): OpenRun {
  const { folder, ledger } = opened;
  const { now, flags } = options;
  const startedAt = now();
  let isFinished = false;
  beginPart(journal, ledger, { ...options, startedAt });
  return {
    ...opened,
    id: basename(folder),
    allowUnsure: flags.allowUnsure,
    startedAt,
    record: (record) => journal.append(record),
    synced: () => journal.synced(),
    end(stopped) {
      journal.append(['end', now() - startedAt, stopped ?? null]);
      isFinished = stopped === undefined;
    },
    summary: (skipped) => summaryNow(folder, skipped),
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

interface Beginning extends OpenRunOptions {
  readonly startedAt: number;
}

function beginPart(journal: Journal, ledger: Ledger, { identity, rows, flags, pid, startedAt }: Beginning): void {
  const { allowUnsure } = flags;
  journal.append(['part', { at: startedAt, pid, content: identity.content, rows, allowUnsure }]);
  const cutShort = cutShortRecord(ledger);
  if (!cutShort) return;
  journal.append(cutShort);
  ledger.take(cutShort, 0);
}

function summaryNow(folder: string, skipped: number | undefined): Summary {
  const story = readStory(folder);
  if (!story) throw new Error(`the journal in ${folder} has gone`);
  return summaryOf(story, journalPath(folder), skipped);
}
