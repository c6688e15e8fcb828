import { createHash } from 'node:crypto';
import { createSeen } from './mapping/seen.ts';
import type { Prepared, Row } from './row.ts';
import type { Source } from './rows/source.ts';

export interface Survey {
  /** All of them, bad ones too. */
  readonly rows: number;
  readonly bad: number;
  /** The first of the bad ones. */
  readonly badRows: readonly BadPlace[];
  /** The SHA-256 of the input, in hex. */
  readonly content: string;
  /** The first body that would be sent. */
  readonly first: string | undefined;
  /** Rows whose body was there before; undefined where nobody looked. */
  readonly repeated: number | undefined;
  readonly repeatedRows: readonly RepeatedPlace[];
}

interface BadPlace {
  readonly line: number;
  readonly reason: string;
}

interface RepeatedPlace {
  readonly line: number;
  /** The row, counted from 1, that has the same. */
  readonly as: number;
}

interface SurveyOptions {
  readonly prepare: (row: Row) => Prepared;
  /** How many bad and how many repeated rows are told one by one. */
  readonly most: number;
  readonly compares: boolean;
  readonly signal: AbortSignal;
}

/** Reads the whole input once, before anything of it is sent. */
export async function survey(source: Source, { prepare, most, compares, signal }: SurveyOptions): Promise<Survey> {
  const hash = createHash('sha256');
  const seen = compares ? createSeen() : undefined;
  const [badRows, repeatedRows]: [BadPlace[], RepeatedPlace[]] = [[], []];
  let [rows, bad, repeated] = [0, 0, 0];
  let first: string | undefined;
  const look = (row: Prepared) => {
    rows += 1;
    if ('reason' in row) {
      bad += 1;
      if (badRows.length < most) badRows.push({ line: row.line, reason: row.reason });
      return;
    }
    first ??= row.content;
    const as = seen?.add(row.content, row.number);
    if (as === undefined) return;
    repeated += 1;
    if (repeatedRows.length < most) repeatedRows.push({ line: row.line, as });
  };
  for await (const batch of source.rows(signal, (chunk) => hash.update(chunk)))
    for (const row of batch) look(prepare(row));
  const content = hash.digest('hex');
  return { rows, bad, badRows, content, first, repeated: compares ? repeated : undefined, repeatedRows };
}
