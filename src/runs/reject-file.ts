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
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { draftIn, removeLeftDrafts } from '../base/drafts.ts';
import { CliError, fsError } from '../base/errors.ts';
import { createStateFolder, openRegular } from '../base/files.ts';
import { jsonText } from '../base/json.ts';
import type { Probe } from '../base/liveness.ts';
import { replaceFile } from '../base/replace-file.ts';
import type { Context } from '../cli/command.ts';
import type { RejectFile, RejectFiles } from '../ledger/ledger.ts';
import type { InputFile } from './input.ts';
import { recordText } from './input/csv.ts';
import { damagedMark, errorField, type InputRow, textField } from './input/row.ts';
import { placeOf, type Source, unitOf } from './input/source.ts';

export type RejectKind = keyof RejectFiles;

interface Rejected {
  readonly row: InputRow;
  readonly reason: string;
}

interface RejectedOptions {
  readonly context: Pick<Context, 'note' | 'host'>;
  readonly input: InputFile;
  /** The run's own folder, for rows that cannot be written beside the input. */
  readonly folder: string;
  readonly word: RejectKind;
  /** The file that this run wrote last, if it did. */
  readonly before: RejectFile | undefined;
  /** The rows for the file, in the order of the input, with their reasons. */
  readonly rows: () => AsyncIterable<readonly Rejected[]>;
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
  const draft = draftIn(dirname(first), context.host.pid);
  try {
    const written = await write(draft, textsOf(rows(), input.source));
    if (!written) {
      if (before && (await hasAll())) noteDone(context, before, word);
      return undefined;
    }
    const isReplaced = own !== undefined && isVariant(own, first) && (await hasAll());
    const isSame = isUnchanged({ file: first, ...written });
    const file = isReplaced ? replaced(draft, own) : isSame ? first : namedFreely(draft, first);
    if (file !== first && !isReplaced)
      context.note('files', `${first} already exists and was kept; the rows are in ${file}`);
    return { file, ...written };
  } finally {
    rmSync(draft, { force: true });
  }
}

async function* textsOf(rows: AsyncIterable<readonly Rejected[]>, source: Source): AsyncGenerator<string> {
  const rejects = createRejects(source);
  const place = (row: InputRow) => `${unitOf(source)} ${placeOf(row, source)}`;
  for await (const batch of rows)
    yield batch.map(({ row, reason }) => rejects.text(row, `${reason} (${place(row)})`)).join('');
  yield rejects.end();
}

/** Writes a file that only this user can read. Undefined if there is nothing to write; then there is no file. */
async function write(
  path: string,
  texts: AsyncIterable<string>,
): Promise<Pick<RejectFile, 'sha256' | 'size'> | undefined> {
  const hash = createHash('sha256');
  let [fd, size]: [number | undefined, number] = [undefined, 0];
  try {
    for await (const text of texts) {
      if (text === '') continue;
      fd ??= openSync(path, 'wx', 0o600);
      const bytes = Buffer.from(text);
      writeFileSync(fd, bytes);
      hash.update(bytes);
      size += bytes.length;
    }
    if (fd === undefined) return undefined;
    fsyncSync(fd);
    return { sha256: hash.digest('hex'), size };
  } finally {
    if (fd !== undefined) closeSync(fd);
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
  replaceFile(draft, file);
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

/** Removes the drafts of killed commands beside the input. */
export function removeDrafts(input: InputFile, kill: Probe): void {
  removeLeftDrafts(dirname(placeOfFile(input, 'failed')), kill);
}

function placeOfFile({ path, source }: InputFile, word: RejectKind): string {
  // The rows of a workbook are written as CSV.
  const file = source.format === 'csv' ? path?.replace(/\.xls[xm]?$/i, '.csv') : path;
  return withWord(file ?? resolve(`stdin.${source.format}`), word);
}

/** The properties of an input that determine how rows are written. */
type Shape = Pick<Source, 'format' | 'delimiter' | 'fields' | 'bom'> & Partial<Pick<Source, 'escapes'>>;

interface Rejects {
  text(row: InputRow, reason: string): string;
  /** The text after the last row. */
  end(): string;
}

/**
 * Formats rows in the format of their input, with `bizmsg_error` as the last column or field, so that they can be fixed
 * and imported. The header comes with the first row; without rows there is no output. An unreadable row is written as
 * text, which stays unreadable until it is fixed.
 */
export function createRejects({ format, fields = [], delimiter = ',', escapes, bom }: Shape): Rejects {
  const isTable = format !== 'json' && format !== 'ndjson';
  const record = (cells: readonly string[]) => recordText(cells, { delimiter, escaped: escapes === 'undone' });
  const cells = (row: InputRow, reason: string) =>
    record([...cellsOf(row, fields), 'fields' in row ? unmarked(reason) : damagedMark + reason]);
  const header = isTable ? `${record([...fields, errorField])}\n` : '';
  const [begin, between, end] = format === 'json' ? ['[\n', ',\n', '\n]\n'] : [header, '\n', '\n'];
  let isFirst = true;
  return {
    text(row, reason) {
      const before = isFirst ? (bom ? '\ufeff' : '') + begin : between;
      isFirst = false;
      return before + (isTable ? cells(row, reason) : objectText(row, reason));
    },
    end: () => (isFirst ? '' : end),
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
