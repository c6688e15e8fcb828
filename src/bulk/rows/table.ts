import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import type { Row } from '../row.ts';
import { damagedMark, errorField, heldIn } from './error-field.ts';
import { headerNames } from './header.ts';
import type { RecordOptions } from './records.ts';
import { createRecordReader } from './records.ts';
import { recordText } from './record-text.ts';
import type { Damage, TextReader } from './text-reader.ts';

/** Gives the names in a table's header but for `bizmsg_error`. */
export function createHeaderReader(
  options: RecordOptions,
  file: string,
  give: (names: readonly string[]) => void,
): TextReader {
  let given = false;
  return createRecordReader(options, {
    record: (cells, line) => {
      if (!given) give(headerNames(cells, file, line).filter((name) => name !== errorField));
      given = true;
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
      else read = cellReader(headerNames(cells, file, line), options.delimiter);
    },
    damage: (damage) => {
      if (!read) throw damagedHeader(damage, file);
      give({ number: ++number, line: damage.line, raw: damage.text, reason: damage.reason });
    },
  });
}

function damagedHeader({ line, reason }: Damage, file: string): CliError {
  return usage(`the header of "${file}" (line ${line}) cannot be read: ${reason}`, 'mend its first line');
}

type ReadCells = (cells: readonly string[], number: number, line: number) => Row;

function cellReader(header: readonly string[], delimiter: string): ReadCells {
  const error = header.indexOf(errorField);
  const names = header.filter((name) => name !== errorField);
  const good: ReadCells = (raw, number, line) => ({ number, line, raw, fields: fieldsOf(names, raw) });
  if (error === -1) return good;
  return (cells, number, line) => {
    const said = cells[error] ?? '';
    const raw = cells.filter((_, at) => at !== error);
    if (said.startsWith(damagedMark))
      return { number, line, ...stillDamaged(raw, said.slice(damagedMark.length), delimiter) };
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
function stillDamaged(cells: readonly string[], said: string, delimiter: string) {
  const [text = '', ...others] = cells;
  if (others.every((cell) => cell === '')) return { raw: text, reason: said };
  const reason = `its ${errorField} still says that it is damaged: empty that cell once the row is mended`;
  return { raw: recordText(cells, delimiter), reason };
}
