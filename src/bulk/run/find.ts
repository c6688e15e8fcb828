import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { namesIn } from '../../folder.ts';
import type { Circumstances, Identity } from './identity.ts';
import { isAlike, placeOf, runFolder, runId, runsFolder } from './identity.ts';
import { knownAt } from './known.ts';
import type { Known } from './known.ts';
import type { Story } from './story.ts';
import { journalIn, storyAt } from './story.ts';

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
  /** An unfinished one of the same file, or of stdin as well, with the content that this had then. */
  readonly changed?: FoundRun | undefined;
  /** Where they are asked for: unfinished ones with just this content that another key began. */
  readonly others?: readonly FoundRun[] | undefined;
}

interface Asked {
  readonly newKey: boolean;
  /** Whether another process is at a run at this instant. */
  readonly isHeld: (folder: string) => boolean;
}

export function findRuns(stateFolder: string, identity: Identity, { newKey, isHeld }: Asked): FoundRuns {
  const id = runId(identity);
  const own = runAt(runFolder(stateFolder, id), id);
  const others = newKey ? findOthers(stateFolder, identity) : undefined;
  if (own && !isOther(own, identity)) return { same: own, others };
  return { changed: own ?? findChanged(stateFolder, identity, isHeld), others };
}

/** Names of runs, which may be damaged. */
export function runIds(stateFolder: string): readonly string[] {
  return namesIn(runsFolder(stateFolder)).filter((name) => /^[0-9a-f]{10}$/.test(name));
}

/** Undefined where nothing was run. */
export function runAt(folder: string, id: string, path = journalIn(folder)): FoundRun | undefined {
  try {
    const story = storyAt(path);
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

function findOthers(stateFolder: string, identity: Identity): readonly FoundRun[] {
  const own = runId(identity);
  return foundWhere(stateFolder, (id, { facts, content }) => {
    // But for its key it would be this one.
    const withThisKey = { ...facts, content, file: undefined, keyDigest: identity.keyDigest };
    return id !== own && runId(withThisKey) === own;
  });
}

function findChanged(stateFolder: string, identity: Identity, isHeld: Asked['isHeld']): FoundRun | undefined {
  const place = placeOf(identity);
  const found =
    place === null
      ? foundOfStdin(stateFolder, identity, isHeld)
      : foundWhere(stateFolder, (_, { facts }) => facts.place === place);
  return found.find(({ story }) => !(story instanceof CliError));
}

/** The newest unfinished one of stdin, whatever it brought; with `newKey` another key may have begun it. */
export function findOfStdin(
  stateFolder: string,
  those: Circumstances,
  { newKey, isHeld }: Asked,
): FoundRun | undefined {
  const [own] = foundOfStdin(stateFolder, those, isHeld);
  return own ?? (newKey ? foundOfStdin(stateFolder, { ...those, keyDigest: undefined }, isHeld)[0] : undefined);
}

/** One that another process is at goes on with what that one was given. */
function foundOfStdin(
  stateFolder: string,
  { keyDigest, ...those }: Omit<Circumstances, 'keyDigest'> & { readonly keyDigest: string | undefined },
  isHeld: Asked['isHeld'],
): readonly FoundRun[] {
  const found = foundWhere(stateFolder, (_, { facts }) => {
    return facts.place === null && isAlike(facts, { ...those, keyDigest: keyDigest ?? facts.keyDigest });
  });
  return found.filter(({ folder }) => !isHeld(folder));
}

/** All but those that are finished, the newest first. */
function foundWhere(stateFolder: string, isMeant: (id: string, known: Known) => boolean): readonly FoundRun[] {
  return runIds(stateFolder)
    .map((id) => ({ id, folder: join(runsFolder(stateFolder), id) }))
    .flatMap(({ id, folder }) => {
      const known = knownAt(folder);
      return known && isMeant(id, known) ? (runAt(folder, id) ?? []) : [];
    })
    .filter(({ story }) => story instanceof CliError || !isFinished(story))
    .sort((a, b) => startedAt(b) - startedAt(a));
}

export function isFinished({ ending }: Story): boolean {
  return ending !== undefined && ending.stopped === undefined;
}

function startedAt({ story }: FoundRun): number {
  return story instanceof CliError ? 0 : story.facts.startedAt;
}
