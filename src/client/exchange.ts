import type { CliError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { Mismatch, type Reader } from '../contract/readers.ts';
import { isSameOrigin } from './address.ts';
import type { Deadline } from './deadline.ts';
import { errorFor } from './failure.ts';
import type { Pace, Release, RequestEnd } from './pace.ts';
import { dryRunResult } from './dry-run.ts';
import { requestedWait, holdAfter, isRateLimited, retryDelay, excessiveWait } from './retry.ts';
import type { Redactor } from '../base/redact.ts';
import {
  type AttemptFailure,
  header,
  type Transport,
  type WireAnswer,
  type WireRequest,
  WireFailure,
  compression,
  isMutation,
} from './wire.ts';

export interface Connection extends Wire {
  readonly pace?: Pick<Pace, 'slot' | 'hold'> | undefined;
  /** Default: 3. */
  readonly retries?: number | undefined;
  /**
   * For runs: how many milliseconds to retry a 429 without Retry-After, regardless of `retries`. Retry-After is honored up
   * to 10 minutes, and the caller deals with an unreachable service.
   */
  readonly rateLimitPatience?: number | undefined;
  /** An optional lookup: a final 429 does not slow down other requests. */
  readonly bestEffort?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** True if this connects to a local sandbox. */
  readonly local?: boolean | undefined;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Called before each wait for a retry. */
  readonly onWait?: ((milliseconds: number, why: string) => void) | undefined;
}

/** One request, attempt by attempt: `slot`, then `send`. */
export interface Exchange<T> {
  /** After redirects, the last one. */
  readonly request: WireRequest;
  /**
   * Waits until the pace lets the request leave, after a failed attempt also for the pause before its retry. Returns no
   * promise if there is nothing to wait for: a run sends thousands of requests per second. Rejects if the signal aborts
   * (default: the signal of the connection). With `dryRun` it throws a DryRunResult.
   */
  slot(signal?: AbortSignal): Release | Promise<Release>;
  /** Sends the request once, and returns the slot. */
  send(slot: Release): Promise<Attempt<T>>;
}

type Attempt<T> =
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

interface ExchangeOptions<T> {
  readonly request: WireRequest;
  /** Throws if the answer is not what the document shows. */
  readonly read: (answer: WireAnswer) => T;
}

export function createExchange<T>(connection: Connection, options: ExchangeOptions<T>): Exchange<T> {
  return new Attempts(connection, options);
}

class Attempts<T> implements Exchange<T> {
  request: WireRequest;
  readonly #connection: Connection;
  readonly #read: (answer: WireAnswer) => T;
  #redirects = 0;
  #retriesDone = 0;
  /** Milliseconds before the next attempt. */
  #pause = 0;
  #rateLimitedAt: number | undefined;
  #requestedWaits = 0;

  constructor(connection: Connection, { request, read }: ExchangeOptions<T>) {
    this.request = request;
    this.#connection = connection;
    this.#read = read;
  }

  slot(signal = this.#connection.signal): Release | Promise<Release> {
    const { dryRun, redactor, pace } = this.#connection;
    if (dryRun) throw dryRunResult(this.request, redactor);
    if (this.#pause > 0 || signal.aborted) return this.#slotLater(signal);
    const slot = pace?.slot(signal, this.#retriesDone > 0) ?? unpaced;
    return slot instanceof Promise ? this.#interruptible(slot, signal) : slot;
  }

  async #slotLater(signal: AbortSignal): Promise<Release> {
    if (signal.aborted) throw this.#errorFor({ kind: 'interrupted', sent: false });
    await this.#interruptible(this.#connection.sleep(this.#pause, signal), signal);
    this.#pause = 0;
    return this.slot(signal);
  }

  async #interruptible<W>(waiting: Promise<W>, signal: AbortSignal): Promise<W> {
    try {
      return await waiting;
    } catch (error) {
      throw signal.aborted ? this.#errorFor({ kind: 'interrupted', sent: false }) : error;
    }
  }

  async send(slot: Release): Promise<Attempt<T>> {
    let ended: RequestEnd = 'unsent';
    try {
      const outcome = await sendOnce(this.#connection, this.request);
      ended = requestEnd(outcome);
      return 'kind' in outcome ? this.#failed(outcome) : this.#answered(outcome);
    } finally {
      slot(ended);
    }
  }

  #answered(answer: WireAnswer): Attempt<T> {
    const step = redirect(this.request, answer, this.#redirects);
    if (step.kind === 'refuse') return this.#final({ kind: 'redirected', answer, why: step.why });
    if (step.kind === 'follow') {
      this.request = { ...this.request, url: step.url };
      [this.#redirects, this.#retriesDone, this.#requestedWaits] = [this.#redirects + 1, 0, 0];
      this.#rateLimitedAt = undefined;
      return { outcome: 'again' };
    }
    try {
      return { outcome: 'done', answer: this.#read(answer) };
    } catch (error) {
      return this.#final({ kind: 'unreadable', answer, why: whyUnreadable(answer, error) });
    }
  }

  #failed(failure: AttemptFailure): Attempt<T> {
    const { pace, retries = 3, rateLimitPatience, random, bestEffort, onWait } = this.#connection;
    const now = this.#connection.now();
    const isLimited = isRateLimited(failure);
    const wait = retryDelay({
      failure,
      isMutation: isMutation(this.request.method),
      retriesDone: this.#retriesDone,
      retries,
      rateLimitPatience,
      rateLimitedFor: this.#rateLimitedAt === undefined ? 0 : now - this.#rateLimitedAt,
      requestedWaits: this.#requestedWaits,
      now,
      random: random(),
    });
    if (wait === undefined) {
      // This request gives up, and all others of the same plan wait.
      if (isLimited && !bestEffort) pace?.hold(holdAfter(failure, now));
      return this.#final(failure);
    }
    onWait?.(wait, this.#errorFor(failure).message);
    this.#retriesDone += 1;
    if (isLimited) {
      this.#rateLimitedAt ??= now;
      if (requestedWait(failure, now) !== undefined) this.#requestedWaits += wait;
      // Before the slot is returned, so that no other request leaves in between.
      pace?.hold(wait);
    }
    // After a 429 the pace makes this request wait as well.
    this.#pause = isLimited && pace ? 0 : wait;
    return { outcome: 'again' };
  }

  #final(failure: AttemptFailure): Attempt<T> {
    return { outcome: 'failed', error: this.#errorFor(failure) };
  }

  #errorFor(failure: AttemptFailure): CliError {
    const { redactor, local, now, rateLimitPatience } = this.#connection;
    const { method, url } = this.request;
    const wait = excessiveWait(failure, now(), rateLimitPatience);
    const explained = failure.kind === 'refused' ? { ...failure, excessiveWait: wait } : failure;
    return errorFor(explained, { method, url, redactor, local });
  }
}

const unpaced: Release = () => {};

/** Whether the service may have counted the request. */
function requestEnd(outcome: WireAnswer | AttemptFailure): RequestEnd {
  if (!('kind' in outcome)) return 'done';
  if (isRateLimited(outcome)) return 'limited';
  if (outcome.kind === 'broken') return outcome.failure.sent ? 'done' : 'unsent';
  return 'sent' in outcome && !outcome.sent ? 'unsent' : 'done';
}

interface Wire {
  readonly transport: Transport;
  /** Milliseconds. Default: 60 s for mutations, 30 s for the rest. */
  readonly timeout?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Aborted when the user or the system asks this process to end. */
  readonly signal: AbortSignal;
  readonly openDeadline: (milliseconds: number) => Deadline;
  readonly now: () => number;
  readonly redactor: Redactor;
}

const largest = 32 * 1024 * 1024;

/** Sends the request once. A redirect counts as an answer. */
async function sendOnce(wire: Wire, request: WireRequest): Promise<WireAnswer | AttemptFailure> {
  const { maxBytes = largest } = wire;
  if (wire.signal.aborted) return { kind: 'interrupted', sent: false };
  const waited = wire.timeout ?? (isMutation(request.method) ? 60_000 : 30_000);
  const deadline = wire.openDeadline(waited);
  try {
    const answer = await wire.transport.send(request, { signal: deadline, maxBytes });
    return isSuccessOrRedirect(answer.status) ? answer : { kind: 'refused', answer };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return failureOfWire(error, waited, wire.signal);
  } finally {
    deadline.release();
  }
}

function isSuccessOrRedirect(status: number): boolean {
  return (status >= 200 && status < 300) || isRedirect(status);
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function failureOfWire(failure: WireFailure, waited: number, signal: AbortSignal): AttemptFailure {
  if (failure.kind !== 'aborted') return { kind: 'broken', failure };
  return signal.aborted ? { kind: 'interrupted', sent: failure.sent } : { kind: 'late', sent: failure.sent, waited };
}

type Redirect =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'refuse'; readonly why: string };

const mostRedirects = 5;

/** Decides whether to follow a redirect: never for a mutation, otherwise within the origin. */
function redirect(request: WireRequest, answer: WireAnswer, redirects: number): Redirect {
  if (!isRedirect(answer.status)) return { kind: 'none' };
  const target = header(answer.headers, 'location') ?? '';
  if (isMutation(request.method))
    return { kind: 'refuse', why: `a ${request.method} does not follow redirects, here to "${target}"` };
  if (redirects >= mostRedirects)
    return { kind: 'refuse', why: `more than ${mostRedirects} redirects, the last to "${target}"` };
  const url = URL.canParse(target, request.url) ? new URL(target, request.url) : undefined;
  const { origin } = new URL(request.url);
  if (target === '' || !url || !isSameOrigin({ origin }, url)) {
    return { kind: 'refuse', why: `a redirect to "${target}", which is not ${origin}` };
  }
  url.hash = '';
  return { kind: 'follow', url: url.href };
}

/** The answer of one exchange, as a part of a list. */
export interface Page {
  readonly answer: unknown;
  /** Whether the answer links to a next page. */
  readonly more: boolean;
}

/** Parses an answer. An empty answer is valid if the document shows none. */
export function readAnswer<T>(answer: WireAnswer, reader: Reader<T>): T {
  const text = textOf(answer);
  return reader(text.trim() === '' ? undefined : parseJson(text));
}

function textOf({ body }: WireAnswer): string {
  // A byte order mark has no meaning in UTF-8.
  return body.toString().replace(/^\ufeff/, '');
}

function whyUnreadable(answer: WireAnswer, error: unknown): string {
  return textOf(answer).trim() === '' ? 'it is empty' : (compression(answer) ?? reason(error));
}

function reason(error: unknown): string {
  if (error instanceof Mismatch) return `${error.at} ${error.message}`.trim();
  return error instanceof SyntaxError && error.message.startsWith('it nests') ? error.message : 'it is not JSON';
}
