import { isSameOrigin } from './address.ts';
import type { Deadline } from './deadline.ts';
import { failureOf, isChange, type Trouble } from './failure.ts';
import type { Ended, Pace } from './pace/pace.ts';
import { planned } from './dry-run.ts';
import { askedBy, holdAfter, isLimited, retryDelay, tooLongAsked } from './retry.ts';
import { answerLines, type Conceal, failureLines, requestLines } from './trace.ts';
import { header, type Transport, type WireAnswer, type WireRequest } from './transport.ts';
import { WireFailure } from './wire.ts';

export interface Connection extends Wire {
  readonly pace?: Pace | undefined;
  /** Once it is aborted nothing leaves any more, but what is on its way is waited for; the connection's own if not given. */
  readonly boarding?: AbortSignal | undefined;
  /** 3 if not given. */
  readonly retries?: number | undefined;
  /**
   * In a run: for how many milliseconds a 429 without Retry-After is waited out, however often that repeats the request.
   * Retry-After is honored up to 10 minutes, and a service that cannot be reached is left to the caller.
   */
  readonly patience?: number | undefined;
  /** What it is answered is good to know, and a 429 that ends it keeps nobody from what they want. */
  readonly looksOnly?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** A sandbox on this machine is called. */
  readonly local?: boolean | undefined;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Told of each wait before a request is repeated. */
  readonly onWait?: ((milliseconds: number, why: string) => void) | undefined;
}

/** What the caller has to know of the moments at which a request may be sent. */
export interface Departure {
  /** Called each time it has a slot and is about to leave; it leaves when this has resolved. */
  leaving(): Promise<void> | undefined;
  /** Called before it waits to be repeated: the service has surely not acted on it. */
  waits(): void;
}

interface Course {
  /** The number of redirects followed. */
  readonly followed?: number;
  readonly departure?: Departure | undefined;
}

interface Exchanged {
  readonly answer: WireAnswer;
  /** Where the answer came from in the end. */
  readonly url: string;
}

/**
 * A request through to its success, with its pace, its repetitions and its redirects. A run has thousands a second, so
 * there is no promise where nothing is waited for.
 */
export async function exchange(
  connection: Connection,
  request: WireRequest,
  { followed = 0, departure }: Course = {},
): Promise<Exchanged> {
  if (connection.dryRun) throw planned(request, connection.conceal);
  const { boarding = connection.signal } = connection;
  let limitedAt: number | undefined;
  let askedFor = 0;
  for (let repeated = 0; ; repeated += 1) {
    const slot = connection.pace?.slot(boarding, repeated > 0);
    const release = slot instanceof Promise ? await turn(connection, request, slot) : slot;
    let ended: Ended = 'unsent';
    let wait: number;
    try {
      const ready = departure?.leaving();
      if (ready) await ready;
      if (boarding.aborted) throw failed(connection, request, { kind: 'interrupted', sent: false });
      const outcome = await attempt(connection, request);
      ended = endOf(outcome);
      if (!('kind' in outcome)) return arrived(connection, request, { answer: outcome, followed });
      if (ended === 'limited') limitedAt ??= connection.now();
      wait = waitAfter(connection, request, { trouble: outcome, repeated, limitedAt, askedFor });
      departure?.waits();
      if (ended === 'limited' && askedBy(outcome, connection.now()) !== undefined) askedFor += wait;
      // Before its slot is free, so that nobody slips through between.
      if (ended === 'limited') connection.pace?.hold(wait);
    } finally {
      release?.(ended);
    }
    // A pace that is held has this one wait as well.
    if (ended !== 'limited' || !connection.pace) await turn(connection, request, connection.sleep(wait, boarding));
  }
}

export function failed({ conceal, local }: Connection, { method, url }: WireRequest, trouble: Trouble): Error {
  return failureOf(trouble, { method, url, conceal, local });
}

interface Arrived {
  readonly answer: WireAnswer;
  readonly followed: number;
}

function arrived(
  connection: Connection,
  request: WireRequest,
  { answer, followed }: Arrived,
): Exchanged | Promise<Exchanged> {
  const step = redirect(request, answer, followed);
  if (step.kind === 'follow') return exchange(connection, { ...request, url: step.url }, { followed: followed + 1 });
  if (step.kind === 'refuse') throw failed(connection, request, { kind: 'redirected', answer, why: step.why });
  return { answer, url: request.url };
}

/** Waits for what the user's signal may end. */
async function turn<T>(connection: Connection, request: WireRequest, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    if ((connection.boarding ?? connection.signal).aborted)
      throw failed(connection, request, { kind: 'interrupted', sent: false });
    throw error;
  }
}

interface Repeated {
  readonly trouble: Trouble;
  readonly repeated: number;
  readonly limitedAt: number | undefined;
  readonly askedFor: number;
}

