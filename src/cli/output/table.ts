import { cell, columnsOf, idColumn, type Row, valueAt } from './rows.ts';
import { endOf, safeLine, startOf, widthOf } from './text.ts';
import { shortTime } from './figures.ts';
import type { Ui } from './ui.ts';

/** Printer options only for tables. */
export interface TablePrinting {
  readonly note: (code: string, message: string) => void;
  /** The first columns on a terminal. */
  readonly first?: readonly string[] | undefined;
}

interface Options extends TablePrinting {
  readonly ui: Ui;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  /** A result that is no list. */
  readonly isRecord: boolean;
  readonly write: (text: string) => Promise<void>;
}

/** Prints an aligned table, and notes the columns that do not fit. */
export async function printTable(rows: readonly Row[], options: Options): Promise<void> {
  const { ui, columns, first = [], header, isRecord, write, note } = options;
  const known = columnsOf(rows);
  const inOrder = ui.terminal ? [...first.filter((name) => known.includes(name)), ...known] : known;
  // Lists and objects need room.
  const isBulky = (name: string) => !first.includes(name) && rows.some((row) => isObject(valueAt(row, name)));
  const bulky = ui.terminal && ui.width < roomy && !columns && !isRecord ? known.filter(isBulky) : [];
  const shownNames = columns ?? [...new Set(inOrder)].filter((name) => !bulky.includes(name));
  const parts = table(rows, ui, { header, isRecord, first, columns: shownNames });
  let step = await parts.next();
  for (; !step.done; step = await parts.next()) await write(step.value);
  const left = [...step.value, ...bulky];
  if (left.length === 0) return;
  const names = left.length === 1 ? `the column ${left[0]}` : `the columns ${listed(left)}`;
  note('left-out', `the terminal is too narrow for ${names}; --columns chooses some, -o json shows all`);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The width from which a terminal has room for JSON, and that below which ids are cut. */
const [roomy, narrow] = [120, 60];
const mostNamed = 50;

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ');
}

interface TableOptions {
  readonly header: boolean;
  readonly isRecord?: boolean;
  readonly columns?: readonly string[] | undefined;
  /** Columns for which others become narrower than usual. */
  readonly first?: readonly string[] | undefined;
}

type Cells = readonly (readonly string[])[];

/** cli-table3 measures a text many times: longer texts and more rows are laid out here, at the same widths. */
const longest = 1_000;
const page = 100;

/** Yields an aligned table in pages, or lines for a record that does not fit. Returns the omitted columns. */
export async function* table(
  rows: readonly Row[],
  ui: Ui,
  options: TableOptions,
): AsyncGenerator<string, readonly string[]> {
  const names = options.columns ?? columnsOf(rows);
  const cells = rows.map((row) => names.map((name) => shown(valueAt(row, name), ui)));
  const width = ui.terminal ? ui.width : Infinity;
  const columns = names.map((name, at) =>
    measured({ name, at, header: options.header, most: Math.max(width, longest) }, cells),
  );
  if (options.isRecord && options.header && !fits(columns, width)) {
    yield* columns.map(({ name, at }) => `${ui.color.bold(`${safeLine(name)}:`)} ${cells[0]?.[at] || 'none'}\n`);
    return [];
  }
  const { columns: kept, leftOut } = fit(columns, width, options.first);
  const layout = cells.length > page ? (lines: Cells) => aligned(lines, kept) : await layouter(kept);
  if (options.header)
    yield `${ui.color.bold(layout([kept.map((column) => startOf(safeLine(column.name), column.width))]).trimEnd())}\n`;
  for (let at = 0; at < cells.length; at += page) {
    yield layout(cells.slice(at, at + page).map((line) => kept.map((column) => cut(line[column.at] ?? '', column))));
  }
  return leftOut;
}

/** Formats times for people, only on a terminal. */
function shown(value: unknown, { terminal, now }: Ui): string {
  const text = safeLine(cell(value));
  return terminal ? shortTime(text, now()) : text;
}

interface Place {
  readonly name: string;
  readonly at: number;
  readonly header: boolean;
  /** The widest text that is measured; wider ones are cut. */
  readonly most: number;
}

function measured({ name, at, header, most }: Place, cells: Cells): Measured {
  const texts = cells.flatMap((line) => line[at] || []);
  return {
    name,
    at,
    header: header ? bounded(safeLine(name), most) : 0,
    cells: texts.reduce((widest, text) => Math.max(widest, bounded(text, most)), 0),
    isId: texts.every(isId),
  };
}

function bounded(text: string, most: number): number {
  return Math.min(widthOf(text, most), most + 1);
}

/** The name of a file is at the end of its path. */
function isPath(text: string): boolean {
  return /^(\/|[A-Z]:\\)\S*$/i.test(text);
}

function isId(text: string): boolean {
  return /^[a-z]+_\w{2,}$/.test(text);
}

function cut(text: string, { width }: Fitted['columns'][number]): string {
  return isId(text) || isPath(text) ? endOf(text, width) : startOf(text, width);
}

