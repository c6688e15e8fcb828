import { STATUS_CODES } from 'node:http';
import { type ErrorStatus, statuses } from '../../contract/statuses.ts';
import type { Clock } from '../time/clock.ts';
import type { AnswerFault, FaultRecord, Fault } from '../state/records.ts';
import { errorAnswer } from './answers.ts';
import type { Reply } from '../exchange.ts';
import { isOnAnswers } from '../faults/input.ts';
import { recordOf, type FaultDraw } from '../faults/faults.ts';
import type { Outcome } from './handlers.ts';
import { Refusal } from '../refusal.ts';
import type { Shape } from './shapes.ts';

/** An outcome that faults were matched for. */
export interface Decision extends Outcome {
  readonly matched?: FaultRecord;
  readonly wait?: Wait;
}

/** Milliseconds by the wall until the answer. With `act` nothing is done before, and without it if nobody waits. */
export interface Wait {
  readonly ms: number;
  /** Takes the sandbox's time then: all that is recorded of a request has one time. */
  readonly act?: (now: number) => Decision;
}

interface Surroundings {
  readonly shape: Shape;
  readonly clock: Clock;
  /** When the request came. */
  readonly now: number;
}

/** What faults make of what the service would do. One that strikes before has the service do nothing. */
export function underFaults(draw: FaultDraw, around: Surroundings, serve: (now: number) => Outcome): Decision {
  const { fault } = draw;
  const matched = recordOf(draw);
  if (!fault || !isOnAnswers(fault.effect)) return { ...serve(around.now), matched };
  const { effect, after } = fault;
  if (effect.kind === 'latency') return slow({ ms: effect.ms, after, matched, now: around.now }, serve);
  const { reply, changes, detail } = serve(around.now);
  const spoiltReply = spoilt(effect, reply, fault, around);
  const what = effect.kind === 'status' ? `status ${effect.status}` : effect.kind;
  if (!after) return { reply: spoiltReply, changes: [], matched, detail: `${what}, and nothing was done` };
  return { reply: spoiltReply, changes, matched, detail: joined(`${what}, after it was dealt with`, detail) };
}

interface Latency {
  readonly ms: number;
  readonly after: boolean;
  readonly matched: FaultRecord;
  readonly now: number;
}

/** Who leaves before a late answer was even begun has asked for nothing. */
function slow({ ms, after, matched, now }: Latency, serve: (now: number) => Outcome): Decision {
  const act = (at: number): Decision => {
    const outcome = serve(at);
    return { ...outcome, matched, detail: joined(`latency ${ms} ms`, outcome.detail) };
  };
  if (after) return { ...act(now), wait: { ms } };
  const detail = `latency ${ms} ms; the caller left before anything was done`;
  return { reply: noAnswer('hang'), changes: [], matched, detail, wait: { ms, act } };
}

type Spoiling = Exclude<AnswerFault, { kind: 'latency' }>;

/** What goes out in place of an answer, if anything does. */
function spoilt(effect: Spoiling, reply: Reply, fault: Fault, around: Surroundings): Reply {
  if (effect.kind === 'status') return statusAnswer(effect.status, fault, around);
  if (effect.kind === 'garbage') return garbage;
  return effect.kind === 'truncate' ? { ...reply, misdeed: effect.kind } : noAnswer(effect.kind);
}

const garbage: Reply = {
  status: 200,
  // it lies, as garbage does
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '<!doctype html>\n<title>Welcome</title>\n<p>Please sign in to use this network.\n',
};

function noAnswer(misdeed: 'reset' | 'hang'): Reply {
  return { status: 0, headers: {}, body: '', misdeed };
}

function statusAnswer(status: number, { id }: Fault, { shape, clock }: Surroundings): Reply {
  if (!isDocumented(status)) return gatewayAnswer(status);
  const retryAfter = status === 429 ? 1_000 : undefined;
  return errorAnswer(shape, new Refusal(status, `the fault ${id} injected`, { retryAfter }), clock.wall());
}

/** As whatever stands in front of a service would answer, which knows nothing of its shapes. */
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
