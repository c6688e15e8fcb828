import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import type { Encoding } from './encoding.ts';

const formats = ['csv', 'tsv', 'ndjson', 'json'] as const;

export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'ndjson',
  '.ndjson': 'ndjson',
  '.tab': 'tsv',
  '.tsv': 'tsv',
};

/** A file's format: the one given, else its name's, else its content's; undefined where it is some table. */
export function formatOf(name: string, head: string, given?: Format): Format | undefined {
  refuseMarkup(name, head);
  const shown = shownBy(head);
  const named = given ?? extensions[extname(name).toLowerCase()];
  if (named === 'json' && !/^\s*(\[|$)/.test(head)) throw noArray(name, shown);
  if (given !== undefined || named === 'json') return named;
  if (named !== undefined && shown !== undefined && named !== shown) {
    throw usage(`"${name}" is named as ${words[named]}, and holds ${words[shown]}`, `give --format ${shown}`);
  }
  if ((named ?? shown) === 'ndjson' && /^\s*\{[ \t]*\r?\n/.test(head)) throw spread(name);
  return named ?? shown;
}

const words: Readonly<Record<Format, string>> = {
  csv: 'a CSV table',
  json: 'a JSON array',
  ndjson: 'JSON objects',
  tsv: 'a TSV table',
};

/** A table may begin with a bracket, but hardly so. */
function shownBy(head: string): 'ndjson' | 'json' | undefined {
  if (/^\s*\[\s*([{\]]|$)/.test(head)) return 'json';
  return /^\s*\{\s*["}]/.test(head) ? 'ndjson' : undefined;
}

function noArray(name: string, shown?: Format): CliError {
  const hint = 'give the array of records alone';
  return usage(
    `"${name}" is no JSON array`,
    shown === 'ndjson' ? `${hint}, or --format ndjson if each line is an object` : hint,
  );
}

function spread(name: string): CliError {
  return usage(`"${name}" holds an object that is spread over lines`, 'write each on one line, or put them in a list');
}

/** Throws if it is not text, such as a workbook. */
export function refuseBinary(name: string, head: Uint8Array, { name: encoding }: Encoding): void {
  const found = signatures.find(({ bytes }) => Buffer.from(bytes, 'latin1').every((byte, at) => head[at] === byte));
  if (found) throw other(name, found.what, found.hint);
  // A cut at the end of the head may split a character.
  const isText = encoding !== 'utf-8' || !head.includes(0) || isUtf8(head.subarray(0, Math.max(0, head.length - 3)));
  if (!isText) throw other(name, 'binary data', 'give a file of text with one record a row');
}

/** A sign-in or error page saved in place of a download has rows of a kind, or none. */
function refuseMarkup(name: string, head: string): void {
  if (/^\s*<(?:!doctype|!--|(?:html|head|body|title|meta|script|table)\b)/i.test(head))
    throw other(name, 'an HTML page', 'it may be a sign-in or error page: look at it, and download the file again');
  if (/^\s*<\?xml\b/i.test(head)) throw other(name, 'XML', save);
}

function other(name: string, what: string, hint: string): CliError {
  return usage(`"${name}" is ${what}, not a table or JSON`, hint);
}

const save = 'save the sheet as CSV (UTF-8)';
const convert = 'convert it to CSV or NDJSON first';
const signatures = [
  { bytes: 'PK\x03\x04', what: 'a workbook or a zip archive', hint: `${save}, or unpack it` },
  { bytes: '\xd0\xcf\x11\xe0', what: 'a workbook of an old Excel', hint: save },
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
