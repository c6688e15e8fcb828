import type { CliError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import type { Redactor } from '../base/redact.ts';
import { Mismatch, type Reader } from '../contract/readers.ts';
import { isSameOrigin } from './address.ts';
import { dryRunResult } from './dry-run.ts';
import { errorFor } from './failure.ts';
import type { ClientPace, Release, RequestEnd } from './pace.ts';
import { holdAfter, isRateLimited, requestedWait, retryDelay } from './retry.ts';
import {
  type AttemptFailure,
  header,
  isMutation,
  type Transport,
  type WireAnswer,
  WireFailure,
  type WireRequest,
} from './wire.ts';

export interface Connection {
  readonly transport: Transport;
  /** Milliseconds. Default: 60 s for mutations, 30 s for the rest. */
  readonly timeout?: number | undefined;
  /** Aborted when the user or the system asks this process to end. */
  readonly signal: AbortSignal;
  readonly pace?: ClientPace | undefined;
  /** Default: 3. */
  readonly retries?: number | undefined;
  /** A batch waits longer for a rate limit, whatever the retries, and deals with an unreachable service itself. */
  readonly isBatch?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** True if this connects to a local sandbox. */
  readonly local?: boolean | undefined;
  readonly redactor: Redactor;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called before each wait for a retry. */
  readonly onWait?: ((milliseconds: number, why: string) => void) | undefined;
}

export type Attempt<T> =
  | { readonly outcome: 'done'; readonly answer: T }
  /** The error says whether the service may have acted. */
  | { readonly outcome: 'failed'; readonly error: CliError }
  /** It may be sent once more; a request that changes something only if the service has not acted. */
  | { readonly outcome: 'again' };

/** Makes attempts until the request succeeds or finally fails. */
export async function complete<T>(exchange: Exchange<T>): Promise<T> {
  for (;;) {
    const attempt = await exchange.send(await exchange.slot());
    if (attempt.outcome === 'done') return attempt.answer;
    if (attempt.outcome === 'failed') throw attempt.error;
  }
}

/** One request, attempt by attempt: `slot`, then `send`. */
export class Exchange<T> {
  /** After redirects, the last one. */
  request: WireRequest;
  /** Of the last answer. */
  status: number | undefined;
  /** The time of the service in the last answer, in milliseconds; NaN if there is none. */
  time = Number.NaN;
  readonly #connection: Connection;
  readonly #read: (answer: WireAnswer) => T;
  #redirects = 0;
  #retriesDone = 0;
  /** Milliseconds before the next attempt. */
  #pause = 0;
  /** The time of the first 429. */
  #limitedAt: number | undefined;

  /** `read` throws if the answer is not what the document shows. */
  constructor(connection: Connection, request: WireRequest, read: (answer: WireAnswer) => T) {
    this.request = request;
    this.#connection = connection;
    this.#read = read;
  }

  /**
   * Waits until the pace lets the request leave, after a failed attempt also for the pause before its retry. Returns no
   * promise if there is nothing to wait for, so that a batch claims all rows that may leave in one transaction. Fails if
   * the signal aborts (default: the signal of the connection), and in a dry run with a DryRunResult.
   */
  slot(signal = this.#connection.signal): Release | Promise<Release> {
    const { dryRun, redactor } = this.#connection;
    if (dryRun) throw dryRunResult(this.request, redactor);
    if (signal.aborted) throw this.#interrupted();
    const slot = this.#pause > 0 ? this.#slotAfterPause(signal) : this.#slotNow(signal);
    if (!(slot instanceof Promise)) return slot;
    return slot.catch((error: unknown) => {
      throw signal.aborted ? this.#interrupted() : error;
    });
  }

  #slotNow(signal: AbortSignal): Release | Promise<Release> {
    return this.#connection.pace?.slot(signal, this.#retriesDone > 0) ?? unpaced;
  }

  async #slotAfterPause(signal: AbortSignal): Promise<Release> {
    await this.#connection.sleep(this.#pause, signal);
    this.#pause = 0;
    return this.#slotNow(signal);
  }

  #interrupted(): CliError {
    return this.#errorFor(new WireFailure('interrupted', false, 'interrupted'));
  }

  /** Sends the request once, and returns the slot. The body may become known after the slot. */
  async send(slot: Release, body?: string): Promise<Attempt<T>> {
    let ended: RequestEnd = 'unsent';
    if (body !== undefined) this.request = { ...this.request, body };
    try {
      const outcome = await sendOnce(this.#connection, this.request);
      ended = requestEnd(outcome);
      return outcome instanceof WireFailure ? this.#failed(outcome) : this.#answered(outcome);
    } finally {
      slot(ended);
    }
  }

  #answered(answer: WireAnswer): Attempt<T> {
    const { status } = answer;
    this.status = status;
    this.time = Date.parse(header(answer.headers, 'date') ?? '');
    if ([301, 302, 303, 307, 308].includes(status)) return this.#redirected(answer);
    if (status < 200 || status >= 300) return this.#failed({ kind: 'refused', answer });
    try {
      return { outcome: 'done', answer: this.#read(answer) };
    } catch (error) {
      return this.#final({ kind: 'unreadable', answer, why: whyUnreadable(answer, error) });
    }
  }

  #redirected(answer: WireAnswer): Attempt<T> {
    const target = redirectTarget(this.request, answer, this.#redirects);
    if ('why' in target) return this.#final({ kind: 'redirected', answer, why: target.why });
    this.request = { ...this.request, url: target.url };
    this.#redirects += 1;
    return { outcome: 'again' };
  }

  #failed(failure: AttemptFailure): Attempt<T> {
    const { pace, onWait } = this.#connection;
    const now = this.#connection.now();
    const isLimited = isRateLimited(failure);
    if (isLimited) this.#limitedAt ??= now;
    const wait = retryDelay({
      ...this.#connection,
      failure,
      isMutation: isMutation(this.request.method),
      retriesDone: this.#retriesDone,
      limitedFor: now - (this.#limitedAt ?? now),
      now,
    });
    if (wait === undefined) {
      // This request gives up, and all others of the same plan wait.
      if (isLimited) pace?.hold(holdAfter(failure, now));
      return this.#final(failure, requestedWait(failure, now));
    }
    onWait?.(wait, this.#errorFor(failure).message);
    this.#retriesDone += 1;
    // Before the slot is returned, so that no other request leaves in between.
    if (isLimited) pace?.hold(wait);
    // After a 429 the pace makes this request wait as well.
    this.#pause = isLimited && pace ? 0 : wait;
    return { outcome: 'again' };
  }

  #final(failure: AttemptFailure, wait?: number): Attempt<T> {
    return { outcome: 'failed', error: this.#errorFor(failure, wait) };
  }

  #errorFor(failure: AttemptFailure, wait?: number): CliError {
    const { redactor, local } = this.#connection;
    const { method, url } = this.request;
    return errorFor(failure, { method, url, redactor, local, wait });
  }
}

