import { extname } from 'node:path';
import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';

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

/** Throws where it is no text at all, such as a workbook. */
export function refuseBinary(name: string, head: Uint8Array): void {
  const found = signatures.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (found) throw usage(`"${name}" is ${found.what}`, found.hint);
}

const save = 'save the sheet as CSV (UTF-8)';
const signatures = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'a workbook or a zip archive', hint: `${save}, or unpack it` },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], what: 'a workbook of an old Excel', hint: save },
  { bytes: [0x1f, 0x8b], what: 'compressed', hint: 'unpack it, for example with gunzip' },
] as const;
