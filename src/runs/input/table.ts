import { type CliError, usage } from '../../base/errors.ts';
import { normalizedPhone } from '../../contract/phones.ts';
import { createRecordReader, type RecordOptions, recordText } from './csv.ts';
import { type Damage, damagedMark, errorField, heldIn, quoted, type Row, type TextReader } from './row.ts';

export interface Header {
  /** All but `bizmsg_error`. */
  readonly names: readonly string[];
  /** How many columns without a name follow; they are left out. */
  readonly nameless: number;
}

/** Gives a table's header. */
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

/** Gives each row of a table. */
export function createTableReader(options: RecordOptions, file: string, give: (row: Row) => void): TextReader {
  let number = 0;
  let read: ReadCells | undefined;
  return createRecordReader(options, {
    record: (cells, line) => {
      if (read) give(read(cells, ++number, line));
      else read = rowReader(cells, options, (named) => headerNames(named, file, line));
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

type ReadCells = (cells: readonly string[], number: number, line: number) => Row;

/** Leaves out the columns without a name at the end, which have to be empty. */
function rowReader(
  header: readonly string[],
  options: RecordOptions,
  namesOf: (named: readonly string[]) => readonly string[],
): ReadCells {
  const width = header.length - namelessEnd(header);
  const read = cellReader(namesOf(header.slice(0, width)), options);
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
    const said = cells[error] ?? '';
    const raw = cells.filter((_, at) => at !== error);
    if (said.startsWith(damagedMark))
      return { number, line, ...stillDamaged(raw, said.slice(damagedMark.length), options) };
    const held = heldIn(said);
    return { number, line, raw, fields: fieldsOf(names, raw), ...(held !== undefined && { held }) };
  };
}

function fieldsOf(names: readonly string[], cells: readonly string[]) {
  const fields: Record<string, string> = {};
  for (let at = 0; at < names.length; at++) fields[names[at] ?? ''] = cells[at] ?? '';
  return fields;
}

/** Its text in the first cell and nothing else, as it was written; cells of somebody who mended it, and forgot to say so. */
function stillDamaged(cells: readonly string[], said: string, options: RecordOptions) {
  const [text = '', ...others] = cells;
  if (others.every((cell) => cell === '')) return { raw: text, reason: said };
  const reason = `its ${errorField} still says that it is damaged: empty that cell once the row is mended`;
  return { raw: recordText(cells, options), reason };
}

/** How many of a header's columns at its end have no name, as a delimiter at the end of each line leaves one. */
function namelessEnd(cells: readonly string[]): number {
  const named = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.length - 1 - named;
}

/** The names in a table's header, checked: rows are known by them. */
function headerNames(cells: readonly string[], file: string, line: number): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const where = `the header of "${file}" (line ${line})`;
  const empty = names.indexOf('');
  if (empty !== -1) throw usage(`column ${empty + 1} has no name in ${where}`, 'name it, or take the column out');
  const twice = repeatedIn(names);
  if (twice.length > 0) throw duplicate(twice, where);
  const phone = names.find(isPhoneNumber);
  if (phone !== undefined) throw headless(phone, file, line);
  // Setting it on an object sets no field.
  if (names.includes('__proto__'))
    throw usage(`"__proto__" cannot be a column's name in ${where}`, 'name it otherwise');
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

/** Nobody calls a column so. */
function isPhoneNumber(name: string): boolean {
  return /^(\+|00)/.test(name) && normalizedPhone(name) !== undefined;
}

function headless(phone: string, file: string, line: number): CliError {
  const shown = `${phone.slice(0, 5)}…${phone.slice(-2)}`;
  const where = line === 1 ? 'the first line' : `line ${line}`;
  const message = `${where} of "${file}" holds a phone number, ${shown}: does it have a header line?`;
  return usage(message, 'put one before the rows that names their columns, such as phone,name');
}

function duplicate(names: readonly string[], where: string): CliError {
  const listed = names.map((name) => `"${name}"`).join(', ');
  return usage(
    `${listed} ${names.length === 1 ? 'stands' : 'stand'} twice in ${where}`,
    'give each column its own name',
  );
}
