import type { Mapped, Row } from './input/row.ts';
import type { Source } from './input/source.ts';
import type { RunClient } from '../session/run-client.ts';
import type { Mode } from '../contract/keys.ts';
import type { Kind, Row as Digest } from '../ledger/ledger.ts';

type GoodRow = Extract<Row, { readonly fields: unknown }>;

/** The parts in which an import and a batch differ. */
export interface Job {
  readonly command: 'contacts import' | 'send-batch';
  readonly kind: Kind;
  readonly endpoint: 'createContact' | 'sendTemplate';
  readonly template?: string | undefined;
  /** Several messages may go to one recipient. */
  readonly allowsSameRecipient: boolean;
  /** Throws if an option does not fit the input. */
  mapper(source: Source): Promise<Mapper>;
  /** By which the ledger knows a row. */
  digest(body: object, keys: { readonly secret: Buffer; readonly mode: Mode }): Digest;
  /** Columns of the input that no option names yet. */
  free?(columns: readonly string[]): readonly string[];
  /** A warning about the first body, for a dry run. */
  caution?(body: string): string | undefined;
  /** Compares the template with what the service knows of it; a warning if it does not fit. */
  check?(client: RunClient): Promise<string | undefined>;
}

/** How rows become bodies of requests. */
export interface Mapper {
  map(row: GoodRow): Mapped;
  /** Called after all rows; throws if an option fits none of them. */
  end?(): void;
}
