import type { Row } from './rows.ts';
import { cell, columnsOf, valueAt } from './rows.ts';
import { safeLine } from './safe-text.ts';
import type { Ui } from './ui.ts';

export interface TableOptions {
  readonly header: boolean;
  readonly columns?: readonly string[] | undefined;
}

// Laying out costs a fifth of a millisecond a row: rows leave in parts, so that the first are there at once.
const part = 200;
const between = 2;

/** An aligned table in parts, each cell on one line and cut to what the width allows. */
export async function* table(rows: readonly Row[], ui: Ui, options: TableOptions): AsyncGenerator<string> {
  const { default: Table } = await import('cli-table3');
  const columns = options.columns ?? columnsOf(rows);
  const lines = rows.map((row) => columns.map((column) => safeLine(cell(valueAt(row, column)))));
  const header = columns.map((column) => safeLine(column));
  const widths = fitted(naturalWidths([...(options.header ? [header] : []), ...lines]), ui.width);
  const layout = (cells: readonly string[][]) => {
    const made = new Table({
      chars: noLines,
      style: { 'padding-left': 0, 'padding-right': between },
      colWidths: widths.map((width) => width + between),
    });
    made.push(...cells);
    return made.toString().replaceAll(/ +$/gm, '') + '\n';
  };
  if (options.header) yield ui.color.bold(layout([header]).trimEnd()) + '\n';
  for (let at = 0; at < lines.length; at += part) yield layout(lines.slice(at, at + part));
}

/** The widest columns give way first, none below a readable remainder. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const least = 6;
  let excess = widths.reduce((sum, one) => sum + one + between, -between) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= least) break;
    widths[widths.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}

function naturalWidths(lines: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const line of lines)
    for (const [at, text] of line.entries()) widths[at] = Math.max(widths[at] ?? 1, widthOf(text));
  return widths;
}

// East Asian letters and emoji take two columns; where this says too much, a column is a little too wide.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/gu;

function widthOf(text: string): number {
  return text.length + (text.match(wide) ?? []).filter((letter) => letter.length === 1).length;
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
