import { CsvError, Parser } from 'csv-parse';
import { type CliError, usage } from '../../base/errors.ts';
import { isRecord } from '../../contract/readers.ts';

/** The cells of a row of a table. */
export interface Cells {
  /** The line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly problem?: string | undefined;
}

/** Reads CSV and TSV; yields the rows of each piece of text. Quotes inside a cell are kept, as spreadsheets do. */
export async function* csvRows(
  texts: AsyncIterable<string>,
  separator: string,
  name: string,
): AsyncGenerator<readonly Cells[]> {
  let rows: Cells[] = [];
  let line = 1;
  const take = (cells: readonly string[], raw = '') => {
    rows.push({ line, cells, problem: quoteProblem(cells, raw, line, name) });
    // The parser counts a CRLF in quotes as two lines.
    line += 1 + cells.reduce((sum, cell) => sum + breaksIn(cell), 0);
    return null;
  };
  const parser = new Parser({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    raw: true,
    max_record_size: 1 << 20,
    // With `raw`, it is not the array that the types promise.
    on_record: (record: unknown, { raw }) => take(cellsIn(record), raw),
  });
  const done = (write: (end: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      write((error) => (error ? reject(csvError(error, line, name)) : resolve()));
    });
  // `done` passes errors on.
  parser.on('error', () => {});
  for await (const text of texts) {
    await done((end) => parser.write(text, end));
    yield rows;
    rows = [];
  }
  await done((end) => parser.end(end));
  yield rows;
}

function cellsIn(record: unknown): readonly string[] {
  return isRecord(record) && Array.isArray(record['record']) ? record['record'].map(String) : [];
}

function csvError(error: Error, line: number, name: string): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return usage(`line ${line} of "${name}" is longer than 1 MB`, 'is a quote not closed there?');
  if (error.code !== 'CSV_QUOTE_NOT_CLOSED') return error;
  const raw = String(error['raw']);
  return unclosed(line + breaksIn(raw.slice(0, openedAt(raw))), name);
}

/** Finds the quote that is not closed; quotes after it are doubled. */
function openedAt(raw: string): number {
  let at = raw.lastIndexOf('"');
  while (at > 0 && raw[at - 1] === '"') at = raw.lastIndexOf('"', at - 2);
  return at;
}

/** Finds a cell that begins with a quote but is not quoted as a whole. */
function quoteProblem(cells: readonly string[], raw: string, line: number, name: string): string | undefined {
  const at = cells.findIndex((cell) => cell.startsWith('"') && !raw.includes(`"${cell.replaceAll('"', '""')}"`));
  if (at === -1) return undefined;
  const opened = line + breaksIn(cells.slice(0, at).join());
  if (breaksIn(cells[at] ?? '') > 0) throw unclosed(opened, name);
  return `misplaced quote on line ${opened}: quote the whole cell, and double the quotes in it`;
}

function unclosed(line: number, name: string): CliError {
  return usage(`a quote is opened on line ${line} of "${name}" and not closed`, 'nothing was read; close it');
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
