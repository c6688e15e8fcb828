import { Mismatch } from '../contract/readers.ts';
import type { ErrorStatus } from '../contract/statuses.ts';

interface RefusalDetails {
  /** A JSON pointer to the culprit in the body. */
  readonly pointer?: string | undefined;
  /** Milliseconds after which the same request may pass. */
  readonly retryAfter?: number | undefined;
}

/** An answer that is one of the document's six errors (§7). */
export class Refusal extends Error {
  readonly status: ErrorStatus;
  readonly pointer: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(status: ErrorStatus, detail: string, details: RefusalDetails = {}) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.pointer = details.pointer;
    this.retryAfter = details.retryAfter;
  }
}

export function badBody(detail: string, pointer?: string): Refusal {
  return new Refusal(400, detail, { pointer });
}

/** Reads a body; what does not fit is refused with its place. */
export function readOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asRefusal(error);
  }
}

/** What does not fit is refused with its place; all else stays what it is. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof Mismatch)) return error;
  return badBody(`${error.at === '' ? 'the body' : error.at} ${error.message}`, error.at);
}
