/** How a cell of our TSV and CSV is written, and how a reading of it gives the value back. */

export interface CellOptions {
  /** Marks that reorder or hide text are escaped too. */
  readonly marks?: boolean | undefined;
  /** In CSV, what a spreadsheet would run is left as it is. */
  readonly rawFormulas?: boolean | undefined;
}

// C0 and C1 controls and halves of a character; a table's cells may hold tabs and line breaks of their own.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;
const marks = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

const names: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n', '\0': '\\0' };
const values: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', r: '\r', n: '\n', '0': '\0', '"': '"' };

/** On one line, with backslash escapes for tabs, line breaks, controls and backslashes. */
export function tsvText(text: string, options: CellOptions = {}): string {
  return unicodeEscaped(
    text.replace(/[\\\t\r\n\0]/g, (found) => names[found] ?? found),
    options,
  );
}

/** The same for a cell of several: a quote at its beginning would open a quoted cell elsewhere, so it is escaped too. */
export function tsvCell(text: string, options?: CellOptions): string {
  return tsvText(text, options).replace(/^"/, '\\"');
}

export function undoTsv(cell: string): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(/\\(?:u([0-9a-f]{4})|([\\trn0"]))/g, (found, unit?: string, name = '') =>
    unit === undefined ? (values[name] ?? found) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** JSON or a report with its lines as they are: a control is shown as an escape, which in JSON has the same value. */
export function unicodeEscaped(text: string, { marks: all = false }: CellOptions = {}): string {
  const escaped = text.replace(controls, unicodeEscape);
  return all ? escaped.replace(marks, unicodeEscape) : escaped;
}

function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** After its apostrophes a cell has what they keep a spreadsheet from running: a formula, but no number and no phone. */
const formula = /^'*(?![+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$)[=+\-@\t\r\n]/i;
/** CSV has no escapes: a cell that needs some begins with `'\`. */
const escapedCell = /^'+\\(?=[^]*\\u)[^\\]*(?:(?:\\\\|\\u[0-9a-f]{4})[^\\]*)*$/;

/** The text of a CSV cell before it is quoted. */
export function csvCell(text: string, options: CellOptions = {}): string {
  const plain = text.replaceAll('\\', '\\\\');
  const escaped = unicodeEscaped(plain, options);
  if (escaped !== plain) return `'\\${escaped}`;
  if (options.rawFormulas) return text;
  return formula.test(text) || escapedCell.test(text) ? `'${text}` : text;
}

export function undoCsv(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  if (cell[1] === '\\' && escapedCell.test(cell)) return undoTsv(cell.slice(2));
  return formula.test(cell) || escapedCell.test(cell) ? cell.slice(1) : cell;
}
