import type { Source } from '../../bulk/rows/source.ts';
import type { Mapped, Prepared, Row } from '../../bulk/row.ts';
import type { RunClient } from '../../cli/run-client.ts';
import type { RunKind } from '../../bulk/run/identity.ts';
import { jsonText } from '../../json.ts';

type GoodRow = Extract<Row, { readonly fields: unknown }>;

/** What an import or a batch does with its rows. */
export interface Job {
  readonly kind: RunKind;
  readonly endpoint: 'createContact' | 'sendTemplate';
  readonly template?: string | undefined;
  /** How rows become bodies, in one canonical text. */
  readonly mapping: string;
  /** What is wrong with the flags is thrown here, before the rows are read. Each reading of the input maps anew. */
  mapper(source: Source): Promise<() => Mapper>;
  /** Of the input's columns those that a flag could still name. */
  free?(columns: readonly string[]): readonly string[];
  /** What is to be known of the first body before it is sent. */
  caution?(body: string): string | undefined;
  /** Says what is known to go wrong, before the first row is sent. */
  forebode?(client: RunClient): Promise<void>;
}

export interface Mapper {
  map(row: GoodRow): Mapped;
  /** Throws what only a whole reading could tell. */
  end?(): void;
}

export function prepared(row: Row, { map }: Mapper): Prepared {
  if ('reason' in row) return row;
  const { number, line, raw, fields } = row;
  const mapped = map(row);
  if ('reason' in mapped) return { number, line, raw, fields, reason: mapped.reason };
  return { number, line, raw, fields, content: jsonText(mapped.body) };
}
