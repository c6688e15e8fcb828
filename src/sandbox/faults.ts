import { endpointNames } from '../contract/endpoints.ts';
import { eventNames, isEventName } from '../contract/events.ts';
import * as read from '../contract/readers.ts';
import { fields, integer, number, suggestion } from './readers.ts';
import { Refusal } from './refusal.ts';
import {
  type AnswerFault,
  answerFaults,
  type EventFault,
  eventFaults,
  type Fault,
  isOnAnswers,
} from './state/records.ts';
import type { Core, State } from './state/state.ts';
import { longestTimer } from './time/clock.ts';

/** Finds the fault that applies to this endpoint or event, and counts it. */
export function drawFault({ faults }: State, on: Fault['on'][number]): Fault | undefined {
  if (faults.size === 0) return undefined;
  const fault = faults.all().find((fault) => fault.on.includes(on) && isActive(fault));
  if (fault) faults.put({ ...fault, injected: fault.injected + 1 });
  return fault;
}

export function addFault({ store, ids }: Core, { on, effect, after = false, times }: NewFault): Fault {
  const fault: Fault = { id: ids.id('flt'), on: [...new Set(on)], effect, after, times, injected: 0 };
  store.state.faults.put(fault);
  store.happened({ type: 'faults' });
  return fault;
}

/** Includes expired faults until they are cleared. */
export function faultRows({ faults }: State) {
  return faults.all().map((fault) => ({ ...fault, active: isActive(fault) }));
}

/** Clears one fault or all; returns the ids. */
export function clearFaults({ store }: Core, id?: string): readonly string[] {
  const { faults } = store.state;
  const cleared = faults
    .all()
    .map((fault) => fault.id)
    .filter((fault) => fault === (id ?? fault));
  if (id !== undefined && cleared.length === 0) throw new Refusal(404, `there is no fault ${id}`);
  for (const fault of cleared) faults.delete(fault);
  store.happened({ type: 'faults' });
  return cleared;
}

function isActive({ injected, times = Infinity }: Fault): boolean {
  return injected < times;
}

const withStatus = fields({ kind: read.oneOf(['status']), status: integer(400, 599) });
const withDuration = fields({ kind: read.oneOf(['latency', 'delay']), ms: number(1, longestTimer) });
const plain = fields({ kind: read.string });

const newFaultFields = fields({
  on: places,
  effect,
  after: read.optional(read.boolean),
  times: read.optional(integer(1)),
});

export type NewFault = ReturnType<typeof newFaultFields>;

function effect(value: unknown, at = ''): AnswerFault | EventFault {
  const { kind } = read.object({ kind: read.oneOf([...answerFaults, ...eventFaults]) })(value, at);
  if (kind === 'status') return withStatus(value, at);
  if (kind === 'latency' || kind === 'delay') return withDuration(value, at);
  plain(value, at);
  return { kind };
}

/** One, or several. */
function places(value: unknown, at = ''): Fault['on'] {
  return typeof value === 'string' ? [target(value, at)] : read.list(target)(value, at);
}

function target(value: unknown, at = ''): Fault['on'][number] {
  const endpoint = endpointNames.find((name) => name === value);
  if (endpoint !== undefined) return endpoint;
  if (isEventName(value)) return value;
  throw new read.Mismatch(at, `must be an endpoint or an event${suggestion(value, [...endpointNames, ...eventNames])}`);
}

/** Checks each field of a new fault, and that they fit together. */
export function newFault(value: unknown, at = ''): NewFault {
  const fault = newFaultFields(value, at);
  const { on, effect, after } = fault;
  const [onAnswers, { kind }] = [isOnAnswers(effect), effect];
  if (on.length === 0) throw new read.Mismatch('/on', 'must name an endpoint or an event');
  const other = on.find((name) => isEventName(name) === onAnswers);
  if (other !== undefined)
    throw new read.Mismatch('/on', `must not name ${other}: ${kind} is for ${onAnswers ? 'endpoints' : 'events'}`);
  if (after && !onAnswers) throw new read.Mismatch('/after', `must not be true for ${kind}`);
  return fault;
}
