import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { TextDecoder } from 'node:util';
import { CliError, configuration, usage } from '../base/errors.ts';
import { statsOf } from '../base/files.ts';
import type { Context } from '../cli/command.ts';
import { openInput } from './input.ts';
import { encodingOf } from './input/encoding.ts';
import { columnNamed, phoneColumns } from './mapping/columns.ts';
import { createNumberReader, type PhoneReader } from './mapping/values.ts';

const emptyHint = 'nothing was sent; a file in which no phone is excluded has one line, phone';

interface Reading {
  /** The country of national numbers. */
  readonly country?: string | undefined;
  /** The encoding of the input; the phones themselves are ASCII. */
  readonly encoding?: string | undefined;
  /** The column of the phones in the input. */
  readonly column?: string | undefined;
}

/**
 * The phones of files that are never messaged: one on each line, or a table with a column of phones. A line that is not
 * a phone is refused: a typo would send a message to a person of this list. Returns whether a phone is one of these.
 */
export async function excludedPhones(
  context: Context,
  files: readonly string[],
  { country, encoding, column }: Reading,
): Promise<(phone: string) => boolean> {
  const read = await createNumberReader(country);
  const phones = new Set<string>();
  for (const file of files) await addPhones(context, file, { read, encoding, column, phones });
  return (phone) => {
    const normal = phones.has(phone) ? phone : read(phone);
    return typeof normal === 'string' && phones.has(normal);
  };
}

interface WatchedPhones {
  has(phone: string): boolean;
  /** Reads the files again if one of them has changed since the start. */
  hasNow(phone: string): boolean | Promise<boolean>;
}

/** The same for a run, during which people may opt out. */
export async function watchExcluded(
  context: Context,
  files: readonly string[],
  reading: Reading,
): Promise<WatchedPhones> {
  const marks = () => files.map((file) => statMark(statsOf(file))).join();
  const first = marks();
  let [known, mark] = [await excludedPhones(context, files, reading), first];
  let refreshing: Promise<void> | undefined;
  return {
    has: (phone) => known(phone),
    hasNow(phone) {
      const now = marks();
      if (now === mark) return mark !== first && known(phone);
      return (refreshing ??= refresh(now)).then(() => known(phone));
    },
  };

  async function refresh(now: string): Promise<void> {
    try {
      known = await excludedPhones({ ...context, note() {} }, files, reading);
      mark = now;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // Stops the run, whatever it is.
      throw configuration('exclude-file', error.message, error.hint, error);
    } finally {
      refreshing = undefined;
    }
  }
}

function statMark(found: Stats | undefined): string {
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

interface Adding extends Omit<Reading, 'country'> {
  readonly read: PhoneReader;
  readonly phones: Set<string>;
}

async function addPhones(context: Context, file: string, { read, encoding, column, phones }: Adding): Promise<void> {
  if (file === '-') throw usage('--exclude-from does not read stdin', 'write the phones to a file');
  const add = (text: unknown, line: number) => {
    const phone = read(String(text).trim());
    if (typeof phone !== 'string') throw unreadable(file, line, phone.why);
    phones.add(phone).add(String(text).trim());
  };
  const bytes = await bytesOf(context, file);
  const used = encoding ?? (encodingOf(bytes).name === 'utf-8' && !isUtf8(bytes) ? 'windows-1252' : undefined);
  const lines = new TextDecoder(encodingOf(bytes, used).name).decode(bytes).split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) throw usage(`the excluded phones: ${file} is empty`, emptyHint);
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
    return unreadable(file, line, `it has no column named ${wanted}; its columns are ${names.join(', ')}`);
  };
  try {
    if (source.fields && columnsIn(source.fields).length === 0) throw noColumn(1, source.fields);
    for await (const batch of source.rows(context.host.signal))
      for (const row of batch) {
        if ('reason' in row) throw unreadable(file, row.line, row.reason);
        const names = Object.keys(row.fields);
        const own = columnsIn(names);
        if (own.length === 0) throw noColumn(row.line, names);
        for (const name of own) if (row.fields[name] !== '') add(row.fields[name], row.line);
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
    throw configuration('exclude-file', `the excluded phones: ${error.message}`, error.hint, error);
  }
}

/** The hint of an error may be about the rows to send. */
function aboutPhones(error: unknown, hint: string): unknown {
  if (!(error instanceof CliError) || error.exit !== 'usage') return error;
  return usage(`the excluded phones: ${error.message}`, hint);
}

/** Whether a line has no letters other than the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(text: string): boolean {
  const line = text.trim();
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?$/iu.test(line);
}

function unreadable(file: string, line: number, why: string) {
  return usage(`the excluded phones: ${file}, line ${line}: ${why}`, 'nothing was sent; fix the line, or remove it');
}
