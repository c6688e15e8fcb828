import type { Context, Emit } from '../cli/command.ts';
import type { Mode } from '../contract/keys.ts';
import type { RowDigest, Kind } from '../ledger/ledger.ts';
import type { OpenedLedger, RunClient } from '../session/session.ts';
import type { Hours } from './hours.ts';
import type { InputFile } from './input.ts';
import type { Mapped, Mapper } from './input/row.ts';
import type { Source } from './input/source.ts';
import type { RunFlags } from './options.ts';
import type { RunSignals } from './stop.ts';

/** A run creates a contact for each row, or sends a message. */
export interface Action {
  readonly command: 'contacts import' | 'send-batch';
  readonly kind: Kind;
  readonly endpoint: 'createContact' | 'sendTemplate';
  readonly template?: string | undefined;
  /** The columns of `--per`, sorted. */
  readonly perColumns: readonly string[];
  /** The columns whose values are sent. */
  readonly usedColumns?: readonly string[];
  /** Throws if an option does not fit the input. */
  mapper(source: Source): Promise<Mapper>;
  /** Identifies a row in the ledger. */
  digest(row: Extract<Mapped, { readonly body: object }>, secret: string): RowDigest;
  /** The likely cause of failures, from their reasons and the columns of the input. */
  clue?(reasons: readonly string[], columns: readonly string[]): string | undefined;
  /** Rows are sent only then. */
  readonly hours?: Hours | undefined;
  /** The settings of the profile that it uses, for people. */
  readonly origin?: string | undefined;
  /** The number of params of each message. */
  readonly params?: number;
}

/** Everything a run needs, as determined by command line, input and caller. */
export interface Running {
  readonly context: Context;
  readonly action: Action;
  readonly options: RunFlags;
  readonly input: InputFile;
  readonly mapper: Mapper;
  readonly client: RunClient;
  /** A key of unknown mode counts as live. */
  readonly mode: Mode;
  readonly signals: RunSignals;
  readonly emit: Emit;
  readonly opened: OpenedLedger;
}
