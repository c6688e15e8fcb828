import type { Wire } from './attempt.ts';
import { attempt, pause } from './attempt.ts';
import { failureOf } from './failure.ts';
import { planned } from './plan.ts';
import { redirect } from './redirects.ts';
import { retryDelay } from './retry.ts';
import type { WireAnswer, WireRequest } from './transport.ts';
import type { Trouble } from './trouble.ts';
import { isChange } from './trouble.ts';

export interface Line extends Wire {
  /** 3 if not given. */
  readonly retries?: number | undefined;
  readonly dryRun?: boolean | undefined;
  /** A sandbox on this machine is called. */
  readonly local?: boolean | undefined;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Told of each wait before a request is repeated. */
  readonly onWait?: ((milliseconds: number, why: string) => void) | undefined;
}

export interface Exchanged {
  readonly answer: WireAnswer;
  /** Where the answer came from in the end. */
  readonly url: string;
}

/** A request through to its success, with its pace, its repetitions and its redirects. */
export async function exchange(line: Line, request: WireRequest, followed = 0): Promise<Exchanged> {
  if (line.dryRun) throw planned(request, line.conceal);
  const answer = await insist(line, request);
  const step = redirect(request, answer, followed);
  if (step.kind === 'follow') return exchange(line, { ...request, url: step.url }, followed + 1);
  if (step.kind === 'refuse') throw failed(line, request, { kind: 'redirected', answer, why: step.why });
  return { answer, url: request.url };
}

export function failed({ conceal, local }: Line, { method, url }: WireRequest, trouble: Trouble): Error {
  return failureOf(trouble, { method, url, conceal, local });
}

async function insist(line: Line, request: WireRequest): Promise<WireAnswer> {
  for (let repeated = 0; ; repeated += 1) {
    const outcome = await attempt(line, request);
    if (!('kind' in outcome)) return outcome;
    await rest(line, request, { trouble: outcome, repeated });
  }
}

/** Waits for the next attempt, or throws what happened when there is to be none. */
async function rest(
  line: Line,
  request: WireRequest,
  { trouble, repeated }: { readonly trouble: Trouble; readonly repeated: number },
): Promise<void> {
  const { retries = 3, now, random } = line;
  const changes = isChange(request.method);
  const wait = retryDelay({ trouble, changes, repeated, retries, now: now(), random: random() });
  const failure = failed(line, request, trouble);
  if (wait === undefined) throw failure;
  if (trouble.kind === 'refused' && trouble.answer.status === 429) line.pace?.hold(now() + wait);
  line.onWait?.(wait, failure.message);
  await pause(line, request, line.sleep(wait, line.signal));
}
