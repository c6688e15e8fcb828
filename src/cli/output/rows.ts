import { type CellOptions, csvCell, tsvCell, tsvText } from '../../base/cell-escapes.ts';
import { jsonText } from '../../base/json.ts';

export type Row = Readonly<Record<string, unknown>>;

/**
 * The records in a body of unknown shape: the shallowest array of objects, at any depth.
 * Undefined when there is none, or when several stand at the same depth. §4 shows no list's shape.
 */
export function findRows(body: unknown): readonly Row[] | undefined {
  let level: readonly unknown[] = [body];
  let empty: readonly Row[] | undefined;
  while (level.length > 0) {
    const lists = level.filter((value) => isRows(value));
    const filled = lists.filter((rows) => rows.length > 0);
    if (filled.length > 0) return filled.length === 1 ? filled[0] : undefined;
    empty ??= lists[0];
    level = level.filter((value) => isRow(value)).flatMap((value) => Object.values(value));
  }
  return empty;
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.every((item) => isRow(item));
}

/** The columns that these rows have, in the order in which they first appear. */
export function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** A column's value: the field of that name, else the one its dots lead to. */
export function valueAt(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const step = (value: unknown, key: string) => (isRow(value) && Object.hasOwn(value, key) ? value[key] : undefined);
  return column.split('.').reduce<unknown>(step, row);
}

export function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, valueAt(row, column)]));
}

/** A value as one cell: texts as they are, nothing for null, JSON for what has parts. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

/** What identifies a row: `id`, else the one field whose name ends in it. Of several, none can be told. */
export function idOf(row: Row): unknown {
  const name = row['id'] === undefined ? idColumn(Object.keys(row).filter((key) => key !== 'id')) : 'id';
  return name === undefined ? undefined : row[name];
}

/** Which of some names is that of the id. */
export function idColumn(names: readonly string[]): string | undefined {
  if (names.includes('id')) return 'id';
  const [name, ...others] = names.filter((key) => /(_id|[a-z]Id|^uuid)$/.test(key));
  return others.length > 0 ? undefined : name;
}

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
