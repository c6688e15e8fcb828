import { basename } from 'node:path';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Context } from '../../cli/command.ts';
import { CliError } from '../../errors.ts';
import { keptBecause, leftAs } from './file-notes.ts';
import { leftRows } from './left-rows.ts';
import type { LeftRows } from './left-rows.ts';
import { listSomewhere } from './list-rows.ts';
import type { Ran } from './list-rows.ts';
import { stateOf } from './listings.ts';
import type { Listing, Word, Written } from './listings.ts';
import { openMemory } from './memory.ts';
import type { Memory } from './memory.ts';
import { isRemoved, reasonOf } from './removal.ts';
import { openStale } from './stale.ts';

export interface Files {
  readonly failed: string | null;
  readonly unsure: string | null;
}

interface Asked {
  readonly context: Context;
  readonly run: Ran;
  readonly memory: Memory;
  readonly word: Word;
  /** How many rows of the run are so. */
  readonly count: number;
  /** A file of an earlier run whose name is taken over. */
  readonly stale: string | undefined;
}

/**
 * Writes the rows that failed and those that are unsure, of the whole run, where the user finds them. What this run
 * wrote before is written anew where each of its rows is done by now or is listed again; where one of them would stand
 * nowhere, or somebody is mending it, it is left as it is, and what came later is written beside it. What goes wrong is
 * told, and takes nothing from the run.
 */
export async function writeFiles(context: Context, run: Ran, { failed, unsure }: Summary): Promise<Files> {
  const memory = openMemory(context, run.folder);
  const files: { failed: string | null; unsure: string | null } = { failed: null, unsure: null };
  const stale = await openStale(context, run, memory.listings);
  for (const [word, count] of [['failed', failed] as const, ['unsure', unsure] as const]) {
    try {
      const asked = { context, run, memory, word, count, stale: stale.toBeReplaced(word) };
      files[word] = await filed(asked, memory.listings[word]);
      await review(asked);
    } catch (error) {
      if (error instanceof CliError && error.code === 'input-changed') throw error;
      const are = word === 'failed' ? 'failed' : 'are unsure';
      const why = `the rows that ${are} could not be written to a file: ${reasonOf(error)}`;
      context.note('files', `${why}; "bizmsg runs show ${basename(run.folder)}" lists them`);
    }
  }
  const areListed = (failed === 0 || files.failed !== null) && (unsure === 0 || files.unsure !== null);
  stale.review(files, areListed);
  return files;
}

/** Gives the file in which they are; null where there is none, or the user has taken it. */
async function filed(asked: Asked, known: Listing | undefined): Promise<string | null> {
  const { context, run, memory, word, count } = asked;
  const state = known && stateOf(known);
  if (!known || state !== 'own') return filedBeside(asked, known, state === 'own' ? undefined : state);
  const left = await leftRows({ ...run, word, ...known });
  if (!left || left.gone + left.waiting > 0) return filedApart(asked, known, left);
  const plan = { run, memory, word, known, from: known.from, replaced: known.file };
  const listing = count > 0 ? await listSomewhere(context, plan) : undefined;
  if (!listing && !isRemoved(context, { word, file: known.file })) return null;
  remember(asked, listing, listing && listing.file !== known.file ? known : undefined);
  return listing?.file ?? null;
}

/** There was none before, or it is not as it was written: somebody is mending its rows, or has done so. */
async function filedBeside(asked: Asked, known: Listing | undefined, state: 'gone' | 'changed' | undefined) {
  const { context, run, memory, word, count } = asked;
  const replaced = known ? undefined : asked.stale;
  const plan = { run, memory, word, known, from: known?.to ?? 0, replaced };
  const listing = count > 0 ? await listSomewhere(context, plan) : undefined;
  if (known && state && (count > 0 || state === 'changed')) {
    const left = count > 0 ? undefined : await leftRows({ ...run, word, ...known });
    const areSettled = left !== undefined && left.gone + left.waiting === 0;
    context.note('files', leftAs({ known, state, word, listing, areSettled: count === 0 && areSettled, count }));
  }
  if (listing) remember(asked, listing);
  return listing?.file ?? null;
}

/** It holds rows that would stand nowhere without it. */
async function filedApart(asked: Asked, known: Listing, left: LeftRows | undefined): Promise<string | null> {
  const { context, run, memory, word, count } = asked;
  const plan = { run, memory, word, known, from: known.to, replaced: undefined };
  const listing = count > 0 ? await listSomewhere(context, plan) : undefined;
  context.note('files', keptBecause(known.file, left, run.path));
  if (listing) remember(asked, listing, known);
  return count > 0 ? (listing ?? known).file : null;
}

function remember({ memory, word }: Asked, listing: Listing | undefined, kept?: Written): void {
  const before = memory.listings.kept;
  const all = kept ? { ...before, [word]: [...before[word], { file: kept.file, sha256: kept.sha256 }] } : before;
  memory.change({ [word]: listing, kept: all, next: undefined, draft: undefined });
}

/** Those that were kept before go once their rows are settled, or listed anew. */
async function review(asked: Asked): Promise<void> {
  const { context, run, memory, word } = asked;
  const { kept, [word]: listing } = memory.listings;
  if (kept[word].length === 0) return;
  const still: Written[] = [];
  for (const one of kept[word]) {
    if (one.file === listing?.file || stateOf(one) !== 'own') continue;
    const left = await leftRows({ ...run, word, file: one.file, from: listing?.from ?? 0 });
    const isSettled = left !== undefined && left.gone + left.waiting === 0;
    if (!isSettled || !isRemoved(context, { word, file: one.file, anew: listing?.file })) still.push(one);
  }
  if (still.length < kept[word].length) memory.change({ kept: { ...kept, [word]: still } });
}
