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
import { isReached, reportColumns } from './report.ts';

const emptyHint = 'nothing was sent; a list without phones has one line, phone';

interface Reading {
  /** The country of national numbers. */
  readonly country?: string | undefined;
  /** The encoding of the input; the phones themselves are ASCII. */
  readonly encoding?: string | undefined;
  /** The column of the phones in the input. */
  readonly column?: string | undefined;
  /** The purpose of the list. */
  readonly list?: Unwanted | undefined;
}

/**
 * The phones of files that are never messaged: one on each line, a table with a column of phones, or the report of a
 * run, whose sent and unsure rows count. A line that is not a phone is refused: a typo would send a message to a person
 * of this list. Returns whether a phone is one of these.
 */
export async function listedPhones(
  context: Context,
  files: readonly string[],
  { country, encoding, column, list = 'excluded' }: Reading,
): Promise<(phone: string) => boolean> {
  const read = await createNumberReader(country);
  const phones = new Set<string>();
  for (const file of files) await addPhones(context, file, { read, encoding, column, phones, list });
  return (phone) => {
    const normal = phones.has(phone) ? phone : read(phone);
    return typeof normal === 'string' && phones.has(normal);
  };
}

/** Why a phone is not messaged. */
export type Unwanted = 'excluded' | 'only_to';

type PhoneRules = (phone: string) => Unwanted | undefined;

interface PhoneLists {
  readonly excludeFrom: readonly string[];
  readonly onlyTo: readonly string[];
}

/** Returns why a phone is not messaged: it is excluded, or not in each list of `onlyTo`. Undefined without lists. */
export async function phoneRules(
  context: Context,
  { excludeFrom, onlyTo }: PhoneLists,
  reading: Omit<Reading, 'list'>,
): Promise<PhoneRules | undefined> {
  if (excludeFrom.length + onlyTo.length === 0) return undefined;
  const isExcluded = await listedPhones(context, excludeFrom, reading);
  const allowed: ((phone: string) => boolean)[] = [];
  for (const file of onlyTo) allowed.push(await listedPhones(context, [file], { ...reading, list: 'only_to' }));
  return (phone) => {
    if (isExcluded(phone)) return 'excluded';
    return allowed.every((isListed) => isListed(phone)) ? undefined : 'only_to';
  };
}

interface WatchedRules {
  readonly why: PhoneRules;
  /** Whether a phone must not be messaged any more, by a list that changed since the start. */
  isUnwantedNow(phone: string): boolean | Promise<boolean>;
}

/** The same for a run, during which people may opt out: a list that changes is read again. */
export async function watchRules(
  context: Context,
  lists: PhoneLists,
  reading: Omit<Reading, 'list'>,
): Promise<WatchedRules | undefined> {
  const files = [...lists.excludeFrom, ...lists.onlyTo];
  const marks = () => files.map((file) => statMark(statsOf(file))).join();
  const first = marks();
  let [known, mark] = [await phoneRules(context, lists, reading), first];
  let refreshing: Promise<void> | undefined;
  if (!known) return undefined;
  return {
    why: (phone) => known?.(phone),
    isUnwantedNow(phone) {
      const now = marks();
      if (now === mark) return mark !== first && known?.(phone) !== undefined;
      return (refreshing ??= refresh(now)).then(() => known?.(phone) !== undefined);
    },
  };

  async function refresh(now: string): Promise<void> {
    try {
      known = await phoneRules({ ...context, note() {} }, lists, reading);
      mark = now;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // Stops the run, whatever it is.
      const code = error.code === 'only-to-file' ? error.code : 'exclude-file';
      throw configuration(code, error.message, error.hint, error);
    } finally {
      refreshing = undefined;
    }
  }
}

function statMark(found: Stats | undefined): string {
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

const titles = { excluded: 'the excluded phones', only_to: 'the only-to list' } as const;

interface Adding extends Omit<Reading, 'country'> {
  readonly list: Unwanted;
  readonly read: PhoneReader;
  readonly phones: Set<string>;
}

async function addPhones(
  context: Context,
  file: string,
  { read, encoding, column, phones, list }: Adding,
): Promise<void> {
  const title = titles[list];
  const unreadable = (line: number, why: string) =>
    usage(`${title}: ${file}, line ${line}: ${why}`, 'nothing was sent; fix the line, or remove it');
  if (file === '-') throw usage(`${title}: stdin is not read`, 'write the phones to a file');
  const add = (text: unknown, line: number) => {
    const phone = read(String(text).trim());
    if (typeof phone !== 'string') throw unreadable(line, phone.why);
    phones.add(phone).add(String(text).trim());
  };
  const bytes = await bytesOf(context, file, list);
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
      throw aboutPhones(error, title, 'write the phones to a file, one on each line or in a column named phone');
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
        const report = list === 'excluded' ? reportColumns(names) : undefined;
        if (report && !isReached(row.fields[report.outcome], row.fields[report.run])) continue;
        const own = columnsIn(names);
        if (own.length === 0) throw noColumn(row.line, names);
        for (const name of own) if (row.fields[name] !== '') add(row.fields[name], row.line);
      }
  } finally {
    input.close();
  }
}

/** Without the file, nobody knows who must not be messaged. */
async function bytesOf(context: Context, file: string, list: Unwanted): Promise<Buffer> {
  try {
    const found = list === 'only_to' ? statsOf(file) : undefined;
    // A pipe, which may have no writer, is for one command, and this list is for all.
    if (found && !found.isFile() && !found.isDirectory())
      throw usage(`"${file}" cannot be read: it is not a regular file`, 'write the phones to a file');
    return await context.bytes(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const code = list === 'excluded' ? 'exclude-file' : 'only-to-file';
    const hint =
      list === 'excluded'
        ? error.hint
        : 'nothing was sent; restore it, or change it: bizmsg profiles set NAME --only-to FILE, or BIZMSG_ONLY_TO';
    throw configuration(code, `${titles[list]}: ${error.message}`, hint, error);
  }
}

/** The hint of an error may be about the rows to send. */
function aboutPhones(error: unknown, title: string, hint: string): unknown {
  if (!(error instanceof CliError) || error.exit !== 'usage') return error;
  return usage(`${title}: ${error.message}`, hint);
}

/** Whether a line has no letters other than the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(text: string): boolean {
  const line = text.trim();
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?$/iu.test(line);
}
