import type { Context } from '../cli/command.ts';
import { CliError, usage } from '../base/errors.ts';
import { openInput } from './input.ts';
import { createPhoneReader } from './mapping/values.ts';

const columns = new Set(['phone', 'to']);
const emptyHint = 'nothing was sent; a file in which no phone is excluded has one line, phone';

/**
 * The phones of a file that are never messaged: one on each line, or a table with a column named phone or to. A line
 * that is not a phone is refused: a typo would send a message to a person of this list. Returns whether a phone is one
 * of these, as it is written or in its normal form.
 */
export async function excludedPhones(
  context: Context,
  file: string,
  country: string | undefined,
): Promise<(phone: string) => boolean> {
  if (file === '-') throw usage('--exclude-from does not read stdin', 'write the phones to a file');
  const read = await createPhoneReader(country);
  const phones = new Set<string>();
  const add = (text: unknown, line: number) => {
    const phone = read(String(text).trim());
    if (typeof phone !== 'string') throw unreadable(file, line, phone.why);
    phones.add(phone).add(String(text).trim());
  };
  const isExcluded = (phone: string) => {
    const normal = phones.has(phone) ? phone : read(phone);
    return typeof normal === 'string' && phones.has(normal);
  };
  const lines = (await textOf(context, file)).replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) throw usage(`the excluded phones: ${file} is empty`, emptyHint);
  if (mayBePhone(first)) {
    for (const [index, line] of lines.entries()) if (line.trim() !== '') add(line, index + 1);
    return isExcluded;
  }
  const { source } = await openInput(context, file, { stop: context.host.signal }).catch((error: unknown) => {
    throw aboutPhones(error, 'write the phones to a file, one on each line or in a column named phone');
  });
  const noColumn = (line: number) => unreadable(file, line, 'it has no column named phone or to');
  if (source.fields && !source.fields.some(isPhoneColumn)) throw noColumn(1);
  for await (const batch of source.rows(context.host.signal))
    for (const row of batch) {
      if ('reason' in row) throw unreadable(file, row.line, row.reason);
      const own = Object.keys(row.fields).filter(isPhoneColumn);
      if (own.length === 0) throw noColumn(row.line);
      for (const column of own) if (row.fields[column] !== '') add(row.fields[column], row.line);
    }
  return isExcluded;
}

/** The file may be named by the command or by the profile. */
async function textOf(context: Context, file: string): Promise<string> {
  try {
    return await context.read(file);
  } catch (error) {
    throw aboutPhones(error);
  }
}

/** The hint of an error may be about the rows to send. */
function aboutPhones(error: unknown, hint?: string): unknown {
  if (!(error instanceof CliError) || error.exit !== 'usage') return error;
  return usage(`the excluded phones: ${error.message}`, hint ?? error.hint);
}

/** Whether a line has no letters other than the exponent of a spreadsheet, and so is not a header. */
function mayBePhone(text: string): boolean {
  const line = text.trim();
  return /\d/.test(line) && /^[^\p{L}{[]*(?:e\+?\d+)?$/iu.test(line);
}

function isPhoneColumn(name: string): boolean {
  return columns.has(name.trim().toLowerCase());
}

function unreadable(file: string, line: number, why: string) {
  return usage(`the excluded phones: ${file}, line ${line}: ${why}`, 'nothing was sent; fix the line, or remove it');
}
