import { STATUS_CODES } from 'node:http';
import { type ErrorStatus, statuses } from '../../contract/statuses.ts';
import { type Fault, type FaultRecord, isOnAnswers } from '../state/records.ts';
import { errorAnswer } from './answers.ts';
import type { HandlerResult, Reply } from '../exchange.ts';
import { type FaultMatch, recordOf } from '../faults.ts';
import { Refusal } from '../refusal.ts';

/** An outcome, with the faults that matched it. */
export interface Decision extends HandlerResult {
  readonly matched?: FaultRecord;
  readonly wait?: Wait;
}

/** Milliseconds of real time before the answer. With `act`, the request is executed only after the wait. */
export interface Wait {
  readonly ms: number;
  /** Executes the request at this sandbox time, so that all its records have the same time. */
  readonly act?: (now: number) => Decision;
}

/** Applies a fault to a request that arrived now. Unless the fault is set to `after`, the request is not executed. */
export function underFaults(draw: FaultMatch, now: number, serve: (now: number) => HandlerResult): Decision {
  const { fault } = draw;
  const matched = recordOf(draw);
  if (!fault || !isOnAnswers(fault.effect)) return { ...serve(now), matched };
  const { effect, after } = fault;
  if (effect.kind === 'latency') return delayed({ ms: effect.ms, after, matched, now }, serve);
  const reply = effect.kind === 'status' ? statusAnswer(effect.status, fault) : noAnswer(effect.kind);
  const what = effect.kind === 'status' ? `status ${effect.status}` : effect.kind;
  if (!after) return { reply, changes: [], matched, detail: `${what}, not executed` };
  const { changes, detail } = serve(now);
  return { reply, changes, matched, detail: joined(`${what}, after execution`, detail) };
}

interface Latency {
  readonly ms: number;
  readonly after: boolean;
  readonly matched: FaultRecord;
  readonly now: number;
}

/** If the client disconnects during the delay, the request is not executed. */
function delayed({ ms, after, matched, now }: Latency, serve: (now: number) => HandlerResult): Decision {
  const act = (at: number): Decision => {
    const outcome = serve(at);
    return { ...outcome, matched, detail: joined(`latency ${ms} ms`, outcome.detail) };
  };
  if (after) return { ...act(now), wait: { ms } };
  const detail = `latency ${ms} ms; the client disconnected before execution`;
  return { reply: noAnswer('hang'), changes: [], matched, detail, wait: { ms, act } };
}

function noAnswer(fault: 'reset' | 'hang'): Reply {
  return { status: 0, headers: {}, body: '', fault };
}

function statusAnswer(status: number, { id }: Fault): Reply {
  if (!isDocumented(status)) return gatewayAnswer(status);
  const retryAfter = status === 429 ? 1_000 : undefined;
  return errorAnswer(new Refusal(status, `injected by fault ${id}`, { retryAfter }));
}

/** Answers like a gateway in front of the service, which does not know the service's error format. */
function gatewayAnswer(status: number): Reply {
  const title = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  const body = `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

function isDocumented(status: number): status is ErrorStatus {
  return Object.hasOwn(statuses, status);
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('; ');
}
