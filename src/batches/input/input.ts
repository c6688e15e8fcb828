import type { Context } from '../../cli/command.ts';
import type { InputRow } from './row.ts';

/** A file, or stdin, that is read once. */
export interface Input {
  /** For people: as typed, redacted; or "stdin". */
  readonly name: string;
  /** Absolute; undefined for stdin. */
  readonly path: string | undefined;
  /** Undefined in JSON. */
  readonly columns: readonly string[] | undefined;
  /** Of CSV and TSV. */
  readonly separator: string | undefined;
  /** How people find a row: by its line, or by its number in a JSON array. */
  readonly unit: 'line' | 'row';
  /** At most the first 100 rows; `rows` yields them again. */
  readonly first: readonly InputRow[];
  /** All rows, once. */
  rows(): AsyncIterable<readonly InputRow[]>;
  close(): void;
}

interface InputOptions {
  readonly encoding?: string | undefined;
  readonly sheet?: string | undefined;
  readonly signal: AbortSignal;
}

/** Opens a file of rows; `-` is stdin. */
export async function openInput(context: Context, file: string, _options: InputOptions): Promise<Input> {
  context.note('input', file);
  throw new Error('the readers come next');
}
