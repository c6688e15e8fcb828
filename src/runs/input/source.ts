import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CliError, configuration, fsError, unsafe, usage } from '../../base/errors.ts';
import { tooManyFiles, whyUnreadable } from '../../base/files.ts';
import { createEscapeScan, delimiterOf, type Escapes } from './csv.ts';
import { createDecoder, type Encoding, encodingOf } from './encoding.ts';
import { createArrayReader, createLineReader } from './json.ts';
import type { InputRow, TextReader } from './row.ts';
import { createHeaderReader, createTableReader, type Header } from './table.ts';

export interface SourceOptions {
  /** Its name in messages, whose extension gives the format; default: the path. */
  readonly name?: string | undefined;
  /** The delimiter, if it is surely a table; default: detected. */
  readonly delimiter?: string | undefined;
  /** Any label that TextDecoder knows; a byte order mark overrides it. */
  readonly encoding?: string | undefined;
  /** Bytes per read. */
  readonly chunkSize?: number | undefined;
  /** Maximum length of a record in characters. */
  readonly limit?: number | undefined;
}

/** An input of records that can be read several times, each time from the start. */
export interface Source {
  readonly format: Format;
  /** The delimiter of a table. */
  readonly delimiter: string | undefined;
  /** The meaning of backslashes in TSV. */
  readonly escapes: Escapes;
  /** The column names without `bizmsg_error`; undefined for JSON, [] for an empty file. */
  readonly fields: readonly string[] | undefined;
  /** The number of unnamed empty columns at the end of a table, which are ignored. */
  readonly nameless: number;
  /**
   * Whether the file of failed rows, which is UTF-8, gets a byte order mark: if the input has one or uses another
   * encoding, so that spreadsheets and a repeated --encoding read it correctly.
   */
  readonly bom: boolean;
  /** Its size in bytes when it was opened. */
  readonly size: number;
  /**
   * Yields rows in batches of a few hundred, including damaged ones, the same each time. `onBytes` gets each chunk of
   * bytes before its rows, valid only during the call, and an empty one at the end; if it throws, reading stops.
   */
  rows(signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void): AsyncGenerator<readonly InputRow[]>;
}

/** Maximum number of rows in a batch. */
const batch = 500;
/** Bytes whose rows are in memory at the same time. Rows that wait long enough for V8 to copy them cost more. */
const pieceSize = 8_192;
const headSize = 65_536;

/** Throws a usage error if the file cannot be read or is neither a table nor JSON. */
export async function openSource(path: string, options: SourceOptions = {}): Promise<Source> {
  const { name = path, chunkSize = 65_536, limit = 1_048_576 } = options;
  const file: File = { path, name, chunkSize };
  const size = await sizeOf(file);
  const head = await headOf(file, headSize);
  const encoding = encodingOf(head, options.encoding);
  refuseBinary(name, head, encoding);
  const whole = head.length < headSize;
  const text = createDecoder(encoding, name).decode(head, whole);
  const { delimiter } = options;
  const form = delimiter === undefined ? formOf(text, whole, name) : { format: 'csv' as const, delimiter };
  const textFile: TextFile = { file, encoding, limit, ...form };
  const escapes = form.delimiter === '\t' ? await escapesIn(textFile) : 'none';
  const recordFile: RecordFile = { ...textFile, escaped: escapes === 'undone' };
  const header = form.delimiter === undefined ? undefined : await readHeader(recordFile, form.delimiter);
  return {
    ...form,
    escapes,
    fields: header?.names,
    nameless: header?.nameless ?? 0,
    bom: encoding.bom || encoding.name !== 'utf-8',
    size,
    rows: (signal, onBytes) => rowsOf(recordFile, signal, onBytes),
  };
}

interface Form {
  readonly format: Format;
  readonly delimiter: string | undefined;
}

interface TextFile extends Form {
  readonly file: File;
  readonly encoding: Encoding;
  readonly limit: number;
}

interface RecordFile extends TextFile {
  readonly escaped: boolean;
}

async function escapesIn(textFile: TextFile): Promise<Escapes> {
  const scan = createEscapeScan();
  for await (const { text, last } of textsOf(textFile)) scan.push(text, last);
  return scan.found();
}

function formOf(head: string, whole: boolean, name: string): Form {
  const found = formatOf(name, head);
  if (found === 'json' || found === 'ndjson') return { format: found, delimiter: undefined };
  const delimiter = found === 'tsv' ? '\t' : delimiterOf(head, whole);
  return { format: found ?? (delimiter === '\t' ? 'tsv' : 'csv'), delimiter };
}

