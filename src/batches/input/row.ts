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
