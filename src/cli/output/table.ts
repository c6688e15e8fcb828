import { fit, fits, gap } from './fit.ts';
import type { Fitted, Measured } from './fit.ts';
import type { Row } from './rows.ts';
import { cell, columnsOf, valueAt } from './rows.ts';
import { safeLine } from './safe-text.ts';
import { shortTime } from './times.ts';
import type { Ui } from './ui.ts';
import { endOf, startOf, widthOf } from './width.ts';

export interface TableOptions {
  readonly header: boolean;
  readonly columns?: readonly string[] | undefined;
}

type Cells = readonly (readonly string[])[];

/** The library cuts and measures a text over and over: longer ones take it minutes. */
const longest = 1_000;

// Laying out costs a fifth of a millisecond a row: rows leave in parts, so that the first are there at once.
const part = 200;

/** An aligned table in parts, or lines for one row that does not fit. It ends with the columns that were left out. */
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
  if (rows.length === 1 && options.header && !fits(columns, width)) {
    yield* columns.map(({ name, at }) => `${ui.color.bold(`${safeLine(name)}:`)} ${cells[0]?.[at] || 'none'}\n`);
    return [];
  }
  const { columns: kept, leftOut } = fit(columns, width);
  const layout = await layouter(kept);
  if (options.header)
    yield `${ui.color.bold(layout([kept.map((column) => startOf(safeLine(column.name), column.width))]).trimEnd())}\n`;
  for (let at = 0; at < cells.length; at += part) {
    yield layout(cells.slice(at, at + part).map((line) => kept.map((column) => cut(line[column.at] ?? '', column))));
  }
  return leftOut;
}

/** Only a terminal, whose user sees the clock on the wall, gets times in another form. */
function shown(value: unknown, { terminal, now }: Ui): string {
  const text = safeLine(cell(value));
  return terminal ? shortTime(text, now()) : text;
}

interface Place {
  readonly name: string;
  readonly at: number;
  readonly header: boolean;
  /** How much of a text is measured: one that is wider is cut. */
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

function isId(text: string): boolean {
  return /^[a-z]+_\w{2,}$/.test(text);
}

function cut(text: string, { width }: Fitted['columns'][number]): string {
  return isId(text) ? endOf(text, width) : startOf(text, width);
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
    return `${made.toString().replaceAll(spacesAtEnd, '')}\n`;
  };
}

function aligned(lines: Cells, columns: Fitted['columns']): string {
  const padded = (text: string, width = 0) => text + ' '.repeat(Math.max(0, width + gap - widthOf(text)));
  const line = (cells: readonly string[]) => cells.map((text, at) => padded(text, columns[at]?.width)).join('');
  return lines.map((cells) => `${line(cells).replaceAll(spacesAtEnd, '')}\n`).join('');
}

/** Looked for from the first space of each run alone: from every one, long runs inside a line would take minutes. */
const spacesAtEnd = /(?<! ) +$/gm;

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
