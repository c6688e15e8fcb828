import { linkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { openSource } from '../../bulk/rows/source.ts';
import type { Source } from '../../bulk/rows/source.ts';
import { draftPath } from '../../bulk/run/copies.ts';
import type { Context } from '../../cli/command.ts';
import { fileFault } from '../../file-fault.ts';
import { redact } from '../../redact.ts';
import type { RunInput } from './run-params.ts';

export interface RowsInput {
  readonly source: Source;
  /** As it was given; `-` is stdin. */
  readonly shown: string;
  /** Where it is as it was given, if it is a file; links in it are kept. */
  readonly path: string | undefined;
  /** By which it is known again, whatever link leads to it. */
  readonly real: string | undefined;
  /** Where stdin was copied to, since it is read more than once. */
  readonly draft: string | undefined;
  /** The same from where the copy is now. */
  reopened(path: string): Promise<Source>;
  /** Removes the copy, unless somebody has taken it in. */
  close(): void;
}

interface InputOptions extends Pick<RunInput, 'format' | 'encoding'> {
  readonly stop: AbortSignal;
  /** A copy of what stdin was when a run began that goes on, where there is one. */
  readonly kept: () => string | undefined;
}

export async function openInput(
  context: Context,
  file: string,
  { format, encoding, stop, kept }: InputOptions,
): Promise<RowsInput> {
  const options = { format, encoding, name: file === '-' ? 'stdin' : file };
  const reopened = (path: string) => openSource(path, options);
  const opened = async (path: string) => {
    const source = await reopened(path);
    if (source.nameless > 0) context.note('columns', namelessText(source));
    return source;
  };
  if (file !== '-') {
    const source = await opened(file);
    return {
      source,
      shown: file,
      path: resolve(file),
      real: realOf(file),
      draft: undefined,
      reopened,
      close: () => {},
    };
  }
  const { stateFolder, process: own } = await context.sandboxes();
  const draft = draftPath(stateFolder, own.pid);
  const close = () => rmSync(draft, { force: true });
  try {
    await takeStdin(context, draft, { stop, kept });
    const source = await opened(draft);
    return { source, shown: '-', path: undefined, real: undefined, draft, reopened, close };
  } catch (error) {
    close();
    throw error;
  }
}

function namelessText({ nameless }: Source): string {
  return nameless === 1
    ? 'the last column has no name and is left out'
    : `the last ${nameless} columns have no name and are left out`;
}

/** At a terminal nobody types them again. */
async function takeStdin(context: Context, draft: string, { stop, kept }: Pick<InputOptions, 'stop' | 'kept'>) {
  const copy = context.interactive ? kept() : undefined;
  if (copy === undefined) await context.stdinTo(draft, stop);
  if (copy === undefined && statSync(draft).size > 0) return;
  const found = copy ?? kept();
  if (found === undefined) return;
  rmSync(draft, { force: true });
  linkSync(found, draft);
  context.note('input', 'stdin is empty, so the run goes on with what was piped in before');
}

/** Where rows that came to nothing are written: beside their file, in its own format. */
export function besideOf(path: string, word: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf('.');
  const made = dot > 0 ? `${name.slice(0, dot)}.${word}${name.slice(dot)}` : `${name}.${word}`;
  return resolve(path, '..', made);
}

/** For programs, which know no `-`. */
export function nameOf({ shown }: Pick<RowsInput, 'shown'>): string {
  return redact(shown === '-' ? 'stdin' : shown);
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    // It was there a moment ago, and is told to be gone by who reads it.
    if (fileFault(error)) return resolve(file);
    throw error;
  }
}
