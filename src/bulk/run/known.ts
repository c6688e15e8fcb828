import { basename } from 'node:path';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { readJournal } from '../../journal-lines.ts';
import { runId } from './identity.ts';
import { form, isRunRecord } from './records.ts';
import type { RunFacts, RunRecord } from './records.ts';
import { journalIn, storyAt } from './story.ts';

/** What a run is. */
export interface Known {
  readonly facts: RunFacts;
  /** See Story. */
  readonly content: string;
}

/**
 * The rest of a journal, of which there may be many, is long: it is read only where the run goes on in another folder
 * than it began in, and so with another content or another key. Undefined where it cannot be read, which is told to who
 * asks for that run itself, and where nothing was sent.
 */
export function knownAt(folder: string, path = journalIn(folder)): Known | undefined {
  try {
    return beginningOf(folder, path) ?? storyAt(path);
  } catch (error) {
    if (error instanceof CliError || fileFault(error)) return undefined;
    throw error;
  }
}

function beginningOf(folder: string, path: string): Known | undefined {
  const [run, part] = [...firstTwo(path)];
  if (run?.[0] !== 'run' || part?.[0] !== 'part') return undefined;
  const [facts, { content }] = [run[1], part[1]];
  return runId({ ...facts, content, file: undefined }) === basename(folder) ? { facts, content } : undefined;
}

function* firstTwo(path: string): Generator<RunRecord> {
  let left = 2;
  for (const { record } of readJournal(path, form)) {
    if (isRunRecord(record)) yield record;
    if (--left === 0) return;
  }
}
