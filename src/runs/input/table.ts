import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { quoted } from '../mapping/refused.ts';
import type { Row } from '../row.ts';
import { damagedMark, errorField, heldIn } from './error-field.ts';
import { headerNames, namelessEnd } from './header.ts';
import type { RecordOptions } from './records.ts';
import { createRecordReader } from './records.ts';
import { recordText } from './record-text.ts';
import type { Damage, TextReader } from './text-reader.ts';

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
