import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Context } from '../../cli/command.ts';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { listSomewhere } from './list-rows.ts';
import type { Written } from './list-rows.ts';
import { readListings, stateOf, writeListings } from './listings.ts';
import type { Listing, Listings, Word } from './listings.ts';

export interface Files {
  readonly failed: string | null;
  readonly unsure: string | null;
}

/**
 * Writes the rows that failed and those that are unsure, of the whole run, where the user finds them. What this run
 * wrote before is written anew; where it is not as it was written, somebody is mending it: it is left as it is, and
 * what came later is written beside it. What goes wrong is told, and takes nothing from the run.
 */
export async function writeFiles(context: Context, run: Written, { failed, unsure }: Summary): Promise<Files> {
  let listings = readListings(run.folder);
  const files: { failed: string | null; unsure: string | null } = { failed: null, unsure: null };
  for (const [word, count] of [['failed', failed] as const, ['unsure', unsure] as const]) {
    const known = listings[word];
    if (count === 0 && !known) continue;
    try {
      const listing = count === 0 ? withdrawn(context, word, known) : await listed(context, run, word, known);
      if (count > 0 && listing !== known) files[word] = listing?.file ?? null;
      listings = { ...listings, [word]: listing };
      if (listing !== known) remember(context, run, listings);
    } catch (error) {
      if (error instanceof CliError && error.code === 'input-changed') throw error;
      context.note(
        'files',
        `the rows that ${are[word]} could not be written to a file: ${reasonOf(error)}; ${shows(run)}`,
      );
    }
  }
  return files;
}

const are = { failed: 'failed', unsure: 'are unsure' } as const;

function withdrawn(context: Context, word: Word, known: Listing | undefined): Listing | undefined {
  const state = known ? stateOf(known) : 'gone';
  if (!known || state === 'gone') return known;
  const none = `none of its rows ${word === 'failed' ? 'has failed' : 'is unsure'} any more`;
  if (state === 'own') rmSync(known.file);
  const what = state === 'own' ? `is removed: ${none}` : `${changed} and is left so, though ${none}`;
  context.note('files', `${known.file} ${what}`);
  return state === 'own' ? undefined : known;
}

const changed = 'is not as it was written';

async function listed(context: Context, run: Written, word: Word, known: Listing | undefined) {
  const state = known && stateOf(known);
  const isOwn = state === 'own';
  const from = (isOwn ? known?.from : known?.to) ?? 0;
  const listing = await listSomewhere(context, { run, word, from, known, replaced: isOwn ? known?.file : undefined });
  if (isOwn && !listing) withdrawn(context, word, known);
  if (known && !isOwn) tellLeft(context, state === 'gone', known, listing);
  return listing ?? known;
}

function tellLeft(context: Context, isGone: boolean, { file }: Listing, listing: Listing | undefined): void {
  const left = isGone ? `${file} has gone` : `${file} ${changed} and is left so`;
  const more = listing ? `; the rows that came later are in ${listing.file}` : ', and there are none that came later';
  context.note('files', `${left}: its rows are not listed again${more}`);
}

function remember(context: Context, { folder }: Written, listings: Listings): void {
  try {
    writeListings(folder, listings);
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    context.note('files', `${folder} cannot be written: ${fault.reason}; a later part writes files of other names`);
  }
}

function reasonOf(error: unknown): string {
  const reason = error instanceof CliError ? error.message : fileFault(error)?.reason;
  if (reason === undefined) throw error;
  return reason;
}

function shows({ folder }: Written): string {
  return `"bizmsg runs show ${basename(folder)}" lists them`;
}
