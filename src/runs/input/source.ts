import type { Row } from '../row.ts';
import type { File } from './bytes.ts';
import { chunksOf, headOf, sizeOf } from './bytes.ts';
import { delimiterOf } from './delimiter.ts';
import type { Encoding } from './encoding.ts';
import { createDecoder, encodingOf } from './encoding.ts';
import type { Format } from './format.ts';
import { formatOf, refuseBinary } from './format.ts';
import { createArrayReader } from './json-array.ts';
import { createLineReader } from './json-lines.ts';
import type { Header } from './table.ts';
import { createHeaderReader, createTableReader } from './table.ts';
import type { TextReader } from './text-reader.ts';
import { createEscapeScan } from './tsv-escapes.ts';
import type { Escapes } from './tsv-escapes.ts';

export interface SourceOptions {
  /** How it is called in what people read, and by whose extension its format is known; else its path. */
  readonly name?: string | undefined;
  /** Where neither name nor content tell, or tell wrong. */
  readonly format?: Format | undefined;
  /** Anything that TextDecoder knows; a byte order mark wins over it. */
  readonly encoding?: string | undefined;
  /** Bytes read at once. */
  readonly chunkSize?: number | undefined;
  /** How many characters a record may have. */
  readonly limit?: number | undefined;
}

/** An input of records, which can be read any number of times, each time from its beginning. */
export interface Source {
  readonly format: Format;
  /** What stands between a table's cells. */
  readonly delimiter: string | undefined;
  /** What backslashes mean in it, if tabs stand between its cells. */
  readonly escapes: Escapes;
  /** The names in a table's header but for `bizmsg_error`; undefined for JSON, [] where nothing stands in the file. */
  readonly fields: readonly string[] | undefined;
  /** How many empty columns without a name stand at the end of a table, and are left out. */
  readonly nameless: number;
  /**
   * Whether its failed rows begin with a byte order mark, as they are UTF-8: where it has one itself, or is in another
   * encoding, so that neither a spreadsheet nor an `encoding` that is given again takes them for something else.
   */
  readonly bom: boolean;
  /** How many bytes it had when it was opened. */
  readonly size: number;
  /**
   * Its rows in batches of up to some hundred, damaged ones among them, the same every time. Each chunk of bytes is
   * handed over before its rows are, and is good during that call only; an empty one is handed over at the end. What is
   * thrown then ends the reading.
   */
  rows(signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void): AsyncGenerator<readonly Row[]>;
}

/** The most rows that come at once. */
const batch = 500;
const headSize = 65_536;

/** Throws a usage error where the file cannot be read, or cannot be taken for what it is said to be. */
export async function openSource(path: string, options: SourceOptions = {}): Promise<Source> {
  const { name = path, chunkSize = 65_536, limit = 1_048_576 } = options;
  const file: File = { path, name, chunkSize };
  const size = await sizeOf(file);
  const head = await headOf(file, headSize);
  const encoding = encodingOf(head, options.encoding);
  refuseBinary(name, head, encoding);
  const whole = head.length < headSize;
  const text = createDecoder(encoding, name).decode(head, whole);
  const form = formOf(text, whole, formatOf(name, text, options.format));
  const given: Given = { file, encoding, limit, ...form };
  const escapes = form.delimiter === '\t' ? await escapesIn(given) : 'none';
  const plan: Plan = { ...given, escaped: escapes === 'undone' };
  const header = form.delimiter === undefined ? undefined : await readHeader(plan, form.delimiter);
  return {
    ...form,
    escapes,
    fields: header?.names,
    nameless: header?.nameless ?? 0,
    bom: encoding.bom || encoding.name !== 'utf-8',
    size,
    rows: (signal, onBytes) => rowsOf(plan, signal, onBytes),
  };
}

interface Form {
  readonly format: Format;
  readonly delimiter: string | undefined;
}

interface Given extends Form {
  readonly file: File;
  readonly encoding: Encoding;
  readonly limit: number;
}

interface Plan extends Given {
  readonly escaped: boolean;
}

async function escapesIn(given: Given): Promise<Escapes> {
  const scan = createEscapeScan();
  for await (const { text, last } of textsOf(given)) scan.push(text, last);
  return scan.found();
}

function formOf(head: string, whole: boolean, found: Format | undefined): Form {
  if (found === 'json' || found === 'ndjson') return { format: found, delimiter: undefined };
  const delimiter = found === 'tsv' ? '\t' : delimiterOf(head, whole);
  return { format: found ?? (delimiter === '\t' ? 'tsv' : 'csv'), delimiter };
}

async function readHeader(plan: Plan, delimiter: string): Promise<Header> {
  let header: Header | undefined;
  const reader = createHeaderReader({ ...plan, delimiter }, plan.file.name, (found) => (header = found));
  for await (const { text, last } of textsOf(plan)) {
    reader.push(text, last);
    if (header) return header;
  }
  return { names: [], nameless: 0 };
}

async function* rowsOf(plan: Plan, signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void) {
  let rows: Row[] = [];
  const reader = readerOf(plan, (row) => rows.push(row));
  for await (const { text, last } of textsOf(plan, signal, onBytes)) {
    reader.push(text, last);
    for (let at = 0; at < rows.length; at += batch) yield rows.slice(at, at + batch);
    rows = [];
  }
}

function readerOf({ delimiter, limit, escaped, format, file }: Plan, give: (row: Row) => void): TextReader {
  if (delimiter !== undefined) return createTableReader({ delimiter, limit, escaped }, file.name, give);
  return format === 'json' ? createArrayReader(limit, give) : createLineReader(limit, give);
}

async function* textsOf({ file, encoding }: Given, signal?: AbortSignal, onBytes?: (chunk: Uint8Array) => void) {
  const decoder = createDecoder(encoding, file.name);
  for await (const chunk of chunksOf(file, signal)) {
    onBytes?.(chunk);
    yield { text: decoder.decode(chunk, false), last: false };
  }
  onBytes?.(new Uint8Array(0));
  yield { text: decoder.decode(new Uint8Array(0), true), last: true };
}
