import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { CliError, configuration, usage } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { openInput } from './input/input.ts';
import type { Fields } from './input/row.ts';
import { columnNamed, usualPhoneColumns } from './mapping/columns.ts';
import { ValueError } from './mapping/mapped.ts';
import { phoneReader } from './mapping/phones.ts';
import { reportColumns } from './report-columns.ts';

export interface ExcludeOptions {
  /** Of national numbers: a code, `intl` or `:column`. */
  readonly country: string | undefined;
  readonly encoding: string | undefined;
  /** The column of the phones in the input, which also counts here. */
  readonly column: string | undefined;
}

interface Entry {
  readonly phone: unknown;
  readonly fields: Fields;
  /** For people: "line 3". */
  readonly place: string;
}

/**
 * The phones of `--exclude-from`: a list with one on each line, a table, or a report, of which sent and unsure rows
 * count. A phone that cannot be read is refused, since its person would get a message.
 */
export async function readExcluded(
  context: Context,
  files: readonly string[],
  options: ExcludeOptions,
): Promise<readonly string[]> {
  const read = await phoneReader(options.country);
  const phones = new Set<string>();
  for (const file of files)
    for await (const { phone, fields, place } of entriesOf(context, file, options)) {
      const text = read(phone, fields);
      if (text instanceof ValueError) throw unreadable(file, place, text.why);
      phones.add(text);
    }
  return [...phones];
}

async function* entriesOf(context: Context, file: string, options: ExcludeOptions): AsyncGenerator<Entry> {
  if (file === '-') throw usage('--exclude-from does not read stdin', 'write the phones to a file');
  const bytes = await bytesOf(context, file);
  const encoding = options.encoding ?? (isUtf8(bytes) ? undefined : 'windows-1252');
  const lines = new TextDecoder(encoding ?? 'utf-8').decode(bytes).split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined)
    throw usage(`--exclude-from: "${file}" is empty`, `${nothingSent}; a list without phones has one line, phone`);
  yield* mayBePhone(first) ? entriesOfList(lines) : entriesOfTable(context, file, { ...options, encoding });
}

function* entriesOfList(lines: readonly string[]): Generator<Entry> {
  for (const [index, line] of lines.entries())
    if (line.trim() !== '') yield { phone: line, fields: {}, place: `line ${index + 1}` };
}

/** Whether a line has no letters, apart from the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(line: string): boolean {
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?\s*$/iu.test(line);
}

async function* entriesOfTable(context: Context, file: string, options: ExcludeOptions): AsyncGenerator<Entry> {
  const { column, encoding } = options;
  const input = await openInput(context, file, { encoding, signal: context.host.signal }).catch((error: unknown) => {
    throw aboutPhones(error);
  });
  try {
    if (input.columns) phoneColumnsIn(input.columns, { file, place: 'line 1', column });
    for await (const rows of input.rows())
      for (const { fields, line, problem } of rows) {
        const place = `${input.unit} ${line}`;
        if (problem !== undefined) throw unreadable(file, place, problem);
        const outcome = fields[reportColumns.outcome];
        if (outcome !== undefined && outcome !== 'sent' && outcome !== 'unsure') continue;
        const columns = phoneColumnsIn(Object.keys(fields), { file, place, column });
        const phones = columns.map((name) => fields[name]).filter((phone) => phone !== '');
        // A row of a report was sent to somebody.
        if (outcome !== undefined && phones.length === 0) throw unreadable(file, place, 'it has no phone');
        yield* phones.map((phone) => ({ phone, fields, place }));
      }
  } finally {
    input.close();
  }
}

interface Where {
  readonly file: string;
  readonly place: string;
  readonly column: string | undefined;
}

function phoneColumnsIn(names: readonly string[], { file, place, column }: Where): readonly string[] {
  const named = column === undefined ? undefined : columnNamed(column, names);
  const columns = new Set([named ?? [], usualPhoneColumns(names)].flat());
  if (columns.size > 0) return [...columns];
  const wanted = [...new Set([column ?? [], 'phone', 'to', 'mobile'].flat())].join(', ');
  throw unreadable(file, place, `it has no column named ${wanted}; its columns are ${names.join(', ')}`);
}

const nothingSent = 'nothing was sent';

function unreadable(file: string, place: string, why: string): CliError {
  return usage(
    `--exclude-from: ${file}, ${place}: ${why}`,
    `${nothingSent}; fix the ${place.split(' ')[0]}, or remove it`,
  );
}

/** Without the file, nobody knows who must not be messaged. */
async function bytesOf(context: Context, file: string): Promise<Buffer> {
  try {
    return await context.bytes(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw configuration('exclude-file', `--exclude-from: ${error.message}`, error.hint, error);
  }
}

/** The hint of an error may be about the rows to send. */
function aboutPhones(error: unknown): unknown {
  if (!(error instanceof CliError) || error.exit !== 'usage') return error;
  return usage(`--exclude-from: ${error.message}`, 'write the phones to a file, one a line or in a column named phone');
}
