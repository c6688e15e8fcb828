import { createWriteStream } from 'node:fs';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CliError, fsError, usage } from '../../base/errors.ts';
import { shownNumber } from './cell-number.ts';
import { recordText } from './csv.ts';
import {
  type Attributes,
  checkText,
  type Handlers,
  local,
  openParts,
  type Parts,
  read,
  reading,
  tooLarge,
} from './office-parts.ts';
import { quoted } from './row.ts';

interface SheetOptions {
  /** Its name in messages. */
  readonly name: string;
  /** The name of the sheet; default: the first one that is visible. */
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
}

export interface UnpackedSheet {
  /** The lines of the copy that continue a row, because a cell has several lines. */
  readonly continued: readonly number[];
  /** The number of rows that a person does not see, for example because of a filter. */
  readonly hidden: number;
}

/** Bytes of a part that is kept in memory, and characters of the copy. */
const [mostKept, mostCopied] = [1 << 28, 1 << 29];
const mostRows = 1_048_576;
/** Up to column ALL. A cell far to the right would make each row as wide. */
const mostColumns = 1_000;

/**
 * Copies a sheet of an Excel workbook to a CSV file with mode 0600, each cell as a person sees it and each row on the
 * line with its number. The size is limited, since a small file can unpack to any size.
 */
export async function copySheet(path: string, to: string, options: SheetOptions): Promise<UnpackedSheet> {
  const { name, signal } = options;
  let parts: Parts | undefined;
  const [continued, counts]: [number[], { hidden: number }] = [[], { hidden: 0 }];
  try {
    parts = await openParts(path, name);
    const book = await openBook(parts);
    const rows = csvOf(book, sheetIn(book, options), { continued, counts });
    await pipeline(rows, createWriteStream(to, { flags: 'wx', mode: 0o600 }), { signal });
    return { continued, hidden: counts.hidden };
  } catch (error) {
    if (error instanceof CliError || !(error instanceof Error) || signal.aborted) throw error;
    const fault = fsError(error)?.code ?? '';
    // The error of a failed write does not name its file.
    if (/^E[A-Z]/.test(fault)) throw Object.assign(error, { path: to });
    throw damaged(name, error.message.split('\n')[0] ?? '', error);
  } finally {
    parts?.zip.close();
  }
}

interface Book extends Parts {
  /** The sheets in their order, with the paths of their parts. */
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** The number format of each style. */
  readonly formats: readonly (string | number)[];
  readonly since1904: boolean;
}

interface Sheet {
  readonly title: string;
  readonly path: string;
  readonly isHidden: boolean;
}

async function openBook(parts: Parts): Promise<Book> {
  const main = (await linksOf(parts, '')).find(({ type }) => type === 'officeDocument')?.path;
  if (main === undefined || !main.endsWith('.xml'))
    throw usage(`"${parts.name}" is a zip archive without an Excel workbook`, saveHint);
  const links = await linksOf(parts, main);
  const pathOf = (type: string) => links.find((link) => link.type === type)?.path ?? '';
  let since1904 = false;
  const sheets: Sheet[] = [];
  await read(parts, main, {
    open(tag, attributes) {
      if (tag === 'workbookPr') since1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (tag !== 'sheet') return;
      const [, target] = Object.entries(attributes).find(([key]) => local(key) === 'id') ?? [];
      const link = links.find(({ id }) => id === target);
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      if (link?.type === 'worksheet') sheets.push({ title: attributes['name'] ?? '', path: link.path, isHidden });
    },
  });
  const strings = await stringsIn(parts, pathOf('sharedStrings'));
  return { ...parts, sheets, strings, formats: await formatsIn(parts, pathOf('styles')), since1904 };
}

function sheetIn({ name, sheets }: Book, { sheet }: SheetOptions): Sheet {
  const titled = (text: string) => sheets.find(({ title }) => title.toLowerCase() === text.toLowerCase());
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0];
  const found = sheet === undefined ? first : titled(sheet);
  if (found) return found;
  if (sheet === undefined) throw usage(`"${name}" has no sheet with rows`, saveHint);
  const titles = sheets.map(({ title }) => quoted(title)).join(', ');
  throw usage(`"${name}" has no sheet ${quoted(sheet)}`, `--sheet names one of its sheets: ${titles}`);
}

interface Link {
  readonly id: string;
  readonly type: string;
  readonly path: string;
}

/** The parts that a part refers to. */
async function linksOf(book: Parts, part: string): Promise<readonly Link[]> {
  const links: Link[] = [];
  const folder = posix.dirname(part);
  await read(book, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    open(tag, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (tag === 'Relationship')
        links.push({ id, type: posix.basename(type), path: posix.resolve('/', folder, target).slice(1) });
    },
  });
  return links;
}

async function stringsIn(book: Parts, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let text = '';
  let isPhonetic = false;
  await read(book, part, {
    most: mostKept,
    open(tag) {
      if (tag === 'si') text = '';
      if (tag === 'rPh') isPhonetic = true;
    },
    close(tag, content) {
      if (tag === 'rPh') isPhonetic = false;
      if (tag === 't' && !isPhonetic) checkText((text += content));
      if (tag === 'si') strings.push(unescaped(text));
    },
  });
  return strings;
}

