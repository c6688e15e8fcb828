import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { namesIn } from '../../folder.ts';
import { readJournal } from '../../journal-lines.ts';
import type { Identity } from './identity.ts';
import { placeOf, runFolder, runId, runsFolder } from './identity.ts';
import { form, isRunRecord } from './records.ts';
import type { RunFacts } from './records.ts';
import type { Story } from './story.ts';
import { journalPath, readStory } from './story.ts';

export interface FoundRun {
  readonly id: string;
  readonly folder: string;
  /** What its journal tells, or why that cannot be read. */
  readonly story: Story | CliError;
}

/** What was run before on this machine. */
export interface FoundRuns {
  /** With just this content. */
  readonly same?: FoundRun | undefined;
  /** An unfinished one of the same file, with the content that this had then. */
  readonly changed?: FoundRun | undefined;
}

export function findRuns(stateFolder: string, identity: Identity): FoundRuns {
  const id = runId(identity);
  const own = runAt(runFolder(stateFolder, id), id);
  if (own && !isOther(own, identity)) return { same: own };
  return { changed: own ?? findChanged(stateFolder, identity) };
}

/** Names of runs, which may be damaged. */
export function runIds(stateFolder: string): readonly string[] {
  return namesIn(runsFolder(stateFolder)).filter((name) => /^[0-9a-f]{10}$/.test(name));
}

/** Undefined where nothing was run. */
export function runAt(folder: string, id: string): FoundRun | undefined {
  try {
    const story = readStory(folder);
    return story && { id, folder, story };
  } catch (error) {
    if (fileFault(error)?.code === 'ENOENT') return undefined;
    if (error instanceof CliError) return { id, folder, story: error };
    throw error;
  }
}

/** A crash may have left another content's journal in the folder of this. */
function isOther({ story }: FoundRun, { content }: Identity): boolean {
  return !(story instanceof CliError) && story.content !== content;
}

function findChanged(stateFolder: string, identity: Identity): FoundRun | undefined {
  const place = placeOf(identity);
  if (place === null) return undefined;
  return runIds(stateFolder)
    .map((id) => ({ id, folder: join(runsFolder(stateFolder), id) }))
    .filter(({ folder }) => factsAt(folder)?.place === place)
    .flatMap(({ id, folder }) => runAt(folder, id) ?? [])
    .filter(({ story }) => !(story instanceof CliError) && !isFinished(story))
    .sort((a, b) => startedAt(b) - startedAt(a))[0];
}

export function isFinished({ ending }: Story): boolean {
  return ending !== undefined && ending.stopped === undefined;
}

/** Its first record alone; undefined where it cannot be read, which is told to who asks for that run itself. */
export function factsAt(folder: string): RunFacts | undefined {
  try {
    const [first] = readJournal(journalPath(folder), form);
    return isRunRecord(first?.record) && first.record[0] === 'run' ? first.record[1] : undefined;
  } catch (error) {
    if (error instanceof CliError || fileFault(error)) return undefined;
    throw error;
  }
}

function startedAt({ story }: FoundRun): number {
  return story instanceof CliError ? 0 : story.facts.startedAt;
}
