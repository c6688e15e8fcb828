import { isUtf8 } from 'node:buffer';
import { extname, resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CliError, usage } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/files.ts';
import { redact } from '../../base/redact.ts';
import type { Context } from '../../cli/command.ts';
import { openStream } from '../../cli/input.ts';
import { csvRows } from './csv.ts';
import { damagedText, decoded, decodedHead, encodingOf, foreignWords, likelyEncoding } from './encoding.ts';
import { arrayRows, ndjsonRows } from './json.ts';
import { type InputRow, type Names, namesIn, peek, type Request, quoted } from './row.ts';
import { createUndo, noRows, openTable } from './table.ts';

/** A file, or stdin, that is read once. */
export interface Input extends Names {
  /** For people: as typed, redacted; or "stdin". */
  readonly name: string;
  /** Absolute; undefined for stdin. */
  readonly path: string | undefined;
  /** Of CSV and TSV. */
  readonly separator: string | undefined;
  /** As given with `--encoding`, or as answered. */
  readonly encoding: string | undefined;
  /** How people find a row: by its line, or by its number in a JSON array. */
  readonly unit: 'line' | 'row';
  /** At most the first 100 rows; `rows` yields them again. */
  readonly first: readonly InputRow[];
  /** All rows, once. */
  rows(): AsyncIterable<readonly InputRow[]>;
  close(): void;
}

interface Content extends Partial<Pick<Input, 'columns' | 'separator' | 'encoding'>> {
  readonly unit: Input['unit'];
  readonly rows: AsyncGenerator<readonly InputRow[]>;
}

/** Where stdin, questions and notes go. */
export type InputContext = Pick<Context, 'note' | 'takeStdin' | 'interactive' | 'interaction'>;

interface InputOptions extends Pick<Request, 'encoding' | 'usualEncoding' | 'sheet' | 'signal'> {
  /** The bytes of the file if they were read before: a pipe can be read once. */
  readonly content?: Buffer | undefined;
}
type Bytes = Awaited<ReturnType<typeof openBytes>>;

/** Rows that are read ahead, to ask about them. */
export const mostFirst = 100;
const headSize = 1 << 20;

/** Opens a file of rows; `-` is stdin. */
export async function openInput(context: InputContext, file: string, options: InputOptions): Promise<Input> {
  const name = file === '-' ? 'stdin' : file;
  const { content: bytesRead } = options;
  const open = () => {
    if (bytesRead) return Readable.from([bytesRead]);
    return file === '-' ? context.takeStdin() : openStream(file);
  };
  const note = (code: string, text: string) => context.note(code, `${redact(name)}: ${text}`);
  const request = { ...options, name, note };
  const reading = `Reading ${file === '-' ? 'stdin' : 'the file'}`;
  const bytes = await context.interaction.spin(reading, openBytes(open, request));
  try {
    // A workbook, or another archive.
    const isZip = bytes.head.toString('latin1', 0, 4) === 'PK\x03\x04';
    const content = isZip ? openWorkbook(bytes, request) : openText(context, bytes, request);
    const { rows, columns, separator, encoding, unit } = await content;
    const { begun, all } = await peek(rows, mostFirst);
    const first = begun.flat().slice(0, mostFirst);
    if (first.length === 0) throw noRows(name);
    const [{ problem } = {}] = first;
    if (problem !== undefined && namesIn(first).length === 0)
      throw usage(`no row of "${name}" can be read: ${problem}`, 'is it the right file?');
    const path = file === '-' ? undefined : resolve(file);
    const names = { columns: columns ?? namesIn(first), isTable: columns !== undefined };
    return { name: redact(name), path, ...names, separator, encoding, unit, first, rows: all, close: bytes.close };
  } catch (error) {
    bytes.close();
    throw error;
  }
}

async function openText(context: InputContext, bytes: Bytes, request: Request): Promise<Content> {
  const { name, note } = request;
  if (request.sheet !== undefined)
    throw usage(`--sheet is given, but "${name}" is not an Excel workbook`, 'leave it out');
  if (bytes.head.length === 0) throw noRows(name);
  refuseBinary(bytes.head, name, encodingOf(bytes.head, request.encoding));
  const answer = request.encoding ?? usualEncoding(request, bytes.head) ?? (await askForEncoding(context, bytes));
  const encoding = encodingOf(bytes.head, answer);
  const head = decodedHead(bytes.head, encoding);
  const format = formatOf(head, name);
  const damaged = damagedText.exec(head)?.[0];
  if (damaged !== undefined)
    note('damaged-text', `${quoted(damaged)} looks as if a program had read it in a wrong encoding`);
  const texts = decoded(bytes.chunks, encoding, name);
  if (format === 'json') return { unit: 'row', rows: arrayRows(texts, name), encoding: answer };
  if (format === 'ndjson') return { unit: 'line', rows: ndjsonRows(texts, name), encoding: answer };
  const separator = format === 'tsv' ? '\t' : separatorOf(head);
  const rows = csvRows(texts, separator, name);
  const table = await openTable(rows, request, createUndo(separator, head, request));
  return { ...table, separator, unit: 'line', encoding: answer };
}

