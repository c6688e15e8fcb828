import { parseJson } from '../base/json.ts';
import { Mismatch, type Reader } from '../contract/readers.ts';
import { isSameOrigin } from './address.ts';
import type { Deadline } from './deadline.ts';
import { errorFor } from './failure.ts';
import type { RequestEnd, Pace } from './pace/pace.ts';
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
} from './transport.ts';

export interface Connection extends Wire {
  readonly pace?: Pace | undefined;
  /** Stops new requests; requests in flight finish. Default: `signal`. */
  readonly stopSending?: AbortSignal | undefined;
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

export interface SendHooks {
  /** Called each time the request has its slot. The request leaves once this has resolved. */
  beforeSend(): Promise<void> | undefined;
  /** Called before the wait for a retry, which begins once it has resolved: the service has not processed the request. */
  beforeRetry(): Promise<void> | void;
}

interface ExchangeOptions {
  /** Redirects followed so far. */
  readonly redirects?: number;
  readonly hooks?: SendHooks | undefined;
}

interface Exchanged {
  readonly answer: WireAnswer;
  /** The last address after redirects. */
  readonly url: string;
}

/**
 * Sends a request until it succeeds or finally fails, with rate limit, retries and redirects. A run sends thousands per
 * second, so promises are only created when there is something to wait for.
 */
export async function exchange(
  connection: Connection,
  request: WireRequest,
  { redirects = 0, hooks }: ExchangeOptions = {},
): Promise<Exchanged> {
  if (connection.dryRun) throw dryRunResult(request, connection.redactor);
  const { stopSending = connection.signal } = connection;
  let rateLimitedAt: number | undefined;
  let requestedWaits = 0;
  for (let retriesDone = 0; ; retriesDone += 1) {
    const slot = connection.pace?.slot(stopSending, retriesDone > 0);
    const release = slot instanceof Promise ? await interruptible(connection, request, slot) : slot;
    let ended: RequestEnd = 'unsent';
    let wait: number;
    try {
      const ready = hooks?.beforeSend();
      if (ready) await ready;
      if (stopSending.aborted) throw requestError(connection, request, { kind: 'interrupted', sent: false });
      const outcome = await attempt(connection, request);
      ended = requestEnd(outcome);
      if (!('kind' in outcome)) return afterAnswer(connection, request, { answer: outcome, redirects });
      wait = retryWait(connection, request, { failure: outcome, retriesDone, rateLimitedAt, requestedWaits });
      const released = hooks?.beforeRetry();
      if (ended === 'limited') {
        const now = connection.now();
        rateLimitedAt ??= now;
        if (requestedWait(outcome, now) !== undefined) requestedWaits += wait;
        // Before the slot is released, so that no other request leaves in between.
        connection.pace?.hold(wait);
      }
      if (released) await released;
    } finally {
      release?.(ended);
    }
    // After a 429 the pace makes this request wait as well.
    if (ended !== 'limited' || !connection.pace)
      await interruptible(connection, request, connection.sleep(wait, stopSending));
  }
}

function requestError({ redactor, local }: Connection, { method, url }: WireRequest, failure: AttemptFailure): Error {
  return errorFor(failure, { method, url, redactor, local });
}

interface Answered {
  readonly answer: WireAnswer;
  readonly redirects: number;
}

function afterAnswer(
  connection: Connection,
  request: WireRequest,
  { answer, redirects }: Answered,
): Exchanged | Promise<Exchanged> {
  const step = redirect(request, answer, redirects);
  if (step.kind === 'follow') return exchange(connection, { ...request, url: step.url }, { redirects: redirects + 1 });
  if (step.kind === 'refuse') throw requestError(connection, request, { kind: 'redirected', answer, why: step.why });
  return { answer, url: request.url };
}

/** Awaits a slot or a pause; if the signal ends it, throws the error of an interrupted request. */
async function interruptible<T>(connection: Connection, request: WireRequest, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    if ((connection.stopSending ?? connection.signal).aborted)
      throw requestError(connection, request, { kind: 'interrupted', sent: false });
    throw error;
  }
}

interface RetryState {
  readonly failure: AttemptFailure;
  readonly retriesDone: number;
  readonly rateLimitedAt: number | undefined;
  readonly requestedWaits: number;
}

/** Returns the milliseconds until the next attempt; throws the error of the request if it must not be retried. */
function retryWait(connection: Connection, request: WireRequest, state: RetryState): number {
  const { failure, retriesDone, rateLimitedAt, requestedWaits } = state;
  const { retries = 3, rateLimitPatience, random } = connection;
  const now = connection.now();
  const wait = retryDelay({
    failure,
    isMutation: isMutation(request.method),
    retriesDone,
    retries,
    rateLimitPatience,
    rateLimitedFor: rateLimitedAt === undefined ? 0 : now - rateLimitedAt,
    requestedWaits,
    now,
    random: random(),
  });
  const excessive = excessiveWait(failure, now, rateLimitPatience);
  const error = requestError(
    connection,
    request,
    failure.kind === 'refused' ? { ...failure, excessiveWait: excessive } : failure,
  );
  if (wait === undefined) {
    // This request gives up, and all others of the same plan wait.
    if (isRateLimited(failure) && !connection.bestEffort) connection.pace?.hold(holdAfter(failure, now));
    throw error;
  }
  connection.onWait?.(wait, error.message);
  return wait;
}

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
async function attempt(wire: Wire, request: WireRequest): Promise<WireAnswer | AttemptFailure> {
  const { maxBytes = largest } = wire;
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

export interface ResendOptions {
  /** Sends a message again that was sent shortly before. */
  readonly again?: boolean | undefined;
  /** Sends a message again that may have been sent before. */
  readonly retryUnsure?: boolean | undefined;
}

type Send<T> = (hooks?: SendHooks) => Promise<T>;

/** Wraps every mutating call. `send` reports through the hooks when the request leaves. */
export type CallGuard = <T>(request: WireRequest, send: Send<T>, options: ResendOptions) => Promise<T>;

interface GuardOptions {
  readonly dryRun?: boolean | undefined;
  readonly guard?: CallGuard | undefined;
}

export function guarded<T>(
  { dryRun, guard }: GuardOptions,
  { request, ...options }: ResendOptions & { readonly request: WireRequest },
  send: Send<T>,
): Promise<T> {
  return guard && !dryRun && isMutation(request.method) ? guard(request, send, options) : send();
}

type Redirect =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'refuse'; readonly why: string };

const mostRedirects = 5;

/** Decides whether to follow a redirect: never for a mutation, otherwise within the origin. */
export function redirect(request: WireRequest, answer: WireAnswer, redirects: number): Redirect {
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

interface Success {
  readonly answer: WireAnswer;
  readonly reader: Reader<unknown>;
}

/** Parses an answer with its endpoint's reader. An empty answer is valid if the document shows none. */
export function readAnswer(connection: Connection, request: WireRequest, { answer, reader }: Success): unknown {
  // A byte order mark has no meaning in UTF-8.
  const text = answer.body.toString().replace(/^\ufeff/, '');
  const empty = text.trim() === '';
  try {
    return reader(empty ? undefined : parseJson(text));
  } catch (error) {
    const why = empty ? 'it is empty' : (compression(answer) ?? reason(error));
    throw requestError(connection, request, { kind: 'unreadable', answer, why });
  }
}

function reason(error: unknown): string {
  if (error instanceof Mismatch) return `${error.at} ${error.message}`.trim();
  return error instanceof SyntaxError && error.message.startsWith('it nests') ? error.message : 'it is not JSON';
}