const unpaced: Release = () => {};

const maxBytes = 32 * 1024 * 1024;

async function sendOnce(connection: Connection, request: WireRequest): Promise<WireAnswer | WireFailure> {
  const { transport, signal, timeout = isMutation(request.method) ? 60_000 : 30_000 } = connection;
  try {
    return await transport.send(request, { signal, timeout, maxBytes });
  } catch (error) {
    if (error instanceof WireFailure) return error;
    throw error;
  }
}

/** Whether the service may have counted the request. */
function requestEnd(outcome: WireAnswer | WireFailure): RequestEnd {
  if (outcome instanceof WireFailure) return outcome.sent ? 'done' : 'unsent';
  return outcome.status === 429 ? 'limited' : 'done';
}

const mostRedirects = 5;

/** Returns the URL to follow: never for a mutation, otherwise within the origin. */
function redirectTarget(
  { method, url: from }: WireRequest,
  { headers }: WireAnswer,
  followed: number,
): { readonly url: string } | { readonly why: string } {
  const target = header(headers, 'location') ?? '';
  if (isMutation(method)) return { why: `a ${method} does not follow redirects, here to "${target}"` };
  if (followed >= mostRedirects) return { why: `more than ${mostRedirects} redirects, the last to "${target}"` };
  const { origin } = new URL(from);
  const url = target !== '' && URL.canParse(target, from) ? new URL(target, from) : undefined;
  if (!url || !isSameOrigin({ origin }, url)) return { why: `a redirect to "${target}", which is not ${origin}` };
  url.hash = '';
  return { url: url.href };
}

/** Parses an answer. An empty answer is valid if the document shows none. */
export function readAnswer<T>(answer: WireAnswer, reader: Reader<T>): T {
  const text = textOf(answer);
  return reader(text.trim() === '' ? undefined : parseJson(text));
}

function textOf({ body }: WireAnswer): string {
  // Without a byte order mark, which has no meaning in UTF-8.
  return new TextDecoder().decode(body);
}

function whyUnreadable(answer: WireAnswer, error: unknown): string {
  if (textOf(answer).trim() === '') return 'it is empty';
  return error instanceof Mismatch ? `${error.at} ${error.message}`.trim() : 'it is not JSON';
}
