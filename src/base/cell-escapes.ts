import { unseen } from './posix-quote.ts';

/* Escapes for the cells of our TSV and CSV, and the way back. */

export interface CellOptions {
  /** Also escapes marks that reorder or hide text. */
  readonly marks?: boolean | undefined;
}

// C0 and C1 controls and lone surrogates, but not tabs and line breaks, which a cell may contain.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;
/** Most texts have none of these, and looking for them is faster. */
const unusual = /[^\t\n\r -~]/;
/** Made on use: it takes 0.5 ms. */
const marks = () => new RegExp(unseen, 'gu');

const names: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n', '\0': '\\0' };
const values: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', r: '\r', n: '\n', '0': '\0', '"': '"' };

/** Puts a text on one line, with backslash escapes for tabs, line breaks, controls and backslashes. */
export function tsvText(text: string, options: CellOptions = {}): string {
  return unicodeEscaped(
    text.replace(/[\\\t\r\n\0]/g, (character) => names[character] ?? character),
    options,
  );
}

/** Also escapes a leading quote, which other programs would read as the start of a quoted cell. */
export function tsvCell(text: string, options?: CellOptions): string {
  return tsvText(text, options).replace(/^"/, '\\"');
}

export function unescapeTsv(cell: string): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(/\\(?:u([0-9a-f]{4})|([\\trn0"]))/g, (escape, unit?: string, name = '') =>
    unit === undefined ? (values[name] ?? escape) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** Escapes controls and keeps line breaks. In JSON the escapes have the same value. */
export function unicodeEscaped(text: string, { marks: all = false }: CellOptions = {}): string {
  if (!unusual.test(text)) return text;
  const escaped = text.replace(controls, unicodeEscape);
  return all ? escaped.replace(marks(), unicodeEscape) : escaped;
}

/** Escapes each UTF-16 unit of a text. */
export function unicodeEscape(text: string): string {
  return text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A formula, with the apostrophes that keep a spreadsheet from running it. Numbers and phone numbers are not formulas. */
const formula = /^'* *(?![+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$)[=+\-@＝＋－＠\t\r\n]/i;
/** The sign of a formula with a call, where a spreadsheet begins a new cell if its separator is not the comma. */
const innerFormula = /(?<=[;\t\r\n][" ]*)[=+\-@＝＋－＠](?=[^;\t\r\n]*[(|!])/g;
/** CSV has no escapes, so a cell that needs them begins with `'\`. */
const escapedCell = /^'+\\(?=[^]*\\u)[^\\]*(?:(?:\\\\|\\u[0-9a-f]{4})[^\\]*)*$/;

/** The text of a CSV cell before it is quoted. */
export function csvCell(text: string, options: CellOptions = {}): string {
  const plain = text.replaceAll('\\', '\\\\');
  const escaped = unicodeEscaped(plain.replace(innerFormula, unicodeEscape), options);
  if (escaped !== plain) return `'\\${escaped}`;
  return formula.test(text) || escapedCell.test(text) ? `'${text}` : text;
}

export function unescapeCsv(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  if (cell[1] === '\\' && escapedCell.test(cell)) return unescapeTsv(cell.slice(2));
  return formula.test(cell) || escapedCell.test(cell) ? cell.slice(1) : cell;
}
