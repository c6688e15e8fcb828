import { tsvText, unicodeEscaped } from '../../base/cell-escapes.ts';
import { usage } from '../../base/errors.ts';
import type { Output } from '../../base/host.ts';
import { jsonText } from '../../base/json.ts';
import type { Item, ListForm, Piped, View } from '../command.ts';
import type { Format } from '../globals.ts';
import { cell, columnsOf, csvLine, idOf, isRow, isRows, pick, type Row, tsvLine, valueAt } from './rows.ts';
import type { Layout } from './table.ts';
import { safeJson, safeLines, startOf } from './text.ts';
import type { Ui } from './ui.ts';

export interface PrinterOptions {
  readonly out: Output;
  readonly ui: Ui;
  readonly format: Format | undefined;
  readonly piped: Piped;
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  /** The first columns on a terminal. */
  readonly first?: readonly string[] | undefined;
  /** Whether the items are the result: one list in every format. */
  readonly lists?: boolean | undefined;
  readonly form?: ListForm | undefined;
  readonly note: (code: string, message: string) => void;
  /** Redacts the keys in use. */
  readonly clean: (text: string) => string;
}

/** Rows of a page of a table, and of a part that is written in one piece: a single text would double the memory. */
const [page, part] = [100, 500];

/** Prints one result, or the items of a command one after another. */
export class Printer {
  readonly #options: PrinterOptions;
  readonly #form: Format | 'text';
  readonly #isTerminal: boolean;
  #printed = 0;
  /** Items that wait for a page of the table, or for the end of a JSON list. */
  #held: Row[] = [];
  #layout: Layout | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#isTerminal = options.out.isTTY;
    const forms = options.out.isFile ? { ...pipedForms, sheet: 'csv' as const } : pipedForms;
    this.#form = options.format ?? (this.#isTerminal ? 'table' : forms[options.piped]);
  }

  /** Prints a result in the wanted format. */
  async print(data: unknown, text: View): Promise<void> {
    const { columns, format, piped } = this.#options;
    const value = chosenColumns(this.#cleaned(data), columns);
    const form = this.#form === 'text' && columns ? 'json' : this.#form;
    if (form === 'json') return this.#writeJson(value);
    if (form === 'ndjson') return this.#writeJsonLines(isRows(value) ? value : [value]);
    const isReport = piped === 'text' && format === undefined;
    const isTable = columns !== undefined || (!isReport && isRows(value) && value.length > 0);
    if (form === 'text' || (form === 'table' && !isTable)) return this.#write(this.#text(text));
    if (isRows(value)) return this.#printRows(value);
    if (isRow(value)) return this.#printRows([value]);
    // Without rows, an empty result prints nothing, any other is printed whole.
    if (value !== undefined && value !== null) await this.#writeJsonLines([value]);
  }

  /** Prints items that are ready together; a table waits for a page of them. */
  async items(items: readonly Item[]): Promise<void> {
    const { lists, columns } = this.#options;
    const isText = this.#form === 'text' || (this.#form === 'table' && !lists);
    if (isText) for (const { text } of items) await this.#write(this.#text(text));
    if (isText || (!lists && (this.#form === 'json' || this.#form === 'id'))) return;
    const values = items.map(({ data }) => (lists && columns && isRow(data) ? pick(data, columns) : data));
    if (this.#form === 'ndjson') return this.#writeJsonLines(values);
    const rows = values.map((value) => this.#cleaned(value)).filter(isRow);
    if (rows.length === 0) return;
    if (this.#form !== 'json' && this.#form !== 'table') return this.#printRows(rows);
    for (const row of rows) this.#held.push(row);
    if (this.#form === 'table' && this.#held.length >= page) await this.#printRows(this.#held.splice(0));
  }

  /** Completes a list after its last item, or after a failure. */
  async end(hasFailed = false): Promise<void> {
    if (this.#form === 'json' && (this.#held.length > 0 || !hasFailed)) return this.#writeJson(this.#held);
    if (this.#held.length > 0) await this.#printRows(this.#held);
  }

  async #printRows(rows: readonly Row[]): Promise<void> {
    if (this.#form === 'table') return this.#printTable(rows);
    if (this.#form === 'id') return this.#writeAll(rows.map((row) => this.#line(identified(row))));
    const isFirst = this.#printed === 0;
    this.#printed += rows.length;
    const columns = this.#options.columns ?? columnsOf(rows);
    if (columns.length === 0) return;
    const { header, form } = this.#options;
    const isForSpreadsheet = form?.separator !== undefined && this.#form === 'csv' && !this.#isTerminal;
    const mark = isFirst && isForSpreadsheet ? ['\ufeff'] : [];
    const head = isFirst && header ? [this.#cells(columns)] : [];
    const lines = rows.map((row) => this.#cells(columns.map((column) => valueAt(row, column))));
    await this.#writeAll([...mark, ...head, ...lines]);
  }

  /** A line of CSV or TSV. */
  #cells(cells: readonly unknown[]): string {
    const values = this.#isTerminal ? cells.map((value) => safeLines(cell(value))) : cells;
    const { form, ui } = this.#options;
    return this.#form === 'csv' ? csvLine(values, ui, form?.separator) : tsvLine(values, ui);
  }

  async #printTable(rows: readonly Row[]): Promise<void> {
    const { ui, form, header } = this.#options;
    const { layoutOf, headerOf, pageOf } = await import('./table.ts');
    const isFirst = this.#layout === undefined;
    const layout = (this.#layout ??= layoutOf(rows, { ...this.#options, first: form?.first ?? this.#options.first }));
    if (layout.columns.length === 0) return;
    if (isFirst && header) await this.#write(headerOf(layout, ui));
    for (let at = 0; at < rows.length; at += page) await this.#write(pageOf(rows.slice(at, at + page), layout, ui));
    if (isFirst) this.#noteLeftOut(layout.leftOut);
  }

  #noteLeftOut(names: readonly string[]): void {
    if (names.length === 0) return;
    // One line on a terminal.
    const some = startOf(names.join(', '), Math.max(80, this.#options.ui.width) - 41);
    this.#options.note('left-out', `more columns: ${some}; --columns, -o json`);
  }

  #line(value: unknown): string {
    return this.#isTerminal ? `${safeLines(cell(value))}\n` : `${tsvText(cell(value), this.#options.ui)}\n`;
  }

  #text(view: View): string | Uint8Array {
    const text = view(this.#options.ui);
    if (typeof text !== 'string' && !this.#isTerminal) return text;
    const made = typeof text === 'string' ? text : safeLines(Buffer.from(text).toString());
    const isComplete = made === '' || made.endsWith('\n') || (this.#options.piped === 'verbatim' && !this.#isTerminal);
    return isComplete ? made : `${made}\n`;
  }

  async #writeJson(value: unknown): Promise<void> {
    await this.#write(this.#escaped(`${jsonText(value, this.#isTerminal ? 2 : undefined)}\n`));
  }

  #escaped(json: string): string {
    return this.#isTerminal ? safeJson(json) : unicodeEscaped(json, this.#options.ui);
  }

  /** One value a line. */
  async #writeJsonLines(values: readonly unknown[]): Promise<void> {
    await this.#writeAll(values.map((value) => this.#escaped(`${jsonText(value)}\n`)));
  }

  async #writeAll(texts: readonly string[]): Promise<void> {
    for (let at = 0; at < texts.length; at += part) await this.#write(texts.slice(at, at + part).join(''));
  }

  async #write(text: string | Uint8Array): Promise<void> {
    await this.#options.out.write(typeof text === 'string' ? this.#options.clean(text) : this.#cleanedBytes(text));
  }

  /** Redacts before cutting, quoting and escaping, because half a key is a secret too. */
  #cleaned(value: unknown): unknown {
    const { clean } = this.#options;
    if (typeof value === 'string') return clean(value);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const json = jsonText(value);
    // Hardly any value has a secret.
    if (clean(json) === json) return value;
    if (Array.isArray(value)) return value.map((item) => this.#cleaned(item));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [clean(name), this.#cleaned(item)]));
  }

  /** Latin-1 maps each byte to a character, and keys are ASCII. */
  #cleanedBytes(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString('latin1');
    const safe = this.#options.clean(text);
    return safe === text ? bytes : Buffer.from(safe.replaceAll('…', Buffer.from('…').toString('latin1')), 'latin1');
  }
}

const pipedForms = { rows: 'tsv', sheet: 'tsv', id: 'id', json: 'json', text: 'text', verbatim: 'text' } as const;

function chosenColumns(value: unknown, columns: readonly string[] | undefined): unknown {
  if (!columns) return value;
  const rows = isRows(value) ? value : isRow(value) ? [value] : [];
  const missing = rows.length > 0 && columns.find((column) => rows.every((row) => valueAt(row, column) === undefined));
  if (missing) throw usage(`--columns: there is no column "${missing}"`, `these have ${columnsOf(rows).join(', ')}`);
  return isRow(value) ? pick(value, columns) : isRows(value) ? value.map((row) => pick(row, columns)) : value;
}

function identified(row: Row): unknown {
  const id = idOf(row);
  if (id !== undefined) return id;
  throw usage('nothing in the result is an id', `choose one of ${columnsOf([row]).join(', ')} with --columns`);
}
