import type { Resend } from '../store/decide.ts';
import type { Batch, Scope } from '../store/batch.ts';
import type { Forecast } from './forecast.ts';
import type { Mapper } from './mapping/mapped.ts';
import type { Lifts, Told } from './told.ts';

/** A command that loads people into a batch and sends to them. */
export interface Order {
  readonly command: 'send-batch' | 'contacts import';
  readonly kind: Scope['kind'];
  /** '' for an import. */
  readonly template: string;
  readonly file: string | undefined;
  /** `NAME` or `NAME:failed`, instead of a file. */
  readonly fromBatch: string | undefined;
  readonly told: Told & Lifts;
  /** The name of the batch, filled in. */
  readonly batch: string | undefined;
  /** A column, `phone` for one message each, or undefined. */
  readonly per: string | undefined;
  readonly first: number | undefined;
  readonly atMost: number | undefined;
  readonly again: boolean;
  readonly resend: readonly Resend[];
  readonly excludeFrom: readonly string[];
  readonly noExcludeFrom: boolean;
  readonly noMemory: boolean;
  /** A phone of the user, who gets the first message instead of the people. */
  readonly test: string | undefined;
  /** Whether a person was asked for the file or the template. */
  readonly isAsked: boolean;
  /** Throws if an option does not fit the columns. */
  mapper(told: Told, per: string, columns: readonly string[] | undefined): Promise<Mapper>;
}

/** A batch that this process holds, and which of its rows it sends. */
export interface Assignment {
  /** A resume sends all rows that wait, and the others those of their file. */
  readonly command: Order['command'] | 'batches resume';
  readonly batch: Batch;
  readonly isNew: boolean;
  readonly resend: readonly Resend[];
  readonly first: number | undefined;
  /** The file as it was typed, for the next command. */
  readonly file: string | undefined;
  readonly expected: Forecast;
  /** Whether the service lists templates, but not this one. */
  readonly isUnlisted: boolean;
  /** How held rows can be sent. */
  readonly heldHints: readonly string[];
}
