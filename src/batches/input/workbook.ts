import { posix } from 'node:path';
import { format, getFormatFromId, isDateFormat, isValidFormat } from 'numfmt';
import { usage } from '../../base/errors.ts';
import type { Cells } from './csv.ts';
import { type Handlers, local, openParts, type Parts, readingPart, readPart, saveAs } from './office-parts.ts';
import { type Request, quoted } from './row.ts';

interface Sheet {
  readonly title: string;
  readonly path: string;
  readonly isHidden: boolean;
}

/** Texts and formats that the cells of all sheets refer to. */
interface Shared {
  readonly strings: readonly string[];
  /** A number as the style with this index shows it. */
  shown(value: number, style: number): string;
}

/** Opens the sheet of this title, or the first one that is visible; returns its rows. */
export async function openSheet(bytes: Buffer, request: Request): Promise<AsyncGenerator<readonly Cells[]>> {
  const parts = await openParts(bytes, request);
  if (!parts.entries.has('xl/workbook.xml'))
    throw usage(`"${request.name}" is a zip archive without an Excel workbook`, saveAs);
  const { sheets, since1904 } = await sheetsIn(parts);
  const sheet = chosenSheet(sheets, request);
  const shared = { strings: await stringsIn(parts), shown: await stylesIn(parts, since1904) };
  return rowsOf(parts, sheet, shared);
}

async function sheetsIn(parts: Parts) {
  const paths = new Map<string, string>();
  await readPart(parts, 'xl/_rels/workbook.xml.rels', {
    open: {
      Relationship({ Id: id = '', Type: type = '', Target: target = '' }) {
        if (type.endsWith('/worksheet')) paths.set(id, posix.resolve('/xl', target).slice(1));
      },
    },
  });
  let since1904 = false;
  const sheets: Sheet[] = [];
  await readPart(parts, 'xl/workbook.xml', {
    open: {
      workbookPr: ({ date1904 = '' }) => (since1904 = /^(?:1|true)$/.test(date1904)),
      sheet({ name: title = '', state = 'visible', ...others }) {
        const [, id = ''] = Object.entries(others).find(([key]) => local(key) === 'id') ?? [];
        const path = paths.get(id);
        if (path !== undefined) sheets.push({ title, path, isHidden: state !== 'visible' });
      },
    },
  });
  return { sheets, since1904 };
}

function chosenSheet(sheets: readonly Sheet[], { name, sheet: asked, note }: Request): Sheet {
  const titlesOf = (some: readonly Sheet[]) => some.map(({ title }) => quoted(title)).join(', ');
  const sheet =
    asked === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ title }) => title.toLowerCase() === asked.toLowerCase());
  if (!sheet)
    throw usage(
      `"${name}" has no sheet ${asked === undefined ? '' : quoted(asked)}`,
      `--sheet names one of its sheets: ${titlesOf(sheets)}`,
    );
  // A person may expect that all sheets are read.
  const others = sheets.filter((other) => other !== sheet && !other.isHidden);
  if (asked === undefined && others.length > 0)
    note('sheets', `only the sheet ${quoted(sheet.title)} is read; --sheet reads another: ${titlesOf(others)}`);
  return sheet;
}

async function stringsIn(parts: Parts): Promise<readonly string[]> {
  const strings: string[] = [];
  let [text, beforePronunciation] = ['', ''];
  await readPart(parts, 'xl/sharedStrings.xml', {
    open: { si: () => (text = ''), rPh: () => (beforePronunciation = text) },
    close: {
      t: (more) => (text += more),
      rPh: () => (text = beforePronunciation),
      si: () => strings.push(unescaped(text)),
    },
  });
  return strings;
}

async function stylesIn(parts: Parts, since1904: boolean): Promise<Shared['shown']> {
  const codes = new Map<string, string>();
  const styles: (string | number)[] = [];
  let isCellStyle = false;
  await readPart(parts, 'xl/styles.xml', {
    open: {
      numFmt: ({ numFmtId = '', formatCode = '' }) => codes.set(numFmtId, formatCode),
      cellXfs: () => (isCellStyle = true),
      xf: ({ numFmtId = '0' }) => isCellStyle && styles.push(codes.get(numFmtId) ?? Number(numFmtId)),
    },
    close: { cellXfs: () => (isCellStyle = false) },
  });
  // A format is parsed once, not for each cell.
  const formats = new Map<string | number, (value: number) => string>();
  return (value, at) => {
    const style = styles[at] ?? 0;
    const show = formats.get(style) ?? numberFormat(style, since1904);
    formats.set(style, show);
    return show(value);
  };
}

