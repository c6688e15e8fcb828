export interface Place {
  /** The number of a row in the input, counted from 1; blank lines and headers do not count. */
  readonly number: number;
  /** Its line, or in a JSON array its number. */
  readonly line: number;
}

/** A row that may be sent. */
export interface Ready extends Place {
  /** The body of its request, as JSON. */
  readonly content: string;
  /** It failed in an earlier command. */
  readonly isRetry?: boolean | undefined;
  /** Its number in the ledger, and the digest of what it says. */
  readonly item: number;
  readonly text: Uint8Array;
}

/** The end of a row in this command. */
export type Outcome = Done | NotDone | Skipped;

interface Done {
  readonly outcome: 'done';
  readonly row: Ready;
  /** The answer of the service. */
  readonly answer: unknown;
}

interface NotDone {
  readonly outcome: 'failed' | 'unsure';
  readonly row: Ready;
  readonly code: string;
  readonly reason: string;
}

/** Another process dealt with it since this command began, or left it unsure, or its recipient opted out. */
interface Skipped {
  readonly outcome: 'skipped';
  readonly row: Place;
  readonly why: SkipReason;
}

export type SkipReason = 'this_run' | 'changed' | 'unsure' | 'elsewhere' | 'excluded';
