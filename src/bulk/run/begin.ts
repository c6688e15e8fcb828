import { rmSync } from 'node:fs';
import { openJournal } from '../../journal.ts';
import type { FoundRun } from './find.ts';
import { placeOf } from './identity.ts';
import { createLedger } from './ledger.ts';
import type { Opened } from './open-run.ts';
import type { OpenRunOptions } from './open.ts';
import type { RunFacts, RunRecord } from './records.ts';
import { form } from './records.ts';
import { journalPath } from './story.ts';
import { setAside } from './take-over.ts';

type Beginning = OpenRunOptions & Pick<Opened, 'notes'>;

/** At any instant either what was before is there, or the new run with its first part. */
export async function begun({ later, ...options }: Beginning, folder: string, before?: FoundRun): Promise<Opened> {
  const notes = [...options.notes, ...(before ? await setAside(before, folder, options.read) : [])];
  const startedAt = options.now();
  const first = [['run', factsOf(options, startedAt)], partOf(options, startedAt)];
  const journal = openJournal(journalPath(folder), { ...form, later, isNew: true, first });
  if (before && before.folder !== folder) rmSync(before.folder, { recursive: true });
  return { action: 'begin', folder, notes, journal, ledger: createLedger(), startedAt };
}

type Parting = Pick<OpenRunOptions, 'identity' | 'flags' | 'rows' | 'pid'>;

export function partOf(
  { identity: { content }, flags: { allowUnsure }, rows, pid }: Parting,
  at: number,
  outdated: readonly number[] = [],
): RunRecord {
  return ['part', { at, pid, content, rows, allowUnsure, ...(outdated.length > 0 ? { outdated } : {}) }];
}

function factsOf({ identity, shown }: Pick<OpenRunOptions, 'identity' | 'shown'>, startedAt: number): RunFacts {
  const { kind, mapping, template, address, mode, keyDigest } = identity;
  const { path, flags, key } = shown;
  return { kind, path, flags, mapping, template, address, mode, keyDigest, key, startedAt, place: placeOf(identity) };
}
