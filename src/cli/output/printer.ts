import { type CellOptions, unicodeEscaped } from '../../base/cell-escapes.ts';
import { usage } from '../../base/errors.ts';
import type { Output } from '../../base/host.ts';
import { jsonText } from '../../base/json.ts';
import type { Item, ListForm, Piped, View } from '../command.ts';
import type { Format } from '../globals.ts';
import {
  cell,
  columnsOf,
  csvLine,
  idOf,
  isRow,
  isRows,
  pick,
  type Row,
  rowCells,
  tsvLine,
  valueAt,
  valueLine,
} from './rows.ts';
import { safeJson, safeLines } from './text.ts';
import type { Ui } from './ui.ts';
import type { TablePrinting } from './table.ts';

export interface PrinterOptions extends TablePrinting, CellOptions {
  readonly form?: ListForm | undefined;
  readonly out: Output;
  readonly ui: Ui;
  readonly format: Format | undefined;
  readonly piped: Piped;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly lists?: boolean | undefined;
  /** Redacts the keys in use. */
  readonly clean: (text: string) => string;
}

export interface Printer {
  /** Prints a result in the requested format. */
  print(data: unknown, text: View): Promise<void>;
  /** Prints items of a long-running command; only streaming formats print them immediately. */
  items(items: readonly Item[]): Promise<void>;
  /** Completes the output after the last item, or after a failure. */
  end(failed?: boolean): Promise<void>;
}

type Form = Format | 'text';

/** Rows of a long list that are aligned together. */
const aligned = 1_000;

export function createPrinter(options: PrinterOptions): Printer {
  const { ui } = options;
  const terminal = options.out.isTTY;
  const form = formOf(options, terminal);
  let streamed = 0;
  let held: Row[] = [];
  const write = (text: string | Uint8Array) =>
    options.out.write(typeof text === 'string' ? options.clean(text) : cleanedBytes(text, options.clean));
  const escaped = (json: string) => (terminal ? safeJson(json) : unicodeEscaped(json, options));
  const json = (value: unknown, indent?: number) => escaped(`${jsonText(value, indent)}\n`);

  async function print(data: unknown, text: View): Promise<void> {
    const known = cleaned(data, options.clean);
    const shown = chosenColumns(known, options.columns);
    if (form === 'json') return write(json(shown, terminal ? 2 : undefined));
    if (form === 'ndjson') return writeLines(isRows(shown) ? shown : [shown]);
    const asked = options.columns !== undefined;
    const isReport = options.piped === 'text' && options.format === undefined;
    if (form === 'text' && asked) return write(json(shown, terminal ? 2 : undefined));
    if (form === 'text' || (form === 'table' && !asked && (isReport || !isFilledRows(shown)))) return write(line(text));
    if (isRows(shown)) return printRows(shown);
    if (isRow(shown)) return printRows([shown], { isRecord: true });
    // Without rows, an empty result prints nothing, any other is printed whole.
    if (shown !== undefined && shown !== null) await write(json(shown));
  }

  function plainLine(value: unknown): string {
    return terminal ? `${safeLines(cell(value))}\n` : valueLine(value, options);
  }

  async function printRows(rows: readonly Row[], { isFirst = true, isRecord = false } = {}): Promise<void> {
    if (form === 'id') return writeAll(rows.map((row) => plainLine(identified(row))));
    const columns = options.columns ?? columnsOf(rows);
    if (columns.length === 0) return;
    if (form === 'table') {
      const { printTable } = await import('./table.ts');
      return printTable(rows, { ...options, isRecord, write });
    }
    const separator = options.form?.separator;
    const format = form === 'csv' ? csvLine : tsvLine;
    const safe = (cells: readonly unknown[]) =>
      format(terminal ? cells.map((value) => safeLines(cell(value))) : cells, options, separator);
    const lines = rows.map((row) => safe(rowCells(row, columns)));
    const mark = separator !== undefined && form === 'csv' && isFirst && !terminal ? ['\ufeff'] : [];
    return writeAll([...mark, ...(options.header && isFirst ? [safe(columns)] : []), ...lines]);
  }

  async function writeAll(lines: readonly string[]): Promise<void> {
    for (const part of partsOf(lines)) await write(part.join(''));
  }

  /** Writes values as JSON, one per line. Escaping and redacting many lines together costs little more than one. */
  async function writeLines(values: readonly unknown[]): Promise<void> {
    for (const part of partsOf(values)) await write(escaped(part.map((value) => `${jsonText(value)}\n`).join('')));
  }

  function line(text: View): string | Uint8Array {
    const seen = text(ui);
    if (typeof seen !== 'string' && !terminal) return seen;
    const made = typeof seen === 'string' ? seen : safeLines(Buffer.from(seen).toString());
    const asIs = made === '' || made.endsWith('\n') || (options.piped === 'verbatim' && !terminal);
    return asIs ? made : `${made}\n`;
  }

  async function items(given: readonly Item[]): Promise<void> {
    const all = options.lists && options.columns ? given.map(chosen) : given;
    // Lines are cleaned as a whole; secrets are also known as JSON writes them.
    if (form === 'ndjson') return writeLines(all.map(({ data }) => data));
    if (form === 'table' && options.lists) return hold(all.map(({ data }) => data));
    if ((form === 'csv' || form === 'tsv') && options.lists && all.length > 1) return printTogether(all);
    await Promise.all(all.map(printItem));
  }

  /** As fast as a result that is printed at once. */
  async function printTogether(all: readonly Item[]): Promise<void> {
    const rows = cleanedPart(
      all.map(({ data }) => data),
      options.clean,
    ).filter((value) => isRow(value));
    const isFirst = streamed === 0;
    streamed += rows.length;
    return printRows(rows, { isFirst });
  }

  function chosen({ data, text }: Item): Item {
    return { data: isRow(data) && options.columns ? pick(data, options.columns) : data, text };
  }

  /** Rows wait for others, so that their columns are aligned. */
  async function hold(values: readonly unknown[]): Promise<void> {
    held.push(...values.map((value) => cleaned(value, options.clean)).filter((value) => isRow(value)));
    if (held.length >= aligned) await printHeld();
  }

  async function printHeld(): Promise<void> {
    const rows = held;
    held = [];
    if (rows.length === 0) return;
    const { printTable } = await import('./table.ts');
    const isFirst = streamed === 0;
    streamed += rows.length;
    const [header, note] = [options.header && isFirst, isFirst ? options.note : () => {}];
    const { first } = options.form ?? options;
    return printTable(rows, { ...options, first, header, isRecord: false, note, write });
  }

  async function printItem({ data, text }: Item): Promise<void> {
    const value = cleaned(data, options.clean);
    if (form === 'text' || form === 'table') return write(line(text));
    if (form === 'json' && options.lists) return write((streamed++ === 0 ? '[' : ',') + json(value).trimEnd());
    const areRows = form === 'csv' || form === 'tsv' || (form === 'id' && options.lists);
    if (areRows && isRow(value)) return printRows([value], { isFirst: streamed++ === 0 });
  }

  const end = async (failed = false) => {
    await printHeld();
    if (form === 'json' && (streamed > 0 || !failed)) await write(streamed === 0 ? '[]\n' : ']\n');
  };

  return { print, items, end };
}

