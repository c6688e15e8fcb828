import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { TextDecoder } from 'node:util';
import { CliError, configuration, usage } from '../base/errors.ts';
import { statsOf } from '../base/files.ts';
import type { Context } from '../cli/command.ts';
import { openInput } from './input.ts';
import type { Fields } from './input/row.ts';
import { encodingOf } from './input/encoding.ts';
import { columnNamed, phoneColumns } from './mapping/columns.ts';
import { openRowPhones, type RowPhoneReader } from './mapping/phones.ts';
import { isReached, reportColumns } from './report.ts';

const emptyHint = 'nothing was sent; a list without phones has one line, phone';

interface Reading {
  /** The country of national numbers. */
  readonly country?: string | undefined;
  /** The encoding of the input; the phones themselves are ASCII. */
  readonly encoding?: string | undefined;
  /** The column of the phones in the input. */
  readonly column?: string | undefined;
}

/**
 * The phones of files that are never messaged: one on each line, a table with a column of phones, or the report of a
 * run, whose sent and unsure rows count. A line that is not a phone is refused: a typo would send a message to a person
 * of this list. Returns whether a phone is one of these.
 */
export async function listedPhones(
  context: Context,
  files: readonly string[],
  { country, encoding, column }: Reading,
): Promise<(phone: string) => boolean> {
  const read = await openRowPhones(country);
  const phones = new Set<string>();
  for (const file of files) await addPhones(context, file, { read, encoding, column, phones });
  return (phone) => phones.has(phone);
}

/** Whether a phone is in a list that has changed since this call: people opt out while a run works. */
export function watchOptOuts(
  context: Context,
  file: string,
  reading: Reading,
): (phone: string) => boolean | Promise<boolean> {
  const markOf = ({ ino, size, mtimeMs }: Partial<Stats> = {}) => [ino, size, mtimeMs].join(' ');
  let mark = markOf(statsOf(file));
  let isListed: (phone: string) => boolean = () => false;
  let refreshing: Promise<void> | undefined;
  return (phone) => {
    const now = markOf(statsOf(file));
    if (now === mark) return isListed(phone);
    return (refreshing ??= refresh(now)).then(() => isListed(phone));
  };

  async function refresh(now: string): Promise<void> {
    try {
      isListed = await listedPhones({ ...context, note() {} }, [file], reading);
      mark = now;
    } catch (error) {
      // Stops the run, whatever it is.
      throw error instanceof CliError ? configuration('exclude-file', error.message, error.hint, error) : error;
    } finally {
      refreshing = undefined;
    }
  }
}

const title = 'the excluded phones';

interface Adding extends Omit<Reading, 'country'> {
  readonly read: RowPhoneReader;
  readonly phones: Set<string>;
}

async function addPhones(context: Context, file: string, { read, encoding, column, phones }: Adding): Promise<void> {
  const unreadable = (line: number, why: string) =>
    usage(`${title}: ${file}, line ${line}: ${why}`, 'nothing was sent; fix the line, or remove it');
  if (file === '-') throw usage(`${title}: stdin is not read`, 'write the phones to a file');
  const add = (text: unknown, line: number, fields?: Fields) => {
    const phone = read(String(text).trim(), fields);
    if (typeof phone !== 'string') throw unreadable(line, phone.why);
    phones.add(phone);
  };
  const bytes = await bytesOf(context, file);
  const used = encoding ?? (encodingOf(bytes).name === 'utf-8' && !isUtf8(bytes) ? 'windows-1252' : undefined);
  const lines = new TextDecoder(encodingOf(bytes, used).name).decode(bytes).split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) throw usage(`${title}: ${file} is empty`, emptyHint);
  if (mayBePhone(first)) {
    for (const [index, line] of lines.entries()) if (line.trim() !== '') add(line, index + 1);
    return;
  }
  const input = await openInput(context, file, { encoding: used, stop: context.host.signal }).catch(
    (error: unknown) => {
      throw aboutPhones(error, 'write the phones to a file, one on each line or in a column named phone');
    },
  );
  const { source } = input;
  const columnsIn = (names: readonly string[]) => {
    const named = column === undefined ? undefined : columnNamed(column, names);
    return [...new Set([...(named === undefined ? [] : [named]), ...phoneColumns(names)])];
  };
  const noColumn = (line: number, names: readonly string[]) => {
    const wanted = [...new Set([...(column === undefined ? [] : [column]), 'phone', 'to', 'mobile'])].join(', ');
    return unreadable(line, `it has no column named ${wanted}; its columns are ${names.join(', ')}`);
  };
  try {
    if (source.fields && columnsIn(source.fields).length === 0) throw noColumn(1, source.fields);
    for await (const batch of source.rows(context.host.signal))
      for (const row of batch) {
        if ('reason' in row) throw unreadable(row.line, row.reason);
        const names = Object.keys(row.fields);
        const report = reportColumns(names);
        if (report && !isReached(row.fields[report.outcome], row.fields[report.run])) continue;
        const own = columnsIn(names);
        if (own.length === 0) throw noColumn(row.line, names);
        for (const name of own) if (row.fields[name] !== '') add(row.fields[name], row.line, row.fields);
      }
  } finally {
    input.close();
  }
}

/** Without the file, nobody knows who must not be messaged. */
async function bytesOf(context: Context, file: string): Promise<Buffer> {
  try {
    return await context.bytes(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw configuration('exclude-file', `${title}: ${error.message}`, error.hint, error);
  }
}

/** The hint of an error may be about the rows to send. */
function aboutPhones(error: unknown, hint: string): unknown {
  if (!(error instanceof CliError) || error.exit !== 'usage') return error;
  return usage(`${title}: ${error.message}`, hint);
}

/** Whether a line has no letters other than the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(text: string): boolean {
  const line = text.trim();
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?$/iu.test(line);
}
