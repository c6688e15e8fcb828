import type { Conceal } from './conceal.ts';
import type { Deadline } from './deadline.ts';
import { answerLines, failureLines, requestLines } from './trace.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';
import type { Trouble } from './trouble.ts';
import { isChange } from './trouble.ts';
import { WireFailure } from './wire-failure.ts';

export interface Wire {
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
export async function attempt(wire: Wire, request: WireRequest): Promise<WireAnswer | Trouble> {
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
