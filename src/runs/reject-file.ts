import { createHash, createHmac } from 'node:crypto';
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
import { CliError } from '../base/errors.ts';
import { fsError, openRegular } from '../base/files.ts';
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
  /** Keys the digests of rows. */
  readonly secret: string;
  /** The rows for the file, in the order of the input, with their reasons. Each row of the input is passed to `see`. */
  readonly rows: (
    see: (row: InputRow) => void,
  ) => AsyncIterable<readonly { readonly row: InputRow; readonly reason: string }[]>;
}

/**
 * Writes the rejected rows beside the input, in its format: `people.failed.csv`; those of stdin go to the current
 * folder. The file appears whole or not at all, and replaces only the one that this run wrote before, if that is
 * unchanged and the input still has all of its rows. Returns undefined if there are no such rows; then this run's
 * file is removed.
 */
export async function writeRejectFile(options: RejectedOptions): Promise<RejectFile | undefined> {
  const { context, input, folder, word } = options;
  const beside = placeOfFile(input, word);
  try {
    return await writeAt(options, beside);
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fsError(error);
    if (!fault) throw error;
    const written = await writeAt(options, join(folder, basename(beside)));
    if (written) context.note('files', `cannot write ${beside}: ${fault.reason}; the rows are in ${written.file}`);
    return written;
  }
}

async function writeAt(
  { context, input, word, before, rows, folder, secret }: RejectedOptions,
  first: string,
): Promise<RejectFile | undefined> {
  const own = before && isUnchanged(before) ? before.file : undefined;
  const key = Buffer.from(secret, 'hex');
  const digestOf = (row: InputRow) => createHmac('sha256', key).update(jsonText(row.raw)).digest('base64');
  const listOf = (sha256: string) => join(folder, `${word}-${sha256.slice(0, 16)}.rows`);
  /** Rows of the earlier file that the input has not had so far. */
  const gone = own === undefined ? undefined : before && digestsIn(listOf(before.sha256));
  const [draft, digests] = [createDraft(draftIn(dirname(first), context.host.pid)), new Array<string>()];
  try {
    const rejects = createRejects(input.source, draft.write);
    for await (const batch of rows((row) => gone?.delete(digestOf(row))))
      for (const { row, reason } of batch) {
        digests.push(digestOf(row));
        rejects.add(row, `${reason} (${placeText(row, input.source)})`);
      }
    rejects.end();
    const ended = draft.end();
    const isOurs = gone?.size === 0;
    if (own !== undefined && gone && !isOurs) context.note('files', keptText(own, gone.size));
    if (ended === undefined) {
      if (own !== undefined && isOurs) removeOwn(context, own, word);
      return undefined;
    }
    const { sha256, size } = ended;
    writeFileSync(listOf(sha256), digests.join('\n'), { mode: 0o600 });
    const isReplaced = own !== undefined && isOurs && isVariant(own, first);
    const isSame = isUnchanged({ file: first, sha256, size });
    const file = isReplaced ? replaced(draft.path, own) : isSame ? first : namedFreely(draft.path, first);
    if (file !== first && !isReplaced)
      context.note('files', `${first} already exists and was kept; the rows are in ${file}`);
    if (before && before.sha256 !== sha256) rmSync(listOf(before.sha256), { force: true });
    return { file, sha256, size };
  } finally {
    draft.remove();
  }
}

function placeText(row: InputRow, source: InputFile['source']): string {
  return `${unitOf(source)} ${placeOf(row, source)}`;
}

/** Undefined if that is not known. */
function digestsIn(path: string): Set<string> | undefined {
  return existsSync(path) ? new Set(readFileSync(path, 'utf8').split('\n')) : undefined;
}

function keptText(file: string, gone: number): string {
  const which = gone === 1 ? '1 of its rows is' : `${gone} of its rows are`;
  return `${file} is kept: ${which} no longer in the input`;
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

function removeOwn({ note }: Pick<Context, 'note'>, file: string, word: RejectKind): void {
  rmSync(file, { force: true });
  note('files', `${file} is removed: none of its rows ${word === 'failed' ? 'has failed' : 'is unsure'} any more`);
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
  /** What was written; undefined if nothing was, and no file was made. */
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
