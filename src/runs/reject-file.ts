import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { draftIn, removeLeftDrafts } from '../base/drafts.ts';
import { CliError, fsError } from '../base/errors.ts';
import { createStateFolder, openRegular } from '../base/files.ts';
import { jsonText } from '../base/json.ts';
import type { Probe } from '../base/liveness.ts';
import type { Context } from '../cli/command.ts';
import type { RejectFile, RejectFiles } from '../ledger/ledger.ts';
import type { InputFile } from './input.ts';
import { recordText } from './input/csv.ts';
import { damagedMark, errorField, type InputRow, textField } from './input/row.ts';
import { placeOf, type Source, unitOf } from './input/source.ts';

export type RejectKind = keyof RejectFiles;

interface RejectedOptions {
  readonly context: Pick<Context, 'note' | 'host'>;
  readonly input: InputFile;
  /** The run's own folder, for rows that cannot be written beside the input. */
  readonly folder: string;
  readonly word: RejectKind;
  /** The file that this run wrote last, if it did. */
  readonly before: RejectFile | undefined;
  /** The rows for the file, in the order of the input, with their reasons. */
  readonly rows: () => AsyncIterable<readonly { readonly row: InputRow; readonly reason: string }[]>;
  /** Whether the input, which `rows` has read, still has all such rows of the run. */
  readonly hasAll: () => Promise<boolean>;
}

/**
 * Writes the rejected rows beside the input, in its format: `people.failed.csv`; those of stdin go to the current
 * folder. The file appears whole or not at all, and replaces only the one that this run wrote before, if that is
 * unchanged and the input has all its rows. Returns undefined if there are no such rows; then this run's file is
 * renamed.
 */
export async function writeRejectFile(options: RejectedOptions): Promise<RejectFile | undefined> {
  const { context, input, folder, word } = options;
  const beside = placeOfFile(input, word);
  try {
    return await writeAt(options, beside);
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fsError(error);
    if (!fault) throw error;
    const written = await writeAt(options, join(createStateFolder(folder), basename(beside)));
    if (written) context.note('files', `cannot write ${beside}: ${fault.reason}; the rows are in ${written.file}`);
    return written;
  }
}

async function writeAt(
  { context, input, word, before, rows, hasAll }: RejectedOptions,
  first: string,
): Promise<RejectFile | undefined> {
  const own = before && isUnchanged(before) ? before.file : undefined;
  const draft = createDraft(draftIn(dirname(first), context.host.pid));
  try {
    const rejects = createRejects(input.source, draft.write);
    for await (const batch of rows())
      for (const { row, reason } of batch) rejects.add(row, `${reason} (${placeText(row, input.source)})`);
    rejects.end();
    const ended = draft.end();
    if (ended === undefined) {
      if (before && (await hasAll())) noteDone(context, before, word);
      return undefined;
    }
    const { sha256, size } = ended;
    const isReplaced = own !== undefined && isVariant(own, first) && (await hasAll());
    const isSame = isUnchanged({ file: first, sha256, size });
    const file = isReplaced ? replaced(draft.path, own) : isSame ? first : namedFreely(draft.path, first);
    if (file !== first && !isReplaced)
      context.note('files', `${first} already exists and was kept; the rows are in ${file}`);
    return { file, sha256, size };
  } finally {
    draft.remove();
  }
}

function noteDone({ note }: Pick<Context, 'note'>, before: RejectFile, word: RejectKind): void {
  const done = renameDone(before);
  const what = word === 'failed' ? 'has failed' : 'is unsure';
  if (done !== undefined) note('files', `none of the rows in ${before.file} ${what} any more; it is now ${done}`);
}

/** Renames a file whose rows are all sent, such as to `people.failed.done.csv`; undefined if it was edited. */
export function renameDone(file: RejectFile): string | undefined {
  if (!isUnchanged(file)) return undefined;
  const done = namedFreely(file.file, withWord(file.file, 'done'));
  rmSync(file.file, { force: true });
  return done;
}

function placeText(row: InputRow, source: InputFile['source']): string {
  return `${unitOf(source)} ${placeOf(row, source)}`;
}