/** Redacts before cutting, quoting and escaping, because half a key is a secret too. */
function cleaned(value: unknown, clean: PrinterOptions['clean']): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return [...partsOf(value)].flatMap((part) => cleanedPart(part, clean));
  if (!isRow(value) || value instanceof Uint8Array || isClean(value, clean)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [clean(name), cleaned(item, clean)]));
}

/** One look at many values: hardly any has a secret. */
function cleanedPart(values: readonly unknown[], clean: PrinterOptions['clean']): readonly unknown[] {
  return isClean(values, clean) ? values : values.map((value) => cleaned(value, clean));
}

function isClean(value: unknown, clean: PrinterOptions['clean']): boolean {
  const text = jsonText(value);
  return clean(text) === text;
}

/** Latin-1 maps each byte to a character, and keys are ASCII. */
function cleanedBytes(bytes: Uint8Array, clean: PrinterOptions['clean']): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const safe = clean(text);
  return safe === text ? bytes : Buffer.from(safe.replaceAll('…', Buffer.from('…').toString('latin1')), 'latin1');
}

/** One string for a long list would double its memory. */
function* partsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += 500) yield all.slice(at, at + 500);
}

function formOf({ format, piped }: PrinterOptions, terminal: boolean): Form {
  if (format) return format;
  if (terminal) return 'table';
  if (piped === 'id' || piped === 'json') return piped;
  return piped === 'rows' ? 'tsv' : 'text';
}

function chosenColumns(value: unknown, columns: readonly string[] | undefined): unknown {
  if (!columns) return value;
  const rows = isRows(value) ? value : isRow(value) ? [value] : [];
  const missing = rows.length > 0 && columns.find((column) => rows.every((row) => valueAt(row, column) === undefined));
  if (missing) throw usage(`--columns: there is no column "${missing}"`, `these have ${columnsOf(rows).join(', ')}`);
  return isRow(value) ? pick(value, columns) : isRows(value) ? value.map((row) => pick(row, columns)) : value;
}

function identified(row: Row): unknown {
  const id = idOf(row);
  if (id === undefined)
    throw usage('nothing in the result is an id', `choose one of ${columnsOf([row]).join(', ')} with --columns`);
  return id;
}

function isFilledRows(value: unknown): value is readonly Row[] {
  return isRows(value) && value.length > 0;
}
