import type { Row } from '../row.ts';
import { damagedMark, errorField, textField } from './error-field.ts';
import { recordText } from './record-text.ts';
import type { Source } from './source.ts';
import { jsonText } from '../../json.ts';

/** What of an input says how its rows are written. */
type Shape = Pick<Source, 'format' | 'delimiter' | 'fields' | 'bom'> & Partial<Pick<Source, 'escapes'>>;

/** Takes the rows that came to nothing. */
export interface Rejects {
  add(row: Row, reason: string): void;
  /** Closes a JSON array. */
  end(): void;
}

/**
 * Writes rows in their input's own format, with `bizmsg_error` as the last column or field; what it writes can be
 * mended and read again. The first one brings what stands before it, so where there is none nothing is written.
 * A row that could not be read is written as a text, which stays damaged for every reader until somebody mends it.
 */
export function createRejects(shape: Shape, write: (text: string) => void): Rejects {
  const { begin, row: line, end } = formOf(shape);
  const mark = shape.bom ? '\ufeff' : '';
  let some = false;
  return {
    add: (row, reason) => {
      write((some ? '' : mark + begin) + line(row, reason, !some));
      some = true;
    },
    end: () => {
      if (some && end !== '') write(end);
    },
  };
}

interface Form {
  readonly begin: string;
  row(row: Row, reason: string, first: boolean): string;
  readonly end: string;
}

function formOf({ format, fields = [], delimiter = ',', escapes }: Shape): Form {
  if (format === 'ndjson') return { begin: '', row: (row, reason) => `${objectText(row, reason)}\n`, end: '' };
  if (format !== 'json') return tableForm(fields, { delimiter, escaped: escapes === 'undone' });
  const row = (row: Row, reason: string, first: boolean) => (first ? '' : ',\n') + objectText(row, reason);
  return { begin: '[\n', row, end: '\n]\n' };
}

function tableForm(fields: readonly string[], options: Parameters<typeof recordText>[1]): Form {
  const record = (cells: readonly string[]) => `${recordText(cells, options)}\n`;
  return {
    begin: record([...fields, errorField]),
    row: (row, reason) => record([...cellsOf(row, fields), 'fields' in row ? unmarked(reason) : damagedMark + reason]),
    end: '',
  };
}

function cellsOf(row: Row, fields: readonly string[]): readonly string[] {
  if ('fields' in row) return fields.map((name) => textOf(row.fields[name]));
  return fields.map((_, at) => (at === 0 ? textOf(row.raw) : ''));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A service's words are not to be taken for the mark. */
function unmarked(reason: string): string {
  return reason.startsWith(damagedMark) ? ` ${reason}` : reason;
}

function objectText(row: Row, reason: string): string {
  const known = 'fields' in row ? row.fields : { [textField]: row.raw };
  return jsonText({ ...known, [errorField]: reason });
}
