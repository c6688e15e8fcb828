import { eventNames, isEventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import { endpointNames } from '../../contract/endpoints.ts';
import { fields, integer, number, oneOf, optional, suggestion } from '../readers.ts';
import { type AnswerFault, answerFaults, type EventFault, eventFaults, type Fault } from '../state/records.ts';
import { century, longestTimer } from '../time/clock.ts';

/** Checks each field of a new fault, and that they fit together. */
export function newFault(value: unknown, at = ''): NewFault {
  const fault = parts(value, at);
  checkTarget(fault);
  return fault;
}

const withStatus = fields({ kind: oneOf(['status']), status: integer(400, 599) });
const withDuration = fields({ kind: oneOf(['latency', 'delay']), ms: number(1, longestTimer) });
const plain = fields({ kind: read.string });

const parts = fields({
  on: read.list(target),
  effect,
  after: optional(read.boolean),
  rate: optional(number(0, 1)),
  seed: optional(read.string),
  for: optional(number(1, century)),
  times: optional(integer(1)),
});

/** A fault to add. `for` is in milliseconds of the sandbox's clock; without a seed, one is derived. */
export type NewFault = ReturnType<typeof parts>;

function effect(value: unknown, at = ''): AnswerFault | EventFault {
  const { kind } = read.object({ kind: oneOf([...answerFaults, ...eventFaults]) })(value, at);
  if (kind === 'status') return withStatus(value, at);
  if (kind === 'latency' || kind === 'delay') return withDuration(value, at);
  plain(value, at);
  return { kind };
}

function target(value: unknown, at = ''): Fault['on'][number] {
  const endpoint = endpointNames.find((name) => name === value);
  if (endpoint !== undefined) return endpoint;
  if (isEventName(value)) return value;
  throw new read.Mismatch(at, `must be an endpoint or an event${suggestion(value, [...endpointNames, ...eventNames])}`);
}

function checkTarget({ on, effect, after }: NewFault): void {
  const [onAnswers, { kind }] = [isOnAnswers(effect), effect];
  if (on.length === 0) throw new read.Mismatch('/on', 'must name an endpoint or an event');
  const other = on.find((name) => isEventName(name) === onAnswers);
  if (other !== undefined)
    throw new read.Mismatch('/on', `must not name ${other}: ${kind} is for ${onAnswers ? 'endpoints' : 'events'}`);
  if (after && !onAnswers) throw new read.Mismatch('/after', `must not be true for ${kind}`);
}

export function isOnAnswers(effect: AnswerFault | EventFault): effect is AnswerFault {
  return answerFaults.some((kind) => kind === effect.kind);
}
