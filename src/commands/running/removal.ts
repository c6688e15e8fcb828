import { rmSync } from 'node:fs';
import type { Context } from '../../cli/command.ts';
import { CliError } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { settledAs } from './file-notes.ts';
import type { Word } from './listings.ts';

interface Removal {
  readonly word: Word;
  readonly file: string;
  /** Where rows of it are listed anew. */
  readonly anew?: string | undefined;
}

/** Whether it could be removed; either is told. */
export function isRemoved({ note }: Pick<Context, 'note'>, { word, file, anew }: Removal): boolean {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    note('files', `${file} cannot be removed: ${reasonOf(error)}; ${settledAs(word, anew)}`);
    return false;
  }
  note('files', `${file} is removed: ${settledAs(word, anew)}`);
  return true;
}

export function reasonOf(error: unknown): string {
  const reason = error instanceof CliError ? error.message : fileFault(error)?.reason;
  if (reason === undefined) throw error;
  return reason;
}
