import type { Cells } from './csv.ts';
import { type Attributes, readingPart, requireAtMost } from './office-parts.ts';
import { isTrue, type Sheet, unescaped, type Workbook } from './workbook.ts';

/** Up to column ALL. A cell far to the right would make each row as wide. */
const mostColumns = 1_000;
/** Characters of all rows, since a small sheet can repeat a large text. */
const mostText = 1 << 29;

/** Yields the rows of a sheet, each cell as a person sees it; `onEnd` gets the number of hidden rows. */
export async function* sheetRows(
  workbook: Workbook,
  { path }: Sheet,
  onEnd: (hidden: number) => void,
): AsyncGenerator<readonly Cells[]> {
  const reader = new SheetReader(workbook);
  for await (const _ of readingPart(workbook.parts, path, reader)) yield reader.rows.splice(0);
  onEnd(reader.hidden);
}

/** Collects the rows. */
class SheetReader {
  readonly rows: Cells[] = [];
  hidden = 0;
  private readonly workbook: Workbook;
  private row = { line: 0, cells: [''], isHidden: false };
  private cell = { column: 0, at: '', type: 'n', style: '0', text: '', hasFormula: false, hasValue: false };
  private width = 0;
  private size = 0;

  constructor(workbook: Workbook) {
    this.workbook = workbook;
  }

  readonly open = {
    row: ({ r, hidden = '' }: Attributes) => {
      this.row = { line: r === undefined ? this.row.line + 1 : Number(r), cells: [], isHidden: isTrue(hidden) };
      this.cell.column = -1;
    },
    c: ({ r = '', t: type = 'n', s: style = '0' }: Attributes) => {
      const letters = /^[A-Z]{1,3}/.exec(r)?.[0];
      const column = letters === undefined ? this.cell.column + 1 : columnOf(letters);
      this.cell = { column, at: r, type, style, text: '', hasFormula: false, hasValue: false };
    },
    f: () => (this.cell.hasFormula = true),
  };

  readonly close = {
    v: (text: string) => {
      this.cell.hasValue = true;
      this.cell.text += text;
    },
    t: (text: string) => (this.cell.text += text),
    c: () => this.endCell(),
    row: () => this.endRow(),
  };

  private endCell(): void {
    const shown = this.shown();
    if (shown === '') return;
    const { column, at } = this.cell;
    const { cells } = this.row;
    if (column >= mostColumns) throw new Error(`cell ${at} has a value, and only ${mostColumns} columns are read`);
    while (cells.length < column) cells.push('');
    cells[column] = shown;
    this.size += shown.length;
  }

  private shown(): string {
    const { type, style, text, hasFormula, hasValue, at } = this.cell;
    const isText = type === 'str' && hasValue;
    if (hasFormula && text === '' && !isText) throw new Error(`cell ${at} has a formula without a result`);
    if (type === 's') return this.workbook.strings[Number(text)] ?? '';
    if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
    if (type === 'd') return text.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    if (type !== 'n') return unescaped(text);
    return text === '' ? '' : this.workbook.shown(Number(text), Number(style));
  }

  private endRow(): void {
    const { line, cells, isHidden } = this.row;
    if (cells.length === 0) return;
    if (isHidden) this.hidden += 1;
    requireAtMost(mostText, this.size);
    this.width ||= cells.length;
    // Empty cells at the end of a row are not in the file.
    while (cells.length < this.width) cells.push('');
    this.rows.push({ line, cells });
  }
}

function columnOf(letters: string): number {
  return Buffer.from(letters).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1;
}

/** The number of rows with a value. */
export async function countRows({ parts }: Workbook, { path }: Sheet): Promise<number> {
  let count = 0;
  let isFilled = false;
  const fill = (text: string) => (isFilled ||= text !== '');
  const open = { row: () => (isFilled = false) };
  const close = { v: fill, t: fill, row: () => (count += isFilled ? 1 : 0) };
  for await (const _ of readingPart(parts, path, { open, close }));
  return count;
}
