import { endpointNames } from '../contract/endpoints.ts';
import { eventNames, isEventName } from '../contract/events.ts';
import * as read from '../contract/readers.ts';
import { fields, integer, number, oneOf, optional, suggestion } from './readers.ts';
import {
  type AnswerFault,
  answerFaults,
  type EventFault,
  eventFaults,
  type Fault,
  type FaultRecord,
  type FaultStatus,
  isOnAnswers,
} from './state/records.ts';
import type { Core, FaultState, State } from './state/state.ts';
import { longestTimer } from './time/clock.ts';

/** Adds, lists and clears injected faults. */
export function createFaults({ store, ids }: Core) {
  const { state, commit } = store;
  return {
    add({ on, effect, after = false, times }: NewFault): Fault {
      const id = ids.id('flt', state.serial + 1);
      const fault = { on: [...new Set(on)], effect, after, times, id };
      commit([{ type: 'fault', fault }]);
      return fault;
    },
    /** Includes expired faults until they are cleared. */
    list: (): readonly FaultStatus[] =>
      [...state.faults.values()].map((one) => ({
        ...one.fault,
        matched: one.matched,
        injected: one.injected,
        active: isActive(one),
      })),
    /** Clears one fault or all; returns the cleared faults. */
    clear(id?: string): readonly Fault[] {
      const cleared = [...state.faults.values()]
        .map(({ fault }) => fault)
        .filter((fault) => fault.id === (id ?? fault.id));
      commit(cleared.map((fault) => ({ type: 'fault-cleared', fault: fault.id })));
      return cleared;
    },
  };
}

/** The ids of all matching faults, and the one that applies. */
export interface FaultMatch {
  readonly matched: readonly string[];
  readonly fault?: Fault;
}

/** Finds the faults on this endpoint or event. `pending` has those that the state has not counted yet. */
export function matchFaults(state: State, on: Fault['on'][number], pending: Iterable<FaultRecord> = []): FaultMatch {
  if (state.faults.size === 0) return { matched: [] };
  const counted = [...state.faults.values()].map((one) => withPending(one, pending));
  const matched = counted.filter((one) => one.fault.on.includes(on) && isActive(one));
  return { matched: matched.map(({ fault }) => fault.id), fault: matched[0]?.fault };
}

/** Returns the record of a draw; empty if no fault matched. */
export function recordOf({ matched, fault }: FaultMatch): FaultRecord {
  if (matched.length === 0) return {};
  return fault ? { matched, fault: fault.id } : { matched };
}

function isActive({ fault, injected }: FaultState): boolean {
  return injected < (fault.times ?? Infinity);
}

function withPending({ fault, matched, injected }: FaultState, pending: Iterable<FaultRecord>): FaultState {
  for (const one of pending) {
    if (one.matched?.includes(fault.id)) matched += 1;
    if (one.fault === fault.id) injected += 1;
  }
  return { fault, matched, injected };
}

/** Checks each field of a new fault, and that they fit together. */
export function newFault(value: unknown, at = ''): NewFault {
  const fault = newFaultFields(value, at);
  checkTarget(fault);
  return fault;
}

const withStatus = fields({ kind: oneOf(['status']), status: integer(400, 599) });
const withDuration = fields({ kind: oneOf(['latency', 'delay']), ms: number(1, longestTimer) });
const plain = fields({ kind: read.string });

const newFaultFields = fields({
  on: read.list(target),
  effect,
  after: optional(read.boolean),
  times: optional(integer(1)),
});

export type NewFault = ReturnType<typeof newFaultFields>;

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
