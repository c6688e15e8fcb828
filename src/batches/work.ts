import type { Host } from '../base/host.ts';
import type { CliError } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import type { RunClient, StopSignals } from '../session/session.ts';
import type { Batch } from '../store/batch.ts';
import type { Resend } from '../store/decide.ts';
import type { Stopped } from './stop.ts';

export interface WorkOptions {
  readonly database: Database;
  readonly batch: Batch;
  readonly worker: string;
  /** Whether only rows of the file are sent: a resume sends all that wait. */
  readonly isOfFile: boolean;
  readonly resend: readonly Resend[];
  /** How many rows the batch reaches, of `--first`. */
  readonly first: number | undefined;
  readonly endpoint: 'sendTemplate' | 'createContact';
  readonly client: Pick<RunClient, 'prepare' | 'reachable'> & { readonly pace: Pick<RunClient['pace'], 'limit'> };
  readonly signals: StopSignals;
  readonly host: Pick<Host, 'now' | 'steady' | 'later'>;
  /** Requests in flight at the beginning. */
  readonly startWith: number;
  /** Whether the service does not list the template: its first 404 ends the work. */
  readonly isUnlisted?: boolean | undefined;
  /** Called once an outcome is on record. Its worker waits until the promise resolves. */
  onOutcome(outcome: WorkOutcome): Promise<void> | undefined;
  onOutage?(state: 'gone' | 'back', last?: CliError): void;
}

/** The outcome of a row. */
export interface WorkOutcome {
  readonly n: number;
  readonly line: number;
  readonly state: 'sent' | 'failed' | 'unsure';
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  /** Of the service. */
  readonly id?: string | undefined;
  readonly status?: number | undefined;
  readonly answer?: unknown;
}

export interface Worked {
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  /** Why it ended before all rows were sent. */
  readonly stopped: Stopped | undefined;
}

/** Sends the rows of a batch until none waits. */
export async function work(_options: WorkOptions): Promise<Worked> {
  throw new Error('it comes soon');
}
