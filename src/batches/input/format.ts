import { extname } from 'node:path';
import { usage } from '../../base/errors.ts';

/** Detects the format by the content, or else by the end of the name. */
export function formatOf(head: string, name: string): 'csv' | 'tsv' | 'ndjson' | 'json' {
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

/** Whether it is a workbook, or another archive. */
export function isZip(head: Buffer): boolean {
  return head.subarray(0, 4).toString('latin1') === 'PK\x03\x04';
}

/** Refuses what is not text. */
export function refuseBinary(head: Buffer, name: string, encoding: string): void {
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
export function separatorOf(head: string): string {
  const stated = /^sep=([,;\t|])(?:\r|\n|$)/.exec(head)?.[1];
  if (stated !== undefined) return stated;
  const header = /^[\r\n]*((?:"[^"]*"|[^"\r\n])*)/.exec(head)?.[1]?.replaceAll(/"[^"]*"/g, '') ?? '';
  const counts = separators.map((separator) => header.split(separator).length);
  const most = Math.max(...counts);
  return most === 1 ? ',' : (separators[counts.indexOf(most)] ?? ',');
}
