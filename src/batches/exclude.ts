import { isUtf8 } from 'node:buffer';
import { CliError, configuration, usage } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { decodedHead, encodingOf } from './input/encoding.ts';
import { openInput } from './input/input.ts';
import type { Fields } from './input/row.ts';
import { columnNamed, usualPhoneColumns } from './mapping/columns.ts';
import { phoneReader, ValueError } from './mapping/values.ts';
import { phoneIn, type Told } from './options.ts';
import { reportColumns } from './report.ts';

/** How the input of the batch is read: its column of phones counts here, too. */
type Reading = Pick<Told, 'country' | 'encoding' | 'map'>;

interface Entry {
  readonly phone: unknown;
  readonly fields: Fields;
  /** For people: "line 3". */
  readonly place: string;
}

/**
 * The phones of `--exclude-from`: a list with one on each line, a table, or the sent and unsure rows of a report. A phone
 * that cannot be read is refused, since its person would get a message.
 */
export async function readExcluded(
  context: Context,
  files: readonly string[],
  told: Reading,
): Promise<readonly string[]> {
  const read = await phoneReader(told.country);
  const phones = new Set<string>();
  for (const file of files)
    for await (const { phone, fields, place } of entriesOf(context, file, told)) {
      const text = read(phone, fields);
      if (text instanceof ValueError) throw unreadable(file, place, text.why);
      phones.add(text);
    }
  return [...phones];
}

async function* entriesOf(context: Context, file: string, told: Reading): AsyncGenerator<Entry> {
  const column = phoneIn(told);
  const bytes = await bytesOf(context, file);
  const encoding = told.encoding ?? (isUtf8(bytes) ? undefined : 'windows-1252');
  const lines = decodedHead(bytes, encodingOf(bytes, encoding)).split(/\r\n|\r|\n/);
  const [first, ...others] = lines.filter((line) => line.trim() !== '');
  if (first === undefined)
    throw usage(`--exclude-from: "${file}" is empty`, 'nothing was sent; a list without phones has one line, phone');
  if (mayBePhone(first)) yield* entriesOfList(lines);
  else if (others.length > 0 || !isHeader(first, column))
    yield* entriesOfTable(context, file, { column, encoding, content: bytes });
}

/** Without the file, it is unknown who must not get a message. */
async function bytesOf(context: Context, file: string): Promise<Buffer> {
  if (file === '-') throw usage('--exclude-from does not read stdin', 'write the phones to a file');
  try {
    return await context.bytes(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw configuration('exclude-file', `--exclude-from: ${error.message}`, error.hint, error);
  }
}

/** Whether a line has no letters, apart from the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(line: string): boolean {
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?\s*$/iu.test(line);
}

/** Whether the only line of a file has a column of phones. */
function isHeader(line: string, column: string | undefined): boolean {
  const names = line.split(/[,;\t|]/).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return phonesAmong(names, column).length > 0;
}

function* entriesOfList(lines: readonly string[]): Generator<Entry> {
  for (const [index, line] of lines.entries())
    if (line.trim() !== '') yield { phone: line, fields: {}, place: `line ${index + 1}` };
}

async function* entriesOfTable(
  context: Context,
  file: string,
  { content, column, encoding }: { content: Buffer; column: string | undefined; encoding: string | undefined },
): AsyncGenerator<Entry> {
  const input = await openInput(context, file, { content, encoding, signal: context.host.signal });
  const { isTable } = input;
  try {
    if (isTable && phonesAmong(input.columns, column).length === 0)
      throw unreadable(file, 'line 1', 'no column is named phone, to or mobile');
    for await (const rows of input.rows())
      for (const { fields, line, problem } of rows) {
        const place = `${input.unit} ${line}`;
        if (problem !== undefined) throw unreadable(file, place, problem);
        const outcome = fields[reportColumns.outcome];
        if (outcome !== undefined && outcome !== 'sent' && outcome !== 'unsure') continue;
        const names = phonesAmong(Object.keys(fields), column);
        const phones = names.map((name) => fields[name]).filter((phone) => phone !== '');
        // A table may have empty cells, but a row of a report was sent to a phone.
        if (phones.length === 0 && (!isTable || outcome !== undefined))
          throw unreadable(file, place, 'it has no phone');
        yield* phones.map((phone) => ({ phone, fields, place }));
      }
  } finally {
    input.close();
  }
}

/** The columns with phones: those with a usual name, and the one of the input. */
function phonesAmong(names: readonly string[], column: string | undefined): readonly string[] {
  const named = column === undefined ? undefined : columnNamed(column, names);
  return [...new Set([named ?? [], usualPhoneColumns(names)].flat())];
}

function unreadable(file: string, place: string, why: string): CliError {
  return usage(`--exclude-from: ${file}, ${place}: ${why}`, 'nothing was sent; fix it, or remove it');
}
