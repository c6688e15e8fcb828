import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { usage } from '../../base/errors.ts';
import { redact } from '../../base/redact.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import type { Context } from '../../cli/command.ts';
import { openStream } from '../../cli/input.ts';
import { quoted } from '../quoted.ts';
import { type Bytes, openBytes } from './bytes.ts';
import { csvRows } from './csv.ts';
import { damagedText, decoded, decodedHead, encodingOf, foreignWords, likelyEncoding } from './encoding.ts';
import { createUndo } from './escapes.ts';
import { formatOf, isZip, refuseBinary, separatorOf } from './format.ts';
import { arrayRows, ndjsonRows } from './json.ts';
import type { InputRow } from './row.ts';
import { noRows, openTable, type Table } from './table.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** A file, or stdin, that is read once. */
export interface Input {
  /** For people: as typed, redacted; or "stdin". */
  readonly name: string;
  /** Absolute; undefined for stdin. */
  readonly path: string | undefined;
  /** Undefined in JSON. */
  readonly columns: readonly string[] | undefined;
  /** Of CSV and TSV. */
  readonly separator: string | undefined;
  /** As given with `--encoding`, or as answered. */
  readonly encoding: string | undefined;
  /** How people find a row: by its line, or by its number in a JSON array. */
  readonly unit: 'line' | 'row';
  /** At most the first 100 rows; `rows` yields them again. */
  readonly first: readonly InputRow[];
  /** All rows, once. */
  rows(): AsyncIterable<readonly InputRow[]>;
  close(): void;
}

interface InputOptions {
  readonly encoding?: string | undefined;
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
}

interface Content extends Partial<Pick<Input, 'columns' | 'separator' | 'encoding'>> {
  readonly unit: Input['unit'];
  readonly rows: AsyncGenerator<readonly InputRow[]>;
}

/** Where stdin, questions and notes go. */
export type InputContext = Pick<Context, 'note' | 'takeStdin' | 'interactive' | 'interaction'>;

const mostFirst = 100;

/** Opens a file of rows; `-` is stdin. */
export async function openInput(context: InputContext, file: string, options: InputOptions): Promise<Input> {
  const name = file === '-' ? 'stdin' : file;
  const open = () => (file === '-' ? context.takeStdin() : openStream(file));
  const bytes = await openBytes(open, name, options.signal);
  try {
    const opening = isZip(bytes.head) ? openSheet : openText;
    const { rows, columns, separator, encoding, unit } = await opening(context, bytes, name, options);
    const begun = await beginningOf(rows);
    const first = begun.flat().slice(0, mostFirst);
    if (first.length === 0) throw noRows(name);
    const all = async function* () {
      yield* begun;
      yield* rows;
    };
    const path = file === '-' ? undefined : resolve(file);
    return { name: redact(name), path, columns, separator, encoding, unit, first, rows: all, close: bytes.close };
  } catch (error) {
    bytes.close();
    throw error;
  }
}

/** The first batches, with at least as many rows as are needed. */
async function beginningOf(rows: Content['rows']): Promise<readonly (readonly InputRow[])[]> {
  const batches: (readonly InputRow[])[] = [];
  for (let count = 0; count < mostFirst;) {
    const step = await rows.next();
    if (step.done) break;
    batches.push(step.value);
    count += step.value.length;
  }
  return batches;
}

async function openText(context: InputContext, bytes: Bytes, name: string, options: InputOptions): Promise<Content> {
  if (options.sheet !== undefined)
    throw usage(`--sheet is given, but "${name}" is not an Excel workbook`, 'leave it out');
  if (bytes.head.length === 0) throw noRows(name);
  refuseBinary(bytes.head, name, encodingOf(bytes.head, options.encoding));
  const answer = options.encoding ?? (await askForEncoding(context, bytes));
  const encoding = encodingOf(bytes.head, answer);
  const head = decodedHead(bytes.head, encoding);
  const format = formatOf(head, name);
  noteDamage(context, head, name);
  const texts = decoded(bytes.chunks, encoding, name);
  if (format === 'json') return { unit: 'row', rows: arrayRows(texts, name), encoding: answer };
  if (format === 'ndjson') return { unit: 'line', rows: ndjsonRows(texts, name), encoding: answer };
  const separator = format === 'tsv' ? '\t' : separatorOf(head);
  const undo = createUndo(separator, head, (text) => context.note('escapes', `${redact(name)}: ${text}`));
  const table = await openTable(csvRows(texts, { separator, name }), name, undo);
  noteNameless(context, table);
  return { ...table, separator, unit: 'line', encoding: answer };
}

async function openSheet(context: InputContext, bytes: Bytes, name: string, options: InputOptions): Promise<Content> {
  const [{ openWorkbook, sheetOf }, { sheetRows }] = await Promise.all([import('./workbook.ts'), import('./sheet.ts')]);
  const workbook = await openWorkbook(await buffer(bytes.chunks), name, options.signal);
  const sheet = sheetOf(workbook, options.sheet);
  if (options.sheet === undefined) await noteOtherSheet(context, workbook, sheet);
  const noteHidden = (hidden: number) => {
    if (hidden > 0) context.note('hidden', `hidden rows of the sheet, which are read like the others: ${hidden}`);
  };
  const table = await openTable(sheetRows(workbook, sheet, noteHidden), name);
  noteNameless(context, table);
  return { ...table, unit: 'line' };
}

/** The encoding of a file that is not UTF-8, if a person recognizes its words; reading fails otherwise. */
async function askForEncoding(context: InputContext, { head }: Bytes): Promise<string | undefined> {
  const words = context.interactive && encodingOf(head) === 'utf-8' ? foreignWords(head) : [];
  if (words.length === 0) return undefined;
  await context.interaction.confirm(
    `The file is not UTF-8. Read it as ${likelyEncoding}: ${words.join(', ')} — right?`,
    'pass its encoding, such as --encoding iso-8859-2, or save it as UTF-8',
  );
  return likelyEncoding;
}

function noteDamage({ note }: InputContext, head: string, name: string): void {
  const text = damagedText(head);
  if (text === undefined) return;
  note('damaged-text', `${quoted(text)} in ${redact(name)} looks as if a program had read it in a wrong encoding`);
}

function noteNameless({ note }: InputContext, { nameless }: Table): void {
  if (nameless > 0) note('columns', `columns without a name at the end, which are ignored: ${nameless}`);
}

/** A person may expect all sheets to be read. */
async function noteOtherSheet(context: InputContext, workbook: Workbook, read: Sheet): Promise<void> {
  const { countRows } = await import('./sheet.ts');
  for (const sheet of workbook.sheets) {
    const count = sheet === read || sheet.isHidden ? 0 : (await countRows(workbook, sheet)) - 1;
    if (count < 1) continue;
    const rows = count === 1 ? '1 row' : `${count} rows`;
    const other = `${quoted(sheet.title)} has ${rows}: --sheet ${shellQuote(sheet.title)}`;
    return context.note('sheets', `only the sheet ${quoted(read.title)} is read; ${other}`);
  }
}