async function openWorkbook({ chunks }: Bytes, request: Request): Promise<Content> {
  const { openSheet } = await import('./workbook.ts');
  const rows = await openSheet(await buffer(chunks), request);
  return { ...(await openTable(rows, request)), unit: 'line' };
}

/** An encoding that was not typed for this file, unless the file is UTF-8. */
function usualEncoding({ usualEncoding }: Request, head: Buffer): string | undefined {
  const isText = !head.includes(0) && isUtf8(head.subarray(0, head.lastIndexOf('\n') + 1 || head.length));
  return isText ? undefined : usualEncoding;
}

/** Asks whether a file that is not UTF-8 has the likely encoding, if it has words that a person can recognize. */
async function askForEncoding(context: InputContext, { head }: Bytes): Promise<string | undefined> {
  const words = context.interactive && encodingOf(head) === 'utf-8' ? foreignWords(head) : [];
  if (words.length === 0) return undefined;
  await context.interaction.confirm(
    `The file is not UTF-8. Read it as ${likelyEncoding}: ${words.join(', ')} — right?`,
    'pass its encoding, such as --encoding iso-8859-2, or save it as UTF-8',
  );
  return likelyEncoding;
}

/** Opens the bytes of a file or of stdin, which are read once, and reads the first megabyte ahead. */
async function openBytes(open: () => Readable, request: Request) {
  const chunks = chunksOf(open, request);
  const { begun, all } = await peek(chunks, headSize);
  return { head: Buffer.concat(begun), chunks: all(), close: () => void chunks.return(undefined) };
}

async function* chunksOf(open: () => Readable, { name, signal }: Request): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, open())) yield Buffer.from(chunk);
  } catch (error) {
    const reason = signal.aborted || error instanceof CliError ? undefined : whyUnreadable(error);
    if (reason === undefined) throw error;
    throw usage(`"${name}" cannot be read: ${reason}`, 'give the path of a file with rows, or - for stdin');
  }
}

/** Detects the format by the content, or else by the end of the name. */
function formatOf(head: string, name: string): 'csv' | 'tsv' | 'ndjson' | 'json' {
  if (/^\s*<(?:!doctype|!--|\?xml|(?:html|head|body|title|meta|script|table)\b)/i.test(head))
    throw usage(`"${name}" is a web page or XML, not a table or JSON`, 'check it, and download the file again');
  if (/^\s*\{[ \t]*\r?\n/.test(head))
    throw usage(`"${name}" has an object that spans several lines`, 'write it on one line, or put it in an array');
  // A header may begin with a bracket, but hardly like these.
  if (/^\s*\[\s*(?:[{\]]|$)/.test(head)) return 'json';
  if (/^\s*\{\s*["}]/.test(head)) return 'ndjson';
  const ending = extname(name).toLowerCase();
  if (ending === '.json') return 'json';
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  return ending === '.tsv' || ending === '.tab' ? 'tsv' : 'csv';
}

/** Refuses what is not text. */
function refuseBinary(head: Buffer, name: string, encoding: string): void {
  if (head.subarray(0, 4).toString('hex') === 'd0cf11e0')
    throw usage(
      `"${name}" is an old or encrypted Excel workbook`,
      'without a password, save it as .xlsx or CSV (UTF-8)',
    );
  if (head.includes(0) && !encoding.startsWith('utf-16'))
    throw usage(`"${name}" is binary data, not a table or JSON`, 'if it is UTF-16 text, add --encoding utf-16le');
}

const separators = [';', '\t', '|', ','] as const;

/** Returns the separator that is most frequent in the header line, outside quotes. */
function separatorOf(head: string): string {
  const stated = /^sep=([,;\t|])(?:\r|\n|$)/.exec(head)?.[1];
  if (stated !== undefined) return stated;
  const header = /^[\r\n]*((?:"[^"]*"|[^"\r\n])*)/.exec(head)?.[1]?.replaceAll(/"[^"]*"/g, '') ?? '';
  const counts = separators.map((separator) => header.split(separator).length);
  const most = Math.max(...counts);
  return most === 1 ? ',' : (separators[counts.indexOf(most)] ?? ',');
}
