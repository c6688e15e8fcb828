import { type CellOptions, csvCell, tsvCell } from '../../base/cell-escapes.ts';
import { jsonText } from '../../base/json.ts';

export type Row = Readonly<Record<string, unknown>>;

/**
 * Finds the records in a body of unknown shape: the shallowest array of objects. Undefined without one, or with several
 * at the same depth. §4 does not show the shape of lists.
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

/** The columns of the rows, in order of appearance. */
export function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/** The value of a column: the field with that name, or the nested field if the name has dots. */
export function valueAt(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const step = (value: unknown, key: string) => (isRow(value) && Object.hasOwn(value, key) ? value[key] : undefined);
  return column.split('.').reduce<unknown>(step, row);
}

export function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, valueAt(row, column)]));
}

/** A value as a cell: texts unchanged, empty for null, JSON for objects and arrays. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

/** The id of a row: the field `id`, or the only field whose name ends in `_id`. */
export function idOf(row: Row): unknown {
  if (row['id'] !== undefined) return row['id'];
  const [name, ...others] = Object.keys(row).filter((key) => /(_id|[a-z]Id|^uuid)$/.test(key));
  return name === undefined || others.length > 0 ? undefined : row[name];
}

/** A TSV line. Values are escaped, so that they add no line or column, and an import restores them. */
export function tsvLine(cells: readonly unknown[], options?: CellOptions): string {
  return `${cells.map((value) => tsvCell(cell(value), options)).join('\t')}\n`;
}

/** RFC 4180, with line feeds. */
export function csvLine(cells: readonly unknown[], options?: CellOptions, separator = ','): string {
  const isSpecial = (text: string) => /[",\r\n]/.test(text) || text.includes(separator);
  const quoted = (text: string) => (isSpecial(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${cells.map((value) => quoted(csvCell(cell(value), options))).join(separator)}\n`;
}
