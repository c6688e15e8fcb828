import { usage } from '../../base/errors.ts';
import { quoted } from '../quoted.ts';
import type { Cells } from './csv.ts';
import { type Handlers, readingPart, requireAtMost } from './office-parts.ts';
import type { Request } from './request.ts';
import { openWorkbook, type Sheet, unescaped, type Workbook } from './workbook.ts';

/** Up to column ALL. A cell far to the right would make each row as wide. */
const mostColumns = 1_000;
/** Characters of all rows, since a small sheet can repeat a large text. */
const mostText = 1 << 29;

interface Cell {
  readonly column: number;
  readonly at: string;
  readonly type: string;
  readonly style: string;
  text: string;
  /** Whether the result of its formula is missing. */
  isUncalculated: boolean;
}

/** Opens the sheet of this title, or the first one that is visible; returns its rows. */
export async function openSheet(bytes: Buffer, request: Request): Promise<AsyncGenerator<readonly Cells[]>> {
  const { name, sheet: asked } = request;
  const workbook = await openWorkbook(bytes, request);
  const { sheets } = workbook;
  const isAsked = ({ title, isHidden }: Sheet) =>
    asked !== undefined ? title.toLowerCase() === asked.toLowerCase() : !isHidden;
  const sheet = sheets.find(isAsked) ?? (asked === undefined ? sheets[0] : undefined);
  if (!sheet) {
    const titles = sheets.map(({ title }) => quoted(title)).join(', ');
    throw usage(
      `"${name}" has no sheet ${asked === undefined ? '' : quoted(asked)}`,
      `--sheet names one of its sheets: ${titles}`,
    );
  }
  // A person may expect that all sheets are read.
  const others = sheets.filter((other) => other !== sheet && !other.isHidden).map(({ title }) => quoted(title));
  if (asked === undefined && others.length > 0)
    request.note(
      'sheets',
      `only the sheet ${quoted(sheet.title)} is read; --sheet reads another: ${others.join(', ')}`,
    );
  return rowsOf(workbook, sheet, request);
}

/** Yields the rows of a sheet, each cell as a person sees it. */
async function* rowsOf(workbook: Workbook, { path }: Sheet, { note }: Request) {
  let rows: Cells[] = [];
  let row = { line: 0, cells: [''], isHidden: false };
  let cell: Cell = { column: -1, at: '', type: '', style: '', text: '', isUncalculated: false };
  let [hidden, width, size] = [0, 0, 0];
  const handlers: Handlers = {
    open: {
      row({ r, hidden = '' }) {
        row = { line: r === undefined ? row.line + 1 : Number(r), cells: [], isHidden: /^(?:1|true)$/.test(hidden) };
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
        const text = shownText(cell, workbook);
        if (text !== '') put(row.cells, cell, text);
        size += text.length;
        requireAtMost(mostText, size);
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
  for await (const _ of readingPart(workbook.parts, path, handlers)) {
    yield rows;
    rows = [];
  }
  if (hidden > 0) note('hidden', `hidden rows of the sheet, which are read like the others: ${hidden}`);
}

/** The index of the column in C2; -1 without a reference. */
function columnOf(at: string): number {
  const letters = /^[A-Z]{1,3}/.exec(at)?.[0] ?? '';
  return Buffer.from(letters).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1;
}

function put(cells: string[], { column, at }: Cell, text: string): void {
  if (column >= mostColumns) throw new Error(`cell ${at} has a value, and only ${mostColumns} columns are read`);
  while (cells.length < column) cells.push('');
  cells[column] = text;
}

function shownText({ type, style, text, isUncalculated, at }: Cell, { strings, shown }: Workbook): string {
  if (isUncalculated) throw new Error(`cell ${at} has a formula without a result`);
  if (type === 's') return strings[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type === 'd') return text.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  if (type !== 'n') return unescaped(text);
  return text === '' ? '' : shown(Number(text), Number(style));
}
