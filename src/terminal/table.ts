import { fit, fits, gap } from './fit.ts';
import type { Fitted, Measured } from './fit.ts';
import type { Row } from './rows.ts';
import { cell, columnsOf, valueAt } from './rows.ts';
import { safeLine } from './safe-text.ts';
import { shortTime } from './times.ts';
import type { Ui } from './ui.ts';
import { endOf, widthOf } from './width.ts';

export interface TableOptions {
  readonly header: boolean;
  readonly columns?: readonly string[] | undefined;
}

type Cells = readonly (readonly string[])[];

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
  const columns = names.map((name, at) => measured({ name, at, header: options.header }, cells));
  const width = ui.terminal ? ui.width : Infinity;
  if (rows.length === 1 && options.header && !fits(columns, width)) {
    yield* columns.map(({ name, at }) => `${ui.color.bold(`${safeLine(name)}:`)} ${cells[0]?.[at] || 'none'}\n`);
    return [];
  }
  const { columns: kept, leftOut } = fit(columns, width);
  const layout = await layouter(kept);
  if (options.header) yield `${ui.color.bold(layout([kept.map(({ name }) => safeLine(name))]).trimEnd())}\n`;
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
}

function measured({ name, at, header }: Place, cells: Cells): Measured {
  const texts = cells.flatMap((line) => line[at] || []);
  return {
    name,
    at,
    header: header ? widthOf(safeLine(name)) : 0,
    cells: texts.reduce((widest, text) => Math.max(widest, widthOf(text)), 0),
    isId: texts.every(isId),
  };
}

function isId(text: string): boolean {
  return /^[a-z]+_\w{2,}$/.test(text);
}

/** The layout cuts what is no id at its end. */
function cut(text: string, { width }: Fitted['columns'][number]): string {
  return isId(text) ? endOf(text, width) : text;
}

async function layouter(columns: Fitted['columns']): Promise<(lines: Cells) => string> {
  const { default: Table } = await import('cli-table3');
  return (lines) => {
    const made = new Table({
      chars: noLines,
      style: { 'padding-left': 0, 'padding-right': gap },
      colWidths: columns.map(({ width }) => width + gap),
    });
    made.push(...lines.map((line) => [...line]));
    return `${made.toString().replaceAll(/ +$/gm, '')}\n`;
  };
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
