import type { Row } from './rows.ts';
import { cell, valueAt } from './rows.ts';

/** Tab-separated: no value can add a line or a column, and every value can be had back. */
export function tsvLine(cells: readonly unknown[]): string {
  return `${cells.map((value) => cell(value).replace(/[\\\t\r\n\0]/g, (found) => tsvEscapes[found] ?? found)).join('\t')}\n`;
}

const tsvEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
  '\0': '\\0',
};

/** RFC 4180, with line feeds. */
export function csvLine(cells: readonly unknown[]): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${cells.map((value) => quoted(cell(value))).join(',')}\n`;
}

export function rowCells(row: Row, columns: readonly string[]): readonly unknown[] {
  return columns.map((column) => valueAt(row, column));
}
