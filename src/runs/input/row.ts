/** One record of an input, as it was read. */
export type Row = GoodRow | BadRow;

interface Place {
  /** Counted from 1; header lines and blank lines are no rows. */
  readonly number: number;
  /** The line of the input on which it begins, counted from 1. */
  readonly line: number;
  /** As it came, to be written to the file of failed rows: the cells of a table's row, a line's text, or a value. */
  readonly raw: unknown;
}

interface GoodRow extends Place {
  readonly fields: Fields;
  /** Why it is not to be sent, by the file of failed rows that it stands in, unless its recipient may have several. */
  readonly held?: string;
}

/** It cannot be read: the run goes on without it. */
interface BadRow extends Place {
  readonly reason: string;
}

/** A table's cells are texts; JSON brings any value. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a row comes to: the body of a request, or why it cannot be sent. */
export type Mapped = { readonly body: object } | { readonly reason: string };

/** Takes an input's text piece by piece. */
export interface TextReader {
  push(text: string, last: boolean): void;
}

/** What cannot be read as a record. */
export interface Damage {
  /** Where it begins. */
  readonly line: number;
  /** As it stands in the input; empty where it was too long to keep. */
  readonly text: string;
  readonly reason: string;
}

/** Where a file of failed rows says why; an import of it drops it. */
export const errorField = 'bizmsg_error';

/** Where such a file, if it is JSON, holds the text of what could not be read. */
export const textField = 'bizmsg_text';

/** Begins the error of a table's row that could not be read; its text stands in the first cell. */
export const damagedMark = 'damaged: ';

/** Begins the error of a row that was refused as a row before it has its recipient; it is refused again where it is read. */
export const heldMark = 'the recipient is that of ';

/** The file that a row failed from would send again what was done. */
export const allowing = 'send the file of those that failed with --allow-same-recipient';

/** Why a row is held, in a file of failed rows, whose numbers are others than those of the file that they came from. */
export function heldIn(error: unknown): string | undefined {
  if (typeof error !== 'string' || !error.startsWith(heldMark)) return undefined;
  const place = /^\w+ \d+/.exec(error.slice(heldMark.length))?.[0] ?? 'a row';
  const ways = `if it is meant, ${allowing}; an empty ${errorField} says that the row is mended`;
  return `${heldMark}${place} of an earlier file; ${ways}`;
}

/** Why a value cannot be sent, in place of the value. */
export class Refused {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

// C1 controls, and the marks that reorder or hide text.
const hidden = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const longest = 60;

/** Text from outside on one line, in quotes, cut, and with nothing in it that a terminal would act on. */
export function quoted(text: string): string {
  const safe = JSON.stringify(text.slice(0, longest * 2))
    .slice(1, -1)
    .replace(hidden, '');
  const units = Array.from(safe);
  return units.length > longest || text.length > longest * 2 ? `"${units.slice(0, longest).join('')}…"` : `"${safe}"`;
}

/** The name of a field: plain ones stand as they are. */
export function named(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoted(name);
}

/** Any value, in words. */
export function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