async function layouter(columns: Fitted['columns']): Promise<(lines: Cells) => string> {
  const { default: Table } = await import('cli-table3');
  return (lines) => {
    if (lines.some((line) => line.some((text) => text.length > longest))) return aligned(lines, columns);
    const made = new Table({
      chars: noLines,
      style: { 'padding-left': 0, 'padding-right': gap },
      colWidths: columns.map(({ width }) => width + gap),
    });
    for (const line of lines) made.push([...line]);
    return made
      .toString()
      .split('\n')
      .map((line) => `${withoutSpacesAtEnd(line)}\n`)
      .join('');
  };
}

function aligned(lines: Cells, columns: Fitted['columns']): string {
  const padded = (text: string, width = 0) => text + ' '.repeat(Math.max(0, width + gap - widthOf(text)));
  const line = (cells: readonly string[]) => cells.map((text, at) => padded(text, columns[at]?.width)).join('');
  return lines.map((cells) => `${withoutSpacesAtEnd(line(cells))}\n`).join('');
}

/** A regular expression would take quadratic time for long runs of spaces inside a line. */
function withoutSpacesAtEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

const noLines = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

/** The natural widths of a column. */
interface Measured {
  readonly name: string;
  /** Its index in the rows. */
  readonly at: number;
  readonly header: number;
  /** The widest cell; 0 if all are empty. */
  readonly cells: number;
  /** Whether the cells are ids, which differ at their ends. */
  readonly isId: boolean;
}

interface Fitted {
  readonly columns: readonly (Measured & { readonly width: number })[];
  /** Omitted columns that are not empty. */
  readonly leftOut: readonly string[];
}

/** Spaces between columns. */
const gap = 2;

// Cells up to `short`, such as event names and local addresses, are only cut if all first columns fit then. Headers, ids and texts keep at least these widths.
const [short, header, id, text] = [22, 8, 8, 9];

/**
 * Fits columns into a width: drops empty columns first, then shortens headers, then the widest cells, and an id only on a narrow terminal.
 * If the shortest widths do not fit, omits columns from the right.
 */
function fit(columns: readonly Measured[], width: number, first: readonly string[] = []): Fitted {
  const key = idColumn(columns.map(({ name }) => name));
  const filled = fits(columns, width) ? columns : columns.filter(({ cells }) => cells > 0);
  const keeping = (uncut: number, whole = key) => {
    const least = (column: Measured) => Math.max(Math.min(column.header, header), leastOf(column, whole, uncut));
    return { least, kept: fromTheLeft(filled, { least, width, key }) };
  };
  const ways = [keeping(short), keeping(text), ...(width < narrow ? [keeping(text, '')] : [])] as const;
  const wanted = filled.filter(({ name }) => first.includes(name));
  const hasAll = ({ kept }: (typeof ways)[0]) => wanted.every((column) => kept.includes(column));
  const { least, kept } = ways.find(hasAll) ?? ways[0];
  const bare = kept.map((column) => Math.max(column.cells, Math.min(column.header, header)));
  const widths = shrunk(shrunk(kept.map(natural), bare, width), kept.map(least), width);
  return {
    columns: kept.map((column, at) => ({ ...column, width: widths[at] ?? 1 })),
    leftOut: columns.filter((column) => column.cells > 0 && !kept.includes(column)).map(({ name }) => name),
  };
}

interface Room {
  readonly least: (column: Measured) => number;
  readonly width: number;
  readonly key: string | undefined;
}

/** The columns that fit with their smallest widths; always the id, and at least one column. */
function fromTheLeft(columns: readonly Measured[], { least, width, key }: Room): readonly Measured[] {
  let [taken, count] = [total(columns.map(least)), columns.length];
  const gone = new Set<Measured>();
  for (const column of columns.toReversed()) {
    if (count <= 1 || taken <= width) break;
    if (column.name === key) continue;
    gone.add(column);
    taken -= least(column) + gap;
    count -= 1;
  }
  return columns.filter((column) => !gone.has(column));
}

/** Whether all columns fit with their natural widths. */
function fits(columns: readonly Measured[], width: number): boolean {
  return total(columns.map(natural)) <= width;
}

function natural({ cells, header }: Measured): number {
  return Math.max(cells, header, 1);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + gap, -gap);
}

function leastOf({ name, cells, isId }: Measured, key: string | undefined, uncut: number): number {
  if (name === key) return cells;
  if (isId) return Math.min(cells, id);
  return cells <= uncut ? cells : text;
}

/** Shrinks the widest columns first, from the right, none below its floor. */
function shrunk(from: readonly number[], floors: readonly number[], width: number): readonly number[] {
  const excess = total(from) - width;
  if (excess <= 0) return from;
  const capped = (most: number) => from.map((one, at) => Math.max(Math.min(one, most), Math.min(one, floors[at] ?? 0)));
  // The lowest cap with a total that fills the width or exceeds it.
  let [low, high] = [0, widest(from)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (total(capped(middle)) < width) low = middle + 1;
    else high = middle;
  }
  const widths = [...capped(low)];
  let left = total(widths) - width;
  for (let at = widths.length - 1; at >= 0 && left > 0; at--) {
    if (widths[at] !== low || low <= (floors[at] ?? 0)) continue;
    widths[at] = low - 1;
    left -= 1;
  }
  return widths;
}

function widest(widths: readonly number[]): number {
  return widths.reduce((most, one) => Math.max(most, one), 0);
}
