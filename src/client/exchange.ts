import type { Wire } from './attempt.ts';
import { attempt } from './attempt.ts';
import { failureOf } from './failure.ts';
import type { Ended } from './gate.ts';
import type { Pace } from './pace.ts';
import { planned } from './plan.ts';
import { redirect } from './redirects.ts';
import { askedBy, holdAfter, isLimited, retryDelay, tooLongAsked } from './retry.ts';
import type { WireAnswer, WireRequest } from './transport.ts';
import type { Trouble } from './trouble.ts';
import { isChange } from './trouble.ts';

export interface Line extends Wire {
  readonly pace?: Pace | undefined;
  /** Once it is aborted nothing leaves any more, but what is on its way is waited for; the line's own if not given. */
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

export interface Exchanged {
  readonly answer: WireAnswer;
  /** Where the answer came from in the end. */
  readonly url: string;
}

/**
 * A request through to its success, with its pace, its repetitions and its redirects. A run has thousands a second, so
 * there is no promise where nothing is waited for.
 */
export async function exchange(
  line: Line,
  request: WireRequest,
  { followed = 0, departure }: Course = {},
): Promise<Exchanged> {
  if (line.dryRun) throw planned(request, line.conceal);
  const { boarding = line.signal } = line;
  let limitedAt: number | undefined;
  let askedFor = 0;
  for (let repeated = 0; ; repeated += 1) {
    const slot = line.pace?.slot(boarding, repeated > 0);
    const release = slot instanceof Promise ? await turn(line, request, slot) : slot;
    let ended: Ended = 'unsent';
    let wait: number;
    try {
      const ready = departure?.leaving();
      if (ready) await ready;
      if (boarding.aborted) throw failed(line, request, { kind: 'interrupted', sent: false });
      const outcome = await attempt(line, request);
      ended = endOf(outcome);
      if (!('kind' in outcome)) return arrived(line, request, { answer: outcome, followed });
      if (ended === 'limited') limitedAt ??= line.now();
      wait = waitAfter(line, request, { trouble: outcome, repeated, limitedAt, askedFor });
      departure?.waits();
      if (ended === 'limited' && askedBy(outcome, line.now()) !== undefined) askedFor += wait;
      // Before its slot is free, so that nobody slips through between.
      if (ended === 'limited') line.pace?.hold(wait);
    } finally {
      release?.(ended);
    }
    // A pace that is held has this one wait as well.
    if (ended !== 'limited' || !line.pace) await turn(line, request, line.sleep(wait, boarding));
  }
}

export function failed({ conceal, local }: Line, { method, url }: WireRequest, trouble: Trouble): Error {
  return failureOf(trouble, { method, url, conceal, local });
}

interface Arrived {
  readonly answer: WireAnswer;
  readonly followed: number;
}

function arrived(line: Line, request: WireRequest, { answer, followed }: Arrived): Exchanged | Promise<Exchanged> {
  const step = redirect(request, answer, followed);
  if (step.kind === 'follow') return exchange(line, { ...request, url: step.url }, { followed: followed + 1 });
  if (step.kind === 'refuse') throw failed(line, request, { kind: 'redirected', answer, why: step.why });
  return { answer, url: request.url };
}

/** Waits for what the user's signal may end. */
async function turn<T>(line: Line, request: WireRequest, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    if ((line.boarding ?? line.signal).aborted) throw failed(line, request, { kind: 'interrupted', sent: false });
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
function waitAfter(line: Line, request: WireRequest, { trouble, repeated, limitedAt, askedFor }: Repeated): number {
  const { retries = 3, patience, random } = line;
  const [now, changes] = [line.now(), isChange(request.method)];
  const limitedFor = limitedAt === undefined ? 0 : now - limitedAt;
  const limits = { retries, patience, limitedFor, askedFor };
  const wait = retryDelay({ trouble, changes, repeated, ...limits, now, random: random() });
  const asked = tooLongAsked(trouble, now, patience);
  const failure = failed(line, request, trouble.kind === 'refused' ? { ...trouble, asked } : trouble);
  if (wait === undefined) {
    // It ends this process, and has the others of the same plan wait.
    if (isLimited(trouble) && !line.looksOnly) line.pace?.hold(holdAfter(trouble, now));
    throw failure;
  }
  line.onWait?.(wait, failure.message);
  return wait;
}

/** What the service may count it for. */
function endOf(outcome: WireAnswer | Trouble): Ended {
  if (!('kind' in outcome)) return 'done';
  if (isLimited(outcome)) return 'limited';
  if (outcome.kind === 'broken') return outcome.failure.sent ? 'done' : 'unsent';
  return 'sent' in outcome && !outcome.sent ? 'unsent' : 'done';
}