interface Cell {
  readonly column: number;
  readonly at: string;
  readonly type: string;
  readonly style: string;
  text: string;
  /** Whether the result of its formula is missing. */
  isUncalculated: boolean;
}

/** Yields the rows of a sheet, each cell as a person sees it. */
async function* rowsOf(parts: Parts, { path }: Sheet, shared: Shared): AsyncGenerator<readonly Cells[]> {
  let rows: Cells[] = [];
  let row = { line: 0, cells: [''], isHidden: false };
  let cell: Cell = { column: -1, at: '', type: '', style: '', text: '', isUncalculated: false };
  let [hidden, width] = [0, 0];
  const handlers: Handlers = {
    open: {
      row({ r, hidden: state = '' }) {
        row = { line: Number(r) || row.line + 1, cells: [], isHidden: /^(?:1|true)$/.test(state) };
        cell = { ...cell, column: -1 };
      },
      c({ r: at = '', t: type = 'n', s: style = '0' }) {
        const stated = columnOf(at);
        const column = stated === -1 ? cell.column + 1 : stated;
        cell = { column, at, type, style, text: '', isUncalculated: false };
      },
      f: () => (cell.isUncalculated = true),
    },
    close: {
      v(text) {
        cell.text += text;
        if (text !== '' || cell.type === 'str') cell.isUncalculated = false;
      },
      t: (text) => (cell.text += text),
      c() {
        const text = shownText(cell, shared);
        if (text === '') return;
        while (row.cells.length < cell.column) row.cells.push('');
        row.cells[cell.column] = text;
      },
      row() {
        const { line, cells, isHidden } = row;
        if (cells.length === 0) return;
        if (isHidden) hidden += 1;
        width ||= cells.length;
        // Empty cells at the end of a row are not in the file.
        while (cells.length < width) cells.push('');
        rows.push({ line, cells });
      },
    },
  };
  for await (const _ of readingPart(parts, path, handlers)) {
    yield rows;
    rows = [];
  }
  if (hidden > 0) parts.request.note('hidden', `hidden rows of the sheet, which are read like the others: ${hidden}`);
}

/** The index of the column in C2; -1 without a reference. */
function columnOf(at: string): number {
  const letters = /^[A-Z]{1,3}/.exec(at)?.[0] ?? '';
  return Buffer.from(letters).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1;
}

function shownText({ type, style, text, isUncalculated, at }: Cell, { strings, shown }: Shared): string {
  if (isUncalculated) throw new Error(`cell ${at} has a formula without a result`);
  if (type === 's') return strings[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type === 'd') return text.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  if (type !== 'n') return unescaped(text);
  return text === '' ? '' : shown(Number(text), Number(style));
}

/** Excel writes a control character as _x000D_. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Excel allows no longer one, and parsing it would take long. */
const longestFormat = 255;
/** Built-in formats that follow the country of the computer, which the file does not state. */
const ofCountry: Readonly<Record<number, string>> = { 14: 'yyyy-mm-dd', 22: 'yyyy-mm-dd hh:mm' };

/**
 * Returns how a spreadsheet shows numbers of a style: dates in their format, and digits with theirs. Long numbers are
 * never shown in scientific notation, so that a phone keeps its digits.
 */
function numberFormat(style: string | number, since1904: boolean): (value: number) => string {
  const code = typeof style === 'string' ? style : (ofCountry[style] ?? getFormatFromId(style) ?? 'General');
  if (/^(?:general|@|)$/i.test(code) || code.length > longestFormat || !isValidFormat(code)) return plain;
  const shift = since1904 ? 1_462 : 0;
  // The long forms of the computer's settings.
  if (/^\[\$-F[48]00\]/i.test(code))
    return (value) => format(value % 1 === 0 ? 'yyyy-mm-dd' : 'hh:mm:ss', value + shift);
  if (isDateFormat(code)) return (value) => format(code, value + shift).trim();
  const isScientific = /e[+-]/i.test(code);
  return (value) => (isScientific && Number.isInteger(value) ? plain(value) : format(code, value).trim());
}

/** All digits; a spreadsheet keeps 15. */
function plain(value: number): string {
  const text = String(Number(value.toPrecision(15)));
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1 ? String(BigInt(value)) : value.toFixed(20).replace(/0+$/, '');
}