async function readHeader(recordFile: RecordFile, delimiter: string): Promise<Header> {
  let header: Header | undefined;
  const reader = createHeaderReader({ ...recordFile, delimiter }, recordFile.file.name, (found) => (header = found));
  for await (const { text, last } of textsOf(recordFile)) {
    reader.push(text, last);
    if (header) return header;
  }
  return { names: [], nameless: 0 };
}

async function* rowsOf(recordFile: RecordFile, signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void) {
  let rows: InputRow[] = [];
  const reader = readerOf(recordFile, (row) => rows.push(row));
  for await (const { text, last } of textsOf(recordFile, signal, onBytes)) {
    reader.push(text, last);
    for (let at = 0; at < rows.length; at += batch) yield rows.slice(at, at + batch);
    rows = [];
  }
}

function readerOf({ delimiter, limit, escaped, format, file }: RecordFile, give: (row: InputRow) => void): TextReader {
  if (delimiter !== undefined) return createTableReader({ delimiter, limit, escaped }, file.name, give);
  return format === 'json' ? createArrayReader(limit, give) : createLineReader(limit, give);
}

async function* textsOf({ file, encoding }: TextFile, signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void) {
  const decoder = createDecoder(encoding, file.name);
  for await (const chunk of chunksOf(file, signal)) {
    onBytes?.(chunk);
    for (let at = 0; at < chunk.length; at += pieceSize)
      yield { text: decoder.decode(chunk.subarray(at, at + pieceSize), false), last: false };
  }
  onBytes?.(new Uint8Array(0));
  yield { text: decoder.decode(new Uint8Array(0), true), last: true };
}

export type Format = 'csv' | 'tsv' | 'ndjson' | 'json';

const extensions: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'ndjson',
  '.ndjson': 'ndjson',
  '.tab': 'tsv',
  '.tsv': 'tsv',
};

