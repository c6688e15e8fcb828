import { join, resolve } from 'node:path';
import { foreignWords, likelyEncoding } from './input/encoding.ts';
import { isZip, openSource, type Source } from './input/source.ts';
import { copyStdin } from './input/stdin.ts';
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

interface InputOptions extends Partial<Pick<RunFlags, 'encoding' | 'sheet'>> {
  readonly stop: AbortSignal;
}

/** stdin and the sheet of a workbook are copied to a file, since a run reads its input several times. */
export async function openInput(context: Context, file: string, options: InputOptions): Promise<InputFile> {
  const { encoding, stop, sheet } = options;
  const name = file === '-' ? 'stdin' : file;
  const copies = join(context.stateFolder(), 'runs');
  removeLeftDrafts(copies, context.host.kill);
  const drafts: string[] = [];
  const draft = () => {
    const path = draftIn(createStateFolder(copies), context.host.pid);
    drafts.push(path);
    return path;
  };
  const close = () => drafts.forEach(removeDraft);
  try {
    const path = file === '-' ? await copyOfStdin() : file;
    const source = (await isZip(path, name)) ? await sheetOf(path) : await textOf(path);
    if (source.size === 0)
      throw usage(`"${name}" is empty`, 'nothing was sent; a file without rows still has a header line, or []');
    if (source.nameless > 0) context.note('columns', namelessText(source));
    noteEscapes(context, source, name);
    return { source, shown: file, path: file === '-' ? undefined : resolve(file), close };
  } catch (error) {
    close();
    throw error;
  }

  async function copyOfStdin(): Promise<string> {
    const copy = draft();
    const progress = await context.progress();
    // A line that changes in place would disturb typing.
    if (!context.host.stdinIsTerminal) progress.follow(() => 'reading stdin');
    await copyStdin(context.takeStdin(), copy, stop).finally(progress.end);
    return copy;
  }

  async function textOf(path: string): Promise<Source> {
    if (sheet !== undefined) throw usage(`--sheet is given, but "${name}" is not an Excel workbook`, 'leave it out');
    return openSource(path, { name, encoding: encoding ?? (await askForEncoding(context, path)) });
  }

  async function sheetOf(path: string): Promise<Source> {
    const { copySheet } = await import('./input/workbook.ts');
    const copy = draft();
    const progress = await context.progress();
    progress.follow(() => 'reading the workbook');
    const { continued, hidden } = await copySheet(path, copy, { name, sheet, signal: stop }).finally(progress.end);
    if (hidden > 0) context.note('hidden', hiddenText(hidden));
    const source = await openSource(copy, { name, delimiter: ',' });
    if (source.fields?.length === 0)
      throw usage(`the sheet of "${name}" is empty`, 'nothing was sent; --sheet names another sheet');
    return byRow(source, continued);
  }
}

/** With the rows of a sheet as lines, although some of their cells have several lines. */
function byRow(source: Source, continued: readonly number[]): Source {
  if (continued.length === 0) return source;
  return {
    ...source,
    async *rows(signal, onBytes) {
      let before = 0;
      for await (const batch of source.rows(signal, onBytes))
        yield batch.map((row) => {
          while ((continued[before] ?? Infinity) < row.line) before += 1;
          return { ...row, line: row.line - before };
        });
    },
  };
}

function hiddenText(hidden: number): string {
  return hidden === 1
    ? '1 row of the sheet is hidden, for example by a filter, and counts like the others'
    : `${hidden} rows of the sheet are hidden, for example by a filter, and count like the others`;
}

/** The encoding of a file that is not UTF-8, if a person recognizes its words; the file is refused otherwise. */
export async function askForEncoding(context: Context, path: string): Promise<string | undefined> {
  const words = context.interactive ? await foreignWords(path) : undefined;
  if (words === undefined) return undefined;
  await context.interaction.confirm(
    `The file is not UTF-8. Read it as ${likelyEncoding}: ${words.join(', ')}; right?`,
    'pass its encoding, such as --encoding iso-8859-2, or save it as UTF-8',
  );
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
