import { unseen } from '../../base/posix-quote.ts';

/** Texts in a table; any value in JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export interface InputRow {
  /** Counted from 1, without header and blank lines. */
  readonly number: number;
  /** The line of the input on which it begins, counted from 1. */
  readonly line: number;
  readonly fields: Fields;
  /** Why it cannot be read; `fields` has what could be. */
  readonly problem?: string | undefined;
}

/** The names of fields, which are the same in each row of a table. */
export interface Names {
  readonly columns: readonly string[];
  /** Whether it is a table: a record of JSON may lack any field. */
  readonly isTable: boolean;
}

export function namesIn(rows: readonly InputRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))];
}

/** How an input is read. */
export interface Request {
  /** For messages. */
  readonly name: string;
  readonly encoding?: string | undefined;
  /** Encoding of files that are not UTF-8, from the batch or the profile. */
  readonly usualEncoding?: string | undefined;
  /** The title of a sheet. */
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
  note(code: string, text: string): void;
}

/** Reads ahead until it has a number of bytes or rows; `all` yields what was read and then the rest. */
export async function peek<T extends { readonly length: number }>(items: AsyncGenerator<T>, enough: number) {
  const begun: T[] = [];
  for (let length = 0; length < enough;) {
    const step = await items.next();
    if (step.done) break;
    begun.push(step.value);
    length += step.value.length;
  }
  const all = async function* () {
    yield* begun;
    yield* items;
  };
  return { begun, all };
}

// C1 controls, joiners, and the marks that reorder or hide text.
const hidden = new RegExp(String.raw`[\u007f-\u009f\u200c\u200d]|${unseen}`, 'gu');
const longest = 60;

/** Quotes outside text on one line, shortened and without characters that a terminal interprets. */
export function quoted(text: string): string {
  const safe = JSON.stringify(text.slice(0, longest * 2))
    .slice(1, -1)
    .replace(hidden, '');
  const characters = Array.from(safe);
  const isLong = characters.length > longest || text.length > longest * 2;
  return isLong ? `"${characters.slice(0, longest).join('')}…"` : `"${safe}"`;
}
