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
