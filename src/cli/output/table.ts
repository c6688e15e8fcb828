import Table from 'cli-table3';
import { shortTime } from './figures.ts';
import { cell, columnsOf, type Row, valueAt } from './rows.ts';
import { safeLine, startOf, widthOf } from './text.ts';
import type { Ui } from './ui.ts';

export interface TableOptions {
  readonly ui: Ui;
  /** The chosen columns. */
  readonly columns: readonly string[] | undefined;
  /** The first columns on a terminal. */
  readonly first?: readonly string[] | undefined;
  readonly header: boolean;
}

/** The columns of a table. They are the same for all its pages. */
export interface Layout {
  readonly columns: readonly (Column & { readonly width: number })[];
  /** Columns for which the terminal is too narrow. */
  readonly leftOut: readonly string[];
}

interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  /** Lists and objects need room, and are left out first. */
  readonly isBulky: boolean;
  /** The width of the widest cell; 0 if all are empty. */
  readonly cells: number;
  /** The widths without and with cut texts. */
  readonly natural: number;
  readonly least: number;
}

/** The least widths of headers and texts. Ids, phones and short cells are never cut. */
const [head, text] = [8, 12];
const [short, longest] = [22, 100];
/** Spaces between columns. */
const gap = 2;

export function layoutOf(rows: readonly Row[], { ui, columns, first = [], header }: TableOptions): Layout {
  const names = columnsOf(rows);
  const wanted = ui.terminal ? [...first.filter((name) => names.includes(name)), ...names] : names;
  const all = (columns ?? [...new Set(wanted)]).map((name) => measured(name, rows, { ui, header, first }));
  const kept = fitting(all, ui.width);
  let spare = ui.width - total(kept.map(({ least }) => least));
  const widened = kept.map((column) => {
    const more = Math.max(0, Math.min(column.natural - column.least, spare));
    spare -= more;
    return { ...column, width: column.least + more };
  });
  const leftOut = all.filter((column) => column.cells > 0 && !kept.includes(column)).map(({ name }) => name);
  return { columns: widened, leftOut };
}

type Measuring = Pick<TableOptions, 'ui' | 'header'> & { readonly first: readonly string[] };

function measured(column: string, rows: readonly Row[], { ui, header, first }: Measuring): Column {
  const values = rows.map((row) => valueAt(row, column)).filter((value) => value !== undefined && value !== null);
  const cells = values.reduce<number>((widest, value) => Math.max(widest, widthOf(shown(value, ui))), 0);
  const title = header ? widthOf(safeLine(column)) : 0;
  // The width to which the cells are never cut.
  const uncut = cells <= short || identity.test(column) ? longest : text;
  return {
    name: column,
    cells,
    isNumber: !identity.test(column) && values.length > 0 && values.every(isNumber),
    isBulky: values.some((value) => typeof value === 'object'),
    natural: Math.max(cells, title, 1),
    least: Math.max(Math.min(cells, uncut), first.includes(column) ? title : Math.min(title, head), 1),
  };
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

const identity = /(?:^|_)(?:id|phone|to|from)$/;

/** Leaves out empty columns, then bulky ones, then those at the right, until the rest fits; at least one stays. */
function fitting(all: readonly Column[], width: number): readonly Column[] {
  if (total(all.map(({ natural }) => natural)) <= width) return all;
  const filled = all.filter(({ cells }) => cells > 0);
  const order = [...filled.filter(({ isBulky }) => !isBulky), ...filled.filter(({ isBulky }) => isBulky)];
  while (order.length > 1 && total(order.map(({ least }) => least)) > width) order.pop();
  return filled.filter((column) => order.includes(column));
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + gap, -gap);
}

/** A value as a cell; a terminal shows times for people. */
function shown(value: unknown, { terminal, now }: Ui): string {
  const text = safeLine(cell(value));
  return terminal ? shortTime(text, now()) : text;
}

export function headerOf({ columns }: Layout, { color }: Ui): string {
  return color.bold(drawn([columns.map(({ name, width }) => startOf(safeLine(name), width))], columns));
}

/** A page of the table: cli-table3 takes quadratic time for long ones. */
export function pageOf(rows: readonly Row[], { columns }: Layout, ui: Ui): string {
  const cells = (row: Row) => columns.map(({ name, width }) => startOf(shown(valueAt(row, name), ui), width));
  return drawn(rows.map(cells), columns);
}

function drawn(rows: readonly (readonly string[])[], columns: Layout['columns']): string {
  const originals: string[] = [];
  // cli-table3 measures by an old version of Unicode, so it gets placeholders with the right width.
  const placeholder = (text: string) => {
    if (/^[ -~]*$/.test(text)) return text;
    originals.push(text);
    return '\ue000'.padEnd(widthOf(text), '\ue001');
  };
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': gap },
    colWidths: columns.map(({ width }) => width + gap),
    colAligns: columns.map(({ isNumber }) => (isNumber ? 'right' : 'left')),
  });
  for (const row of rows) table.push(row.map(placeholder));
  const lines = table.toString().split('\n');
  const made = lines.map((line) => `${line.trimEnd()}\n`).join('');
  return made.replace(/\ue000\ue001*/g, () => originals.shift() ?? '');
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const noLines = Object.fromEntries(borders.split(' ').map((name) => [name, '']));
