import type { Context } from '../../cli/command.ts';
import { fileFault } from '../../file-fault.ts';
import { removeLeft } from './draft.ts';
import { readListings, stateOf, writeListings } from './listings.ts';
import type { Listings } from './listings.ts';

/** What a run knows of the files that it wrote, so that a later part of it knows them again. */
export interface Memory {
  readonly listings: Listings;
  /** What cannot be remembered is told, and takes nothing from the run. */
  change(more: Partial<Listings>): void;
}

/** What a crash left half done is done, or undone. */
export function openMemory({ note }: Pick<Context, 'note'>, folder: string): Memory {
  let listings = recovered(readListings(folder));
  let isTold = false;
  return {
    get listings() {
      return listings;
    },
    change(more) {
      listings = { ...listings, ...more };
      try {
        writeListings(folder, listings);
      } catch (error) {
        const fault = fileFault(error);
        if (!fault) throw error;
        if (!isTold)
          note('files', `${folder} cannot be written: ${fault.reason}; a later part writes files of other names`);
        isTold = true;
      }
    },
  };
}

/** Of a run that is not begun again: nothing of what it left half done stays. */
export function clearDraft(folder: string): void {
  recovered(readListings(folder));
}

function recovered({ next, draft, ...listings }: Listings): Listings {
  const hasItsName = next && stateOf(next.listing) === 'own';
  if (draft !== undefined) removeLeft(draft);
  return hasItsName ? { ...listings, [next.word]: next.listing } : listings;
}
