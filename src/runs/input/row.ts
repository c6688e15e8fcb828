import { unseen } from '../../base/posix-quote.ts';

/** One record of an input, as it was read. */
export type InputRow = GoodRow | BadRow;

interface Origin {
  /** Counted from 1, without header lines and blank lines. */
  readonly number: number;
  /** The line of the input on which it begins, counted from 1. */
  readonly line: number;
  /** The original, for the file of failed rows: the cells of a table's row, a line's text, or a JSON value. */
  readonly raw: unknown;
}

interface GoodRow extends Origin {
  readonly fields: Fields;
}

/** A row that cannot be read. The run continues without it. */
interface BadRow extends Origin {
  readonly reason: string;
}

/** Texts in a table; any value in JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The request body of a row and the values of its `--per` columns, or the reason why it cannot be sent. */
export type Mapped = { readonly body: object; readonly per?: readonly string[] } | { readonly reason: string };

/** Maps rows to request bodies. */
export interface Mapper {
  map(row: GoodRow): Mapped;
  /** Whether `--where` leaves the row out. */
  isFilteredOut?(fields: Fields): boolean;
  /** Whether the row's recipient is not messaged. */
  isExcluded?(mapped: Extract<Mapped, { readonly body: object }>): boolean;
  /** The same for a row that is about to be sent, by its body as JSON: its recipient may have opted out. */
  isExcludedNow?(content: string): boolean | Promise<boolean>;
  /** Called after all rows; throws if an option fits none of them. */
  end?(): void;
}

/** Receives an input's text in chunks. */
export interface TextReader {
  push(text: string, last: boolean): void;
}

/** A part of the input that is not a readable record. */
export interface Damage {
  /** Its first line. */
  readonly line: number;
  /** The original text; empty if it is too long to keep. */
  readonly text: string;
  readonly reason: string;
}

/** The column or field with the reason in a file of failed rows. An import ignores it. */
export const errorField = 'bizmsg_error';

/** The field that holds the text of an unreadable record in a JSON file of failed rows. */
export const textField = 'bizmsg_text';

/** Prefix of the error of an unreadable table row, whose text is in the first cell. */
export const damagedMark = 'damaged: ';

/** The reason why a value cannot be sent, in place of the value. */
export class ValueError {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

// C1 controls, joiners, and the marks that reorder or hide text.
const hidden = new RegExp(String.raw`[\u007f-\u009f\u200c\u200d]|${unseen}`, 'gu');
const longest = 60;

/** Quotes outside text on one line, shortened and without characters that a terminal interprets. */
export function quoted(text: string): string {
  const safe = JSON.stringify(text.slice(0, longest * 2))
    .slice(1, -1)
    .replace(hidden, '');
  const units = Array.from(safe);
  return units.length > longest || text.length > longest * 2 ? `"${units.slice(0, longest).join('')}…"` : `"${safe}"`;
}

/** A field name, quoted unless it is plain. */
export function fieldName(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoted(name);
}

/** Describes any value. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
