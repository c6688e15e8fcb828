import { columnsOf, type Row } from './output/rows.ts';
import { table } from './output/table.ts';
import type { Ui } from './output/ui.ts';

/** What tables need that other forms do not. */
export interface TablePrinting {
  readonly note: (code: string, message: string) => void;
  /** The columns that a terminal shows first. */
  readonly first?: readonly string[] | undefined;
}

interface Options extends TablePrinting {
  readonly ui: Ui;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly write: (text: string) => Promise<void>;
}

/** Prints an aligned table, and says what of it a terminal has no room for. */
export async function printTable(rows: readonly Row[], options: Options): Promise<void> {
  const { ui, columns, first = [], header, write, note } = options;
  const known = columnsOf(rows);
  const inOrder = ui.terminal ? [...first.filter((name) => known.includes(name)), ...known] : known;
  const parts = table(rows, ui, { header, columns: columns ?? [...new Set(inOrder)] });
  let step = await parts.next();
  for (; !step.done; step = await parts.next()) await write(step.value);
  const left = step.value;
  if (left.length === 0) return;
  const names = left.length === 1 ? `the column ${left[0]}` : `the columns ${listed(left)}`;
  note('left-out', `the terminal is too narrow for ${names}; --columns chooses some, -o json shows all`);
}

const mostNamed = 50;

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ');
}
