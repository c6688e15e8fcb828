import { type CliError, usage } from '../../base/errors.ts';
import { quoted } from '../quoted.ts';
import type { Cells } from './csv.ts';
import type { InputRow } from './row.ts';

export interface Table {
  readonly columns: readonly string[];
  /** The number of columns without a name at the end, which are ignored. */
  readonly nameless: number;
  readonly rows: AsyncGenerator<readonly InputRow[]>;
}

/** Reads the header of a table; the rows follow on demand. `undo` decodes a cell. */
export async function openTable(
  batches: AsyncGenerator<readonly Cells[]>,
  name: string,
  undo = (cell: string) => cell,
): Promise<Table> {
  let number = 0;
  const { header, rest } = await begin(batches, name);
  const columns = columnsIn({ ...header, cells: header.cells.map(undo) }, name);
  const read = (batch: readonly Cells[]) =>
    batch.filter(isRow).map(({ line, cells, problem }): InputRow => {
      const fields = Object.fromEntries(columns.map((column, at) => [column, undo(cells[at] ?? '')]));
      number += 1;
      return { number, line, fields, problem: problem ?? countProblem(cells.length, header.cells.length) };
    });
  const rows = async function* () {
    yield read(rest);
    for await (const batch of batches) yield read(batch);
  };
  return { columns, nameless: header.cells.length - columns.length, rows: rows() };
}

/** The header, and the rows that were read with it. */
async function begin(batches: AsyncGenerator<readonly Cells[]>, name: string) {
  for (;;) {
    const step = await batches.next();
    if (step.done) throw noRows(name);
    const [header, ...rest] = step.value.filter(isRow);
    if (header) return { header, rest };
  }
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
  const twice = repeatedIn(columns);
  if (twice !== undefined) throw usage(`${quoted(twice)} appears twice in ${where}`, 'give each column its own name');
  return columns;
}

/** An international, national or bare number, but not a year or a date. */
function isPhone(text: string): boolean {
  if (!/^[+＋(]?[\p{Nd}\s().\-/]+$/u.test(text)) return false;
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  if (/^(?:[+＋]|00)/.test(text)) return digits >= 7;
  return digits >= (/^\(?0/.test(text) ? 9 : 11);
}

function repeatedIn(columns: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return columns.find((column) => seen.has(column) || !seen.add(column));
}
