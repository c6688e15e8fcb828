import { CliError } from '../../errors.ts';
import { asidesIn } from './asides.ts';
import { isOfSameInput } from './elsewhere.ts';
import { runAt, runIds } from './find.ts';
import type { Identity } from './identity.ts';
import { runFolder } from './identity.ts';
import { knownAt } from './known.ts';
import type { Known } from './known.ts';
import type { Story } from './story.ts';
import { journalIn } from './story.ts';

/** A run whose rows may be those of another one. */
export interface Earlier {
  readonly id: string;
  readonly folder: string;
  readonly story: Story;
  /** It was begun anew since, and this is what was before. */
  readonly isSetAside?: boolean;
}

/**
 * Those of the same input to the same place but for these, the newest first: by whatever mapping or key, finished or
 * not. One at a time is read; damaged ones are passed over.
 */
export function* earlierRuns(stateFolder: string, identity: Identity, butFor: ReadonlySet<string>): Generator<Earlier> {
  const found = runIds(stateFolder)
    .filter((id) => !butFor.has(id))
    .flatMap((id) => journalsOf(runFolder(stateFolder, id), id))
    .flatMap((journal) => {
      const known = knownAt(journal.folder, journal.path);
      return known && isMeant(known, identity) ? [{ ...journal, startedAt: known.facts.startedAt }] : [];
    })
    .sort((a, b) => b.startedAt - a.startedAt);
  for (const { id, folder, path, isSetAside } of found) {
    const story = runAt(folder, id, path)?.story;
    if (story && !(story instanceof CliError)) yield { id, folder, story, isSetAside };
  }
}

function journalsOf(folder: string, id: string) {
  const asides = asidesIn(folder).map((path) => ({ id, folder, path, isSetAside: true }));
  return [{ id, folder, path: journalIn(folder), isSetAside: false }, ...asides];
}

function isMeant(known: Known, identity: Identity): boolean {
  const { kind, template, address, mode, place } = known.facts;
  const isAlike = kind === identity.kind && template === identity.template;
  const isThere = address === identity.address && mode === identity.mode;
  const isStdin = place === null && identity.file === undefined;
  return isAlike && isThere && (isStdin || isOfSameInput(known, identity));
}
