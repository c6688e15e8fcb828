import type { CellOptions } from '../cell-escapes.ts';
import { csvCell, tsvCell, tsvText } from '../cell-escapes.ts';
import type { Row } from './rows.ts';
import { cell, valueAt } from './rows.ts';

/** Tab-separated: no value can add a line or a column, and every value can be had back. */
export function tsvLine(cells: readonly unknown[], options?: CellOptions): string {
  return `${cells.map((value) => tsvCell(cell(value), options)).join('\t')}\n`;
}

/** One value on a line of its own. */
export function valueLine(value: unknown, options?: CellOptions): string {
  return `${tsvText(cell(value), options)}\n`;
}

/** RFC 4180, with line feeds. */
export function csvLine(cells: readonly unknown[], options?: CellOptions): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${cells.map((value) => quoted(csvCell(cell(value), options))).join(',')}\n`;
}

export function rowCells(row: Row, columns: readonly string[]): readonly unknown[] {
  return columns.map((column) => valueAt(row, column));
}
