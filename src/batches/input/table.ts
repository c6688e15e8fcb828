import { unescapeCsv, unescapeTsv } from '../../base/cell-escapes.ts';
import { type CliError, usage } from '../../base/errors.ts';
import type { Cells } from './csv.ts';
import { type InputRow, peek, type Request, quoted } from './row.ts';

/** Reads the header of a table; the rows follow on demand. `undo` decodes a cell. */
export async function openTable(
  batches: AsyncGenerator<readonly Cells[]>,
  { name, note }: Request,
  undo = (cell: string) => cell,
) {
  const filled = async function* () {
    for await (const batch of batches) yield batch.filter(isRow);
  };
  const { begun, all } = await peek(filled(), 1);
  const header = begun.flat()[0];
  if (!header) throw noRows(name);
  const width = header.cells.length;
  const columns = columnsIn({ ...header, cells: header.cells.map(undo) }, name);
  const nameless = width - columns.length;
  if (nameless > 0) note('columns', `columns without a name at the end, which are ignored: ${nameless}`);
  let number = 0;
  const read = ({ line, cells, problem = countProblem(cells.length, width) }: Cells): InputRow => {
    number += 1;
    const fields = Object.fromEntries(columns.map((column, at) => [column, undo(cells[at] ?? '')]));
    return { number, line, fields, problem };
  };
  const rows = async function* () {
    for await (const batch of all()) yield batch.filter((row) => row !== header).map(read);
  };
  return { columns, rows: rows() };
}

export function noRows(name: string): CliError {
  return usage(`"${name}" has no rows`, 'nothing was sent; is it the right file?');
}

/** Neither a blank line, nor the `sep=;` that Excel writes before the header. */
function isRow({ line, cells }: Cells): boolean {
  return cells.some((cell) => cell.trim() !== '') && !(line === 1 && cells[0] === 'sep=');
}

function countProblem(count: number, expected: number): string | undefined {
  if (count === expected) return undefined;
  return `it has ${count === 1 ? '1 cell' : `${count} cells`}, and the header has ${expected}`;
}

function columnsIn({ cells, line, problem }: Cells, name: string): readonly string[] {
  const where = `the header of "${name}" (line ${line})`;
  if (problem !== undefined) throw usage(`${where} cannot be read: ${problem}`);
  const texts = cells.map((cell) => cell.trim());
  const columns = texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
  const phone = columns.find(isPhone);
  if (phone !== undefined) {
    const shown = `${phone.slice(0, 5)}…${phone.slice(-2)}`;
    const hint = 'add a line with the names of the columns above it, such as phone,name';
    throw usage(`line ${line} of "${name}" has a phone number, ${shown}, so it is not a header`, hint);
  }
  const empty = columns.indexOf('');
  if (empty !== -1) throw usage(`column ${empty + 1} has no name in ${where}`, 'name the column, or remove it');
  const twice = new Set(columns).size < columns.length && columns.find((name, at) => columns.indexOf(name) < at);
  if (twice) throw usage(`${quoted(twice)} appears twice in ${where}`, 'give each column its own name');
  return columns;
}

/** An international, national or bare number, but not a year or a date. */
function isPhone(text: string): boolean {
  if (!/^[+＋(]?[\p{Nd}\s().\-/]+$/u.test(text)) return false;
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  if (/^(?:[+＋]|00)/.test(text)) return digits >= 7;
  return digits >= (/^\(?0/.test(text) ? 9 : 11);
}

const escapes = /\\(?:[\\trn0"]|u[0-9a-f]{4})/g;

/**
 * Returns the decoder of cells, so that what bizmsg writes is read back unchanged. In TSV it escapes every backslash, and
 * a quote at the beginning of a cell; anything else there means that another program wrote the file.
 */
export function createUndo(separator: string, head: string, { note }: Request): (cell: string) => string {
  if (separator !== '\t') return unescapeCsv;
  const lines = head.slice(0, head.lastIndexOf('\n') + 1);
  if (/(?:^|[\t\r\n])"/.test(lines) || isForeign(lines)) return (cell) => cell;
  let isNoted = false;
  return (cell) => {
    if (!cell.includes('\\') || isForeign(cell)) return cell;
    if (!isNoted) note('escapes', 'backslash escapes such as \\t and \\n are decoded, since bizmsg writes them in TSV');
    isNoted = true;
    return unescapeTsv(cell);
  };
}

function isForeign(text: string): boolean {
  return text.replace(escapes, '').includes('\\');
}