/** The format that the content tells, or else the name; undefined for some kind of table. */
function formatOf(name: string, head: string): Format | undefined {
  refuseMarkup(name, head);
  const format = formatIn(head) ?? extensions[extname(name).toLowerCase()];
  if (format === 'json' && !/^\s*(\[|$)/.test(head))
    throw usage(`"${name}" is not a JSON array`, 'the file must contain only the array of records');
  if (format === 'ndjson' && /^\s*\{[ \t]*\r?\n/.test(head))
    throw usage(
      `"${name}" contains an object that spans several lines`,
      'write each object on one line, or put them in an array',
    );
  return format;
}

/** A table may start with a bracket, but is unlikely to start like this. */
function formatIn(head: string): 'ndjson' | 'json' | undefined {
  if (/^\s*\[\s*([{\]]|$)/.test(head)) return 'json';
  return /^\s*\{\s*["}]/.test(head) ? 'ndjson' : undefined;
}

/** Whether a file is a zip archive, as a workbook is. */
export async function isZip(path: string, name: string): Promise<boolean> {
  const file: File = { path, name, chunkSize: 4 };
  await sizeOf(file);
  return (await headOf(file, 4)).toString('latin1') === zipMark;
}

/** Throws if it is not text, such as a workbook. */
function refuseBinary(name: string, head: Uint8Array, { name: encoding }: Encoding): void {
  const found = signatures.find(({ bytes }) => Buffer.from(bytes, 'latin1').every((byte, at) => head[at] === byte));
  if (found) throw notRows(name, found.what, found.hint);
  // The end of the head may split a character.
  const isText = encoding !== 'utf-8' || !head.includes(0) || isUtf8(head.subarray(0, Math.max(0, head.length - 3)));
  if (!isText) throw notRows(name, 'binary data', 'use a text file with one record per row');
}

/** Refuses a sign-in or error page that was saved instead of the download. */
function refuseMarkup(name: string, head: string): void {
  if (/^\s*<(?:!doctype|!--|(?:html|head|body|title|meta|script|table)\b)/i.test(head))
    throw notRows(name, 'an HTML page', 'it may be a sign-in or error page: check it, and download the file again');
  if (/^\s*<\?xml\b/i.test(head)) throw notRows(name, 'XML', save);
}

function notRows(name: string, what: string, hint: string): CliError {
  return usage(`"${name}" is ${what}, not a table or JSON`, hint);
}

const zipMark = 'PK\x03\x04';
const save = 'save the sheet as .xlsx, or as CSV (UTF-8)';
const convert = 'convert it to CSV or NDJSON first';
const signatures = [
  { bytes: zipMark, what: 'a workbook or a zip archive', hint: `${save}, or unpack it` },
  { bytes: '\xd0\xcf\x11\xe0', what: 'an old or encrypted Excel workbook', hint: `without a password, ${save}` },
  { bytes: '\x1f\x8b', what: 'compressed', hint: 'unpack it, for example with gunzip' },
  { bytes: 'BZh91AY&SY', what: 'compressed', hint: 'unpack it, for example with bunzip2' },
  { bytes: '\xfd7zXZ\x00', what: 'compressed', hint: 'unpack it, for example with unxz' },
  { bytes: '\x28\xb5\x2f\xfd', what: 'compressed', hint: 'unpack it, for example with unzstd' },
  { bytes: 'PAR1\x15', what: 'a Parquet file', hint: convert },
  { bytes: 'Obj\x01', what: 'an Avro file', hint: convert },
  { bytes: 'ARROW1\x00\x00', what: 'an Arrow file', hint: convert },
  { bytes: 'SQLite format 3\x00', what: 'an SQLite database', hint: 'export the table as CSV' },
  { bytes: '%PDF-', what: 'a PDF', hint: 'export the rows as CSV' },
] as const;

/** A file that can be read several times. */
interface File {
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  /** Bytes per read. */
  readonly chunkSize: number;
}

/** Returns its size in bytes; throws if it is not a readable file. */
async function sizeOf(file: File): Promise<number> {
  // Do not open it first: opening a pipe waits for a writer, and no signal interrupts that.
  const found = await readable(file, stat(file.path));
  if (found.isDirectory()) throw unreadable(file, 'it is a folder');
  if (!found.isFile()) throw unreadable(file, 'it is not a regular file', 'give "-" and pipe the rows in');
  return found.size;
}

/** Its first bytes. */
async function headOf(file: File, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= size) break;
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/** Yields its bytes; a chunk is valid until the next one is requested. */
async function* chunksOf(file: File, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await readable(file, open(file.path, 'r'));
  try {
    const buffer = Buffer.allocUnsafe(file.chunkSize);
    for (;;) {
      signal?.throwIfAborted();
      const length = await readable(file, filled(handle, buffer));
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

/** Fills the buffer unless the file ends, so that a file always has the same chunks. */
async function filled(handle: FileHandle, buffer: Buffer): Promise<number> {
  for (let length = 0; ;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return length;
  }
}

async function readable<T>(file: File, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw readError(file, error);
  }
}

function readError(file: File, error: unknown): unknown {
  const found = fsError(error);
  if (found && ofMachine.has(found.code))
    return configuration(
      'file-unusable',
      `cannot read "${file.name}": ${found.reason}`,
      tooManyFiles(error)?.hint,
      error,
    );
  return found ? unreadable(file, whyUnreadable(error) ?? found.reason) : error;
}

function unreadable(file: File, reason: string, hint = 'use the path of a file with one record per row'): CliError {
  return usage(`"${file.name}" cannot be read: ${reason}`, hint);
}

/** Failures of the machine, not of the file. */
const ofMachine: ReadonlySet<string> = new Set(['EIO', 'EMFILE', 'ENFILE']);

/** How people find a row: by its line, or by its number in a JSON array. */
export type Unit = 'line' | 'record';

export function unitOf({ format }: Pick<Source, 'format'>): Unit {
  return format === 'json' ? 'record' : 'line';
}

export function placeOf({ line, number }: Pick<InputRow, 'line' | 'number'>, source: Pick<Source, 'format'>): number {
  return unitOf(source) === 'record' ? number : line;
}

/** Checksums of an input's chunks, to notice that it changed between two readings. */
export type Checksums = readonly number[];

/** The empty chunk at the end has none. */
export function checksumOf(chunk: Uint8Array): readonly number[] {
  return chunk.length > 0 ? [crc32(chunk)] : [];
}

/** Returns a check for the chunks of a later reading, which throws at the first one that differs. */
export function verifyUnchanged(prints: Checksums, name: string): (chunk: Uint8Array) => void {
  let at = 0;
  return (chunk) => {
    const [print] = checksumOf(chunk);
    if (print !== prints[at]) throw inputChanged(name);
    at += 1;
  };
}

function inputChanged(name: string): CliError {
  const message = `"${name}" has changed since it was first read, so the run has stopped`;
  return unsafe('input-changed', message, 'sent rows are recorded; run the same command again to send the rest');
}