/** Other users may put a pipe, a link or an endless file into the folder, so only a file of the same size is read. */
function isUnchanged({ file, sha256, size }: RejectFile): boolean {
  let fd: number | undefined;
  try {
    fd = openRegular(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    if (fstatSync(fd).size !== size) return false;
    return createHash('sha256').update(readFileSync(fd)).digest('hex') === sha256;
  } catch (error) {
    if (fsError(error)) return false;
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function replaced(draft: string, file: string): string {
  renameSync(draft, file);
  return file;
}

/** people.failed.csv, people.failed.2.csv, … A link fails if the name is taken, so that no file is overwritten. */
function namedFreely(draft: string, first: string): string {
  for (let count = 1; ; count++) {
    const file = count === 1 ? first : withWord(first, String(count));
    if (existsSync(file)) continue;
    try {
      linkSync(draft, file);
      return file;
    } catch (error) {
      const code = fsError(error)?.code;
      if (code === 'EEXIST') continue;
      // A file system without links.
      return replaced(draft, file);
    }
  }
}

/** With a word before the extension: people.failed.csv for people.csv. */
function withWord(file: string, word: string): string {
  const name = basename(file);
  const dot = name.lastIndexOf('.');
  return join(dirname(file), dot > 0 ? `${name.slice(0, dot)}.${word}${name.slice(dot)}` : `${name}.${word}`);
}

function isVariant(file: string, first: string): boolean {
  if (file === first) return true;
  const count = /\.(\d+)(?=\.[^.]*$|$)/.exec(basename(file))?.[1];
  return count !== undefined && withWord(first, count) === file;
}

const bufferSize = 65_536;

interface Draft {
  readonly path: string;
  write(text: string): void;
  /** The written file; undefined if there was no row for it. */
  end(): Pick<RejectFile, 'sha256' | 'size'> | undefined;
  remove(): void;
}

/** Hidden, and readable only by this user. */
function createDraft(path: string): Draft {
  const hash = createHash('sha256');
  let fd: number | undefined;
  let text = '';
  return {
    path,
    write(more) {
      text += more;
      if (text.length >= bufferSize) flush();
    },
    end() {
      flush();
      if (fd === undefined) return undefined;
      fsyncSync(fd);
      const { size } = fstatSync(fd);
      closeSync(fd);
      fd = undefined;
      return { sha256: hash.digest('hex'), size };
    },
    remove() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      rmSync(path, { force: true });
    },
  };

  function flush(): void {
    if (text === '') return;
    fd ??= openSync(path, 'wx', 0o600);
    const bytes = Buffer.from(text);
    writeFileSync(fd, bytes);
    hash.update(bytes);
    text = '';
  }
}

/** Removes the drafts of killed commands beside the input. */
export function removeDrafts(input: InputFile, kill: Probe): void {
  removeLeftDrafts(dirname(placeOfFile(input, 'failed')), kill);
}

function placeOfFile({ path, source }: InputFile, word: RejectKind): string {
  return withWord(path ?? resolve(`stdin.${source.format}`), word);
}

/** The properties of an input that determine how rows are written. */
type Shape = Pick<Source, 'format' | 'delimiter' | 'fields' | 'bom'> & Partial<Pick<Source, 'escapes'>>;

/** Writes rejected rows. */
interface Rejects {
  add(row: InputRow, reason: string): void;
  /** Closes a JSON array. */
  end(): void;
}

/**
 * Formats rows in the format of their input, with `bizmsg_error` as the last column or field, so that they can be fixed
 * and imported. The header comes with the first row; without rows there is no output. An unreadable row is written as
 * text, which stays unreadable until it is fixed.
 */
export function createRejects(shape: Shape, write: (text: string) => void): Rejects {
  const { begin, row: line, end } = formOf(shape);
  const mark = shape.bom ? '\ufeff' : '';
  let some = false;
  return {
    add: (row, reason) => {
      write((some ? '' : mark + begin) + line(row, reason, !some));
      some = true;
    },
    end: () => {
      if (some && end !== '') write(end);
    },
  };
}

interface Form {
  readonly begin: string;
  row(row: InputRow, reason: string, first: boolean): string;
  readonly end: string;
}

function formOf({ format, fields = [], delimiter = ',', escapes }: Shape): Form {
  if (format === 'ndjson') return { begin: '', row: (row, reason) => `${objectText(row, reason)}\n`, end: '' };
  if (format !== 'json') return tableForm(fields, { delimiter, escaped: escapes === 'undone' });
  const row = (row: InputRow, reason: string, first: boolean) => (first ? '' : ',\n') + objectText(row, reason);
  return { begin: '[\n', row, end: '\n]\n' };
}

function tableForm(fields: readonly string[], options: Parameters<typeof recordText>[1]): Form {
  const record = (cells: readonly string[]) => `${recordText(cells, options)}\n`;
  return {
    begin: record([...fields, errorField]),
    row: (row, reason) => record([...cellsOf(row, fields), 'fields' in row ? unmarked(reason) : damagedMark + reason]),
    end: '',
  };
}

function cellsOf(row: InputRow, fields: readonly string[]): readonly string[] {
  if ('fields' in row) return fields.map((name) => textOf(row.fields[name]));
  return fields.map((_, at) => (at === 0 ? textOf(row.raw) : ''));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Keeps an error of the service from looking like the mark. */
function unmarked(reason: string): string {
  return reason.startsWith(damagedMark) ? ` ${reason}` : reason;
}

function objectText(row: InputRow, reason: string): string {
  const known = 'fields' in row ? row.fields : { [textField]: row.raw };
  return jsonText({ ...known, [errorField]: reason });
}
