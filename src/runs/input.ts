import { join, resolve } from 'node:path';
import { foreignWords, likelyEncoding } from './input/encoding.ts';
import { openSource, type Source } from './input/source.ts';
import type { Context } from '../cli/command.ts';
import { usage } from '../base/errors.ts';
import { draftIn, removeDraft, removeLeftDrafts } from '../base/drafts.ts';
import { createStateFolder } from '../base/files.ts';
import { redact } from '../base/redact.ts';
import type { RunFlags } from './options.ts';

/** A file or piped input. */
export interface InputFile {
  readonly source: Source;
  /** The path given by the user; `-` is stdin. */
  readonly shown: string;
  /** Absolute path with symbolic links kept; undefined for stdin. */
  readonly path: string | undefined;
  /** Removes the copy of stdin. */
  close(): void;
}

interface InputOptions extends Partial<Pick<RunFlags, 'format' | 'encoding' | 'fields'>> {
  readonly stop: AbortSignal;
}

/** stdin is copied to a file, since a run reads its input several times. */
export async function openInput(
  context: Context,
  file: string,
  { format, encoding, fields, stop }: InputOptions,
): Promise<InputFile> {
  const options = { format, names: fields, name: file === '-' ? 'stdin' : file };
  const opened = async (path: string) => {
    const source = await openSource(path, { ...options, encoding: encoding ?? (await askForEncoding(context, path)) });
    if (source.size === 0)
      throw usage(`"${options.name}" is empty`, 'nothing was sent; a file without rows still has a header line, or []');
    if (source.nameless > 0) context.note('columns', namelessText(source));
    noteEscapes(context, source, options.name);
    return source;
  };
  const stateFolder = context.stateFolder();
  const copies = join(stateFolder, 'runs');
  removeLeftDrafts(copies, context.host.kill);
  if (file !== '-') return { source: await opened(file), shown: file, path: resolve(file), close: () => {} };
  const copy = draftIn(createStateFolder(copies), context.host.pid);
  const close = () => removeDraft(copy);
  const progress = await context.progress();
  // A line that changes in place would disturb typing.
  if (!context.host.stdinIsTerminal) progress.follow(() => 'reading stdin');
  try {
    await context.stdinTo(copy, stop).finally(progress.end);
    return { source: await opened(copy), shown: '-', path: undefined, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The encoding of a file that is not UTF-8, if a person recognizes its words; the file is refused otherwise. */
async function askForEncoding(context: Context, path: string): Promise<string | undefined> {
  const words = context.interactive ? await foreignWords(path) : undefined;
  if (words === undefined) return undefined;
  await context.interaction.confirm(`The file is not UTF-8. Read it as ${likelyEncoding}: ${words.join(', ')}; right?`);
  return likelyEncoding;
}

/** The name for output. */
export function nameOf({ shown }: Pick<InputFile, 'shown'>): string {
  return redact(shown === '-' ? 'stdin' : shown);
}

function namelessText({ nameless }: Source): string {
  return nameless === 1
    ? 'the last column has no name and is ignored'
    : `the last ${nameless} columns have no name and are ignored`;
}

/** Explains how backslashes are read, since only the user knows what they mean. */
function noteEscapes({ note }: Context, { escapes }: Source, name: string): void {
  if (escapes === 'none') return;
  const text =
    escapes === 'undone'
      ? 'backslash escapes such as \\t and \\n are decoded, since bizmsg writes them in TSV; in CSV and JSON, backslashes are kept'
      : 'backslashes are kept as they are, since not all of them begin an escape that bizmsg writes in TSV, or some cells are in quotes';
  note('escapes', `${redact(name)}: ${text}`);
}