async function formatsIn(book: Parts, part: string): Promise<readonly (string | number)[]> {
  const codes = new Map<string, string>();
  const formats: (string | number)[] = [];
  let isCellStyle = false;
  await read(book, part, {
    most: mostKept,
    open(tag, { numFmtId = '0', formatCode = '' }) {
      if (tag === 'numFmt') codes.set(numFmtId, formatCode);
      if (tag === 'cellXfs') isCellStyle = true;
      if (tag === 'xf' && isCellStyle) formats.push(codes.get(numFmtId) ?? Number(numFmtId));
    },
    close(tag) {
      if (tag === 'cellXfs') isCellStyle = false;
    },
  });
  return formats;
}

interface Found {
  readonly continued: number[];
  readonly counts: { hidden: number };
}

/** Yields the rows of a sheet as CSV, with an empty line for each row that is missing. */
async function* csvOf(book: Book, { path }: Sheet, { continued, counts }: Found): AsyncGenerator<string> {
  let [out, written, row, line, width, column] = ['\ufeff', 0, 0, 0, 0, 0];
  let [text, isHidden, hasFormula, hasValue] = ['', false, false, false];
  let cells: string[] = [];
  let cell: Attributes = {};
  const handlers: Handlers = {
    open(tag, attributes) {
      if (tag === 'row') startRow(attributes);
      if (tag === 'c') startCell(attributes);
      if (tag === 'f') hasFormula = true;
    },
    close(tag, content) {
      if (tag === 'v') hasValue = true;
      if (tag === 'v' || tag === 't') checkText((text += content));
      if (tag === 'c') endCell();
      if (tag === 'row') endRow();
    },
  };
  for await (const _ of reading(book, path, handlers)) {
    yield out;
    out = '';
  }

  function startRow({ r, hidden }: Attributes): void {
    const next = r === undefined ? row + 1 : Number(r);
    if (!(next > row && next <= mostRows)) throw new Error(`row ${r} follows row ${row}`);
    while (row < next - 1) endLine('');
    [cells, column, isHidden] = [[], 0, /^(?:1|true)$/.test(hidden ?? '')];
  }

  function startCell(attributes: Attributes): void {
    [cell, text, hasFormula, hasValue] = [attributes, '', false, false];
    const letters = /^[A-Z]{1,3}/.exec(attributes['r'] ?? '')?.[0];
    if (letters) column = Buffer.from(letters).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1;
  }

  function endCell(): void {
    const shown = shownIn();
    if (shown !== '') {
      if (column >= mostColumns) throw tooWide(book.name, cell['r'] ?? `in row ${row + 1}`);
      while (cells.length < column) cells.push('');
      cells[column] = shown;
    }
    column += 1;
  }

  function shownIn(): string {
    const { t: type = 'n', s: style = '0', r: at = `in row ${row + 1}` } = cell;
    if (hasFormula && text === '' && !(hasValue && type === 'str')) throw uncalculated(book.name, at);
    if (type === 's') return book.strings[Number(text)] ?? '';
    if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
    if (type === 'd') return text.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    if (type !== 'n') return unescaped(text);
    const format = book.formats[Number(style)] ?? 0;
    return text === '' ? '' : shownNumber(Number(text), format, book.since1904);
  }

  function endRow(): void {
    if (cells.length > 0 && isHidden) counts.hidden += 1;
    width ||= cells.length;
    // The reader wants as many cells in each row as the header has.
    while (cells.length > 0 && cells.length < width) cells.push('');
    endLine(recordText(cells, { delimiter: ',' }));
  }

  function endLine(csv: string): void {
    row += 1;
    line += 1;
    out += `${csv}\n`;
    written += csv.length + 1;
    if (written > mostCopied) throw tooLarge(book.name, mostCopied);
    const breaks = csv.match(/\r\n|\r|\n/g)?.length ?? 0;
    for (let at = 0; at < breaks; at++) continued.push((line += 1));
  }
}

/** Excel writes a control character as _x000D_. */
function unescaped(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text;
}

const saveHint = 'save the sheet as .xlsx, or as CSV (UTF-8)';

function damaged(name: string, why: string, cause: unknown): CliError {
  return new CliError('usage', 'usage', `"${name}" cannot be read as a workbook: ${why}`, { hint: saveHint, cause });
}

function tooWide(name: string, at: string): CliError {
  return usage(
    `"${name}" has a value in cell ${at}, and only the first ${mostColumns} columns are read`,
    'delete what is beyond column ALL, or save the columns that you need as CSV (UTF-8)',
  );
}

function uncalculated(name: string, at: string): CliError {
  return usage(
    `"${name}" has a formula without a result in cell ${at}`,
    'open it in a spreadsheet and save it, so that its formulas are calculated',
  );
}