/** How long to wait for the next attempt; throws what happened when there is to be none. */
function waitAfter(
  connection: Connection,
  request: WireRequest,
  { trouble, repeated, limitedAt, askedFor }: Repeated,
): number {
  const { retries = 3, patience, random } = connection;
  const [now, changes] = [connection.now(), isChange(request.method)];
  const limitedFor = limitedAt === undefined ? 0 : now - limitedAt;
  const limits = { retries, patience, limitedFor, askedFor };
  const wait = retryDelay({ trouble, changes, repeated, ...limits, now, random: random() });
  const asked = tooLongAsked(trouble, now, patience);
  const failure = failed(connection, request, trouble.kind === 'refused' ? { ...trouble, asked } : trouble);
  if (wait === undefined) {
    // It ends this process, and has the others of the same plan wait.
    if (isLimited(trouble) && !connection.looksOnly) connection.pace?.hold(holdAfter(trouble, now));
    throw failure;
  }
  connection.onWait?.(wait, failure.message);
  return wait;
}

/** What the service may count it for. */
function endOf(outcome: WireAnswer | Trouble): Ended {
  if (!('kind' in outcome)) return 'done';
  if (isLimited(outcome)) return 'limited';
  if (outcome.kind === 'broken') return outcome.failure.sent ? 'done' : 'unsent';
  return 'sent' in outcome && !outcome.sent ? 'unsent' : 'done';
}

interface Wire {
  readonly transport: Transport;
  /** In milliseconds, in place of 60 s for what changes something and 30 s for the rest. */
  readonly timeout?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Aborted when the user or the system wants this process to end. */
  readonly signal: AbortSignal;
  readonly openDeadline: (milliseconds: number) => Deadline;
  readonly now: () => number;
  /** Takes the lines of --debug. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly conceal: Conceal;
}

const largest = 32 * 1024 * 1024;

/** One request on the wire: its answer, redirects included, or what came of it. */
async function attempt(wire: Wire, request: WireRequest): Promise<WireAnswer | Trouble> {
  const { transport, trace, conceal, now, maxBytes = largest } = wire;
  const waited = wire.timeout ?? (isChange(request.method) ? 60_000 : 30_000);
  const deadline = wire.openDeadline(waited);
  const started = trace ? now() : 0;
  try {
    if (trace) tell(trace, requestLines(request, conceal));
    const answer = await transport.send(request, { signal: deadline, maxBytes });
    if (trace) tell(trace, answerLines(answer, now() - started, conceal));
    return isAnswer(answer.status) ? answer : { kind: 'refused', answer };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    if (trace) tell(trace, failureLines(error, now() - started, conceal));
    return troubleOf(error, waited, wire.signal);
  } finally {
    deadline.release();
  }
}

function tell(trace: (line: string) => void, lines: readonly string[]): void {
  for (const line of lines) trace(line);
}

function isAnswer(status: number): boolean {
  return (status >= 200 && status < 300) || [301, 302, 303, 307, 308].includes(status);
}

function troubleOf(failure: WireFailure, waited: number, signal: AbortSignal): Trouble {
  if (failure.kind !== 'aborted') return { kind: 'broken', failure };
  return signal.aborted ? { kind: 'interrupted', sent: failure.sent } : { kind: 'late', sent: failure.sent, waited };
}

export interface ChangeOptions {
  /** A message that was sent just before is sent again. */
  readonly again?: boolean | undefined;
  /** A message that may have been sent before is sent again. */
  readonly retryUnsure?: boolean | undefined;
}

type Send<T> = (departure?: Departure) => Promise<T>;

/** Goes round each call that changes something: it is handed what sends the request, which says when it leaves. */
export type Around = <T>(request: WireRequest, send: Send<T>, options: ChangeOptions) => Promise<T>;

interface Changing {
  readonly dryRun?: boolean | undefined;
  readonly around?: Around | undefined;
}

export function changing<T>(
  { dryRun, around }: Changing,
  { request, ...options }: ChangeOptions & { readonly request: WireRequest },
  send: Send<T>,
): Promise<T> {
  return around && !dryRun && isChange(request.method) ? around(request, send, options) : send();
}

type Redirect =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'refuse'; readonly why: string };

const most = 5;

/** A request that changes something follows none; the others stay within their origin. */
export function redirect(request: WireRequest, answer: WireAnswer, followed: number): Redirect {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return { kind: 'none' };
  const target = header(answer.headers, 'location') ?? '';
  if (isChange(request.method))
    return { kind: 'refuse', why: `a ${request.method} follows no redirect, here to "${target}"` };
  if (followed >= most) return { kind: 'refuse', why: `more than ${most} redirects, the last to "${target}"` };
  const url = URL.canParse(target, request.url) ? new URL(target, request.url) : undefined;
  const { origin } = new URL(request.url);
  if (target === '' || !url || !isSameOrigin({ origin }, url)) {
    return { kind: 'refuse', why: `a redirect to "${target}", which is not ${origin}` };
  }
  url.hash = '';
  return { kind: 'follow', url: url.href };
}
