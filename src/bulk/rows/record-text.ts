import { tsvCell, undoCsv } from '../../cell-escapes.ts';
import type { RecordOptions } from './records.ts';

/** A record of a table as its file has them. Any delimiter is quoted, so that the right one is found when it is read. */
export function recordText(
  cells: readonly string[],
  { delimiter, escaped }: Pick<RecordOptions, 'delimiter' | 'escaped'>,
): string {
  if (delimiter !== '\t') return cells.map((cell) => quoted(guarded(cell))).join(delimiter);
  return cells.map(escaped ? (cell) => tsvCell(cell) : quoted).join(delimiter);
}

/** A cell that a reader would change gets the apostrophe that is taken off again. */
function guarded(cell: string): string {
  return undoCsv(cell) === cell ? cell : `'${cell}`;
}

/** A backslash is quoted too: in a file with quoted cells it stands for itself. */
function quoted(cell: string): string {
  return /[",;\t|\r\n\\]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
