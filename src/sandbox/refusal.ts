import { Mismatch, type Reader } from '../contract/readers.ts';
import type { ErrorStatus } from '../contract/endpoints.ts';

export interface RefusalDetails {
  /** A JSON pointer to the invalid part of the body. */
  readonly pointer?: string | undefined;
  /** Milliseconds until the same request may succeed. */
  readonly retryAfter?: number | undefined;
}

/** One of the document's six error answers (§7). */
export class Refusal extends Error {
  readonly status: ErrorStatus;
  readonly details: RefusalDetails;

  constructor(status: ErrorStatus, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.details = details;
  }
}

export function badBody(detail: string, pointer?: string): Refusal {
  return new Refusal(400, detail, { pointer });
}

/** Turns a Mismatch of a body into a 400 that points to it. */
export function readOrRefuse<T>(reader: Reader<T>, body: unknown): T {
  try {
    return reader(body);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Turns a Mismatch into a 400 that points to it; returns other errors unchanged. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof Mismatch)) return error;
  return badBody(`${error.at === '' ? 'the body' : error.at} ${error.message}`, error.at);
}
