import type { Conceal } from './conceal.ts';
import { openDeadline } from './deadline.ts';
import { failureOf } from './failure.ts';
import { answerLines, failureLines, requestLines } from './trace.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';
import type { Trouble } from './trouble.ts';
import { isChange } from './trouble.ts';
import { WireFailure } from './wire-failure.ts';

/** Who decides when the next request may leave. */
export interface Pace {
  slot(signal: AbortSignal): Promise<void>;
  hold(until: number): void;
}

export interface Wire {
  readonly transport: Transport;
  /** In milliseconds, in place of 60 s for what changes something and 30 s for the rest. */
  readonly timeout?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Aborted when the user or the system wants this process to end. */
  readonly signal: AbortSignal;
  readonly pace?: Pace | undefined;
  readonly now: () => number;
  /** Takes the lines of --debug. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly conceal: Conceal;
}

const largest = 32 * 1024 * 1024;

/** One request on the wire: its answer, redirects included, or what came of it. */
export async function attempt(wire: Wire, request: WireRequest): Promise<WireAnswer | Trouble> {
  if (wire.pace) await pause(wire, request, wire.pace.slot(wire.signal));
  const waited = wire.timeout ?? (isChange(request.method) ? 60_000 : 30_000);
  const deadline = openDeadline(waited, wire.signal);
  const started = wire.now();
  try {
    tell(wire, () => requestLines(request, wire.conceal));
    const limits = { signal: deadline.signal, maxBytes: wire.maxBytes ?? largest };
    const answer = await wire.transport.send(request, limits);
    tell(wire, () => answerLines(answer, wire.now() - started, wire.conceal));
    return isAnswer(answer.status) ? answer : { kind: 'refused', answer };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    tell(wire, () => failureLines(error, wire.now() - started, wire.conceal));
    return troubleOf(error, waited, wire.signal);
  } finally {
    deadline.release();
  }
}

/** Waits for what the user's signal may end, and for nothing after it. */
export async function pause(wire: Wire, { method, url }: WireRequest, waiting: Promise<void>): Promise<void> {
  try {
    await waiting;
  } catch (error) {
    if (!wire.signal.aborted) throw error;
  }
  if (wire.signal.aborted)
    throw failureOf({ kind: 'interrupted', sent: false }, { method, url, conceal: wire.conceal });
}

function tell({ trace }: Wire, lines: () => readonly string[]): void {
  if (trace) for (const line of lines()) trace(line);
}

function isAnswer(status: number): boolean {
  return (status >= 200 && status < 300) || [301, 302, 303, 307, 308].includes(status);
}

function troubleOf(failure: WireFailure, waited: number, signal: AbortSignal): Trouble {
  if (failure.kind !== 'aborted') return { kind: 'broken', failure };
  return signal.aborted ? { kind: 'interrupted', sent: failure.sent } : { kind: 'late', sent: failure.sent, waited };
}
