import { type CliError, usage } from '../../base/errors.ts';
import { createRecordReader, type RecordOptions, recordText } from './csv.ts';
import { type Damage, damagedMark, errorField, type InputRow, quoted, type TextReader } from './row.ts';

export interface Header {
  /** All but `bizmsg_error`. */
  readonly names: readonly string[];
  /** The number of unnamed columns after them, which are ignored. */
  readonly nameless: number;
}

/** Reads the header of a table. */
export function createHeaderReader(options: RecordOptions, file: string, give: (header: Header) => void): TextReader {
  let given = false;
  return createRecordReader(options, {
    record: (cells, line) => {
      if (given) return;
      given = true;
      const nameless = namelessEnd(cells);
      const names = headerNames(cells.slice(0, cells.length - nameless), file, line);
      give({ names: names.filter((name) => name !== errorField), nameless });
    },
    damage: (damage) => {
      if (!given) throw damagedHeader(damage, file);
    },
  });
}

/** Reads the rows of a table. */
export function createTableReader(options: RecordOptions, file: string, give: (row: InputRow) => void): TextReader {
  let number = 0;
  let read: ReadCells | undefined;
  return createRecordReader(options, {
    record: (cells, line) => {
      if (read) give(read(cells, ++number, line));
      else read = rowReader(cells, options, { file, line });
    },
    damage: (damage) => {
      if (!read) throw damagedHeader(damage, file);
      give({ number: ++number, line: damage.line, raw: damage.text, reason: damage.reason });
    },
  });
}

function damagedHeader({ line, reason }: Damage, file: string): CliError {
  return usage(`the header of "${file}" (line ${line}) cannot be read: ${reason}`, 'fix its first line');
}

type ReadCells = (cells: readonly string[], number: number, line: number) => InputRow;

/** Ignores unnamed columns at the end; they must be empty. */
function rowReader(
  header: readonly string[],
  options: RecordOptions,
  { file, line }: { readonly file: string; readonly line: number },
): ReadCells {
  const width = header.length - namelessEnd(header);
  const read = cellReader(headerNames(header.slice(0, width), file, line), options);
  if (width === header.length) return read;
  return (cells, number, line) => {
    const at = cells.findIndex((cell, at) => at >= width && cell.trim() !== '');
    if (at === -1) return read(cells.slice(0, width), number, line);
    const reason = `it has ${quoted(cells[at] ?? '')} in column ${at + 1}, which has no name in the header`;
    return { number, line, raw: recordText(cells, options), reason };
  };
}

function cellReader(header: readonly string[], options: RecordOptions): ReadCells {
  const error = header.indexOf(errorField);
  const names = header.filter((name) => name !== errorField);
  const good: ReadCells = (raw, number, line) => ({ number, line, raw, fields: fieldsOf(names, raw) });
  if (error === -1) return good;
  return (cells, number, line) => {
    const stated = cells[error] ?? '';
    const raw = cells.filter((_, at) => at !== error);
    if (stated.startsWith(damagedMark))
      return { number, line, ...stillDamaged(raw, stated.slice(damagedMark.length), options) };
    return { number, line, raw, fields: fieldsOf(names, raw) };
  };
}

function fieldsOf(names: readonly string[], cells: readonly string[]) {
  const fields: Record<string, string> = {};
  for (let at = 0; at < names.length; at++) fields[names[at] ?? ''] = cells[at] ?? '';
  return fields;
}

/** An untouched row has its text in the first cell only; otherwise it was fixed, and its error was left in. */
function stillDamaged(cells: readonly string[], stated: string, options: RecordOptions) {
  const [text = '', ...others] = cells;
  // Its line in the earlier file says nothing about this one.
  if (others.every((cell) => cell === ''))
    return { raw: text, reason: stated.replace(/ \((?:line|record) \d+\)$/, '') };
  const reason = `its ${errorField} still marks it as damaged: empty that cell once the row is fixed`;
  return { raw: recordText(cells, options), reason };
}

/** The number of unnamed columns at the end of a header. A trailing delimiter causes one. */
function namelessEnd(cells: readonly string[]): number {
  const named = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.length - 1 - named;
}

/** Checks and returns the column names. */
function headerNames(cells: readonly string[], file: string, line: number): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const where = `the header of "${file}" (line ${line})`;
  const empty = names.indexOf('');
  if (empty !== -1) throw usage(`column ${empty + 1} has no name in ${where}`, 'name the column or remove it');
  const twice = repeatedIn(names);
  if (twice.length > 0) throw duplicateNames(twice, where);
  const phone = names.find(isPhoneNumber);
  if (phone !== undefined) throw noHeader(phone, file, line);
  // Assigning it to an object creates no field.
  if (names.includes('__proto__')) throw usage(`"__proto__" cannot be a column's name in ${where}`, 'rename it');
  if (names.every((name) => name === errorField)) throw usage(`there is no column but "${errorField}" in ${where}`);
  return names;
}

/** A file may have a hundred thousand columns. */
function repeatedIn(names: readonly string[]): readonly string[] {
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const name of names) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice];
}

/** Whether a column name is a phone number, so the header line is missing. */
function isPhoneNumber(name: string): boolean {
  return /^(?:\+|00)[\d\s().-]{7,}$/.test(name);
}

/** Where a file has no header line. */
export const addHeader = 'add a line with the names of the columns above it, such as phone,name';

function noHeader(phone: string, file: string, line: number): CliError {
  const shown = `${phone.slice(0, 5)}…${phone.slice(-2)}`;
  const where = line === 1 ? 'the first line' : `line ${line}`;
  return usage(`${where} of "${file}" holds a phone number, ${shown}, so it is no header line`, addHeader);
}

function duplicateNames(names: readonly string[], where: string): CliError {
  const listed = names.map((name) => `"${name}"`).join(', ');
  return usage(
    `${listed} ${names.length === 1 ? 'appears' : 'appear'} twice in ${where}`,
    'give each column its own name',
  );
}
