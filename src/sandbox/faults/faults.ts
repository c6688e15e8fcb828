import type { Clock } from '../time/clock.ts';
import type { FaultRecord, Fault, FaultStatus } from '../state/records.ts';
import type { NewFault } from './input.ts';
import type { Store } from '../state/store.ts';
import { createRandom, type Ids, seedNumber } from '../state/ids.ts';
import type { FaultState, State } from '../state/state.ts';

/** What goes wrong because its user wants it to. */
export interface Faults {
  /** Throws a Refusal of 400 when its parts do not go together. */
  add(fault: NewFault): Fault;
  /** Those that have expired too, until they are cleared. */
  list(): readonly FaultStatus[];
  /** That one, or all; what is returned were cleared. */
  clear(id?: string): readonly Fault[];
}

interface Office {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: Clock;
}

export function createFaults({ store, ids, clock }: Office): Faults {
  const { state, commit } = store;
  return {
    add({ on, effect, after = false, rate = 1, seed, times, for: duration }) {
      const id = ids.id('flt', state.serial + 1);
      const until = duration === undefined ? undefined : clock.now() + duration;
      const fault = { on: [...new Set(on)], effect, after, rate, seed: seed ?? id, until, times, id };
      commit([{ type: 'fault', fault }]);
      return fault;
    },
    list: () =>
      [...state.faults.values()].map((one) => ({
        ...one.fault,
        matched: one.matched,
        injected: one.injected,
        active: isActive(one, clock.now()),
      })),
    clear(id) {
      const meant = [...state.faults.values()]
        .map(({ fault }) => fault)
        .filter((fault) => fault.id === (id ?? fault.id));
      commit(meant.map((fault) => ({ type: 'fault-cleared', fault: fault.id })));
      return meant;
    },
  };
}

/** All that were matched for, and the first of them that hit. */
export interface FaultDraw {
  readonly matched: readonly string[];
  readonly fault?: Fault;
}

/**
 * Draws for all faults on that name. A draw follows from the fault's seed and the draw's number, so that neither a
 * restart nor another fault changes it. What was matched and has not been applied yet is `already`.
 */
export function drawFault(
  state: State,
  on: Fault['on'][number],
  now: number,
  already: Iterable<FaultRecord> = [],
): FaultDraw {
  if (state.faults.size === 0) return { matched: [] };
  const counted = [...state.faults.values()].map((one) => withThese(one, already));
  const matched = counted.filter((one) => one.fault.on.includes(on) && isActive(one, now));
  return { matched: matched.map(({ fault }) => fault.id), fault: matched.find(hits)?.fault };
}

/** As it is recorded: nothing when nothing was matched for. */
export function recordOf({ matched, fault }: FaultDraw): FaultRecord {
  if (matched.length === 0) return {};
  return fault ? { matched, fault: fault.id } : { matched };
}

function isActive({ fault, injected }: FaultState, now: number): boolean {
  return now < (fault.until ?? Infinity) && injected < (fault.times ?? Infinity);
}

function withThese({ fault, matched, injected }: FaultState, already: Iterable<FaultRecord>): FaultState {
  for (const one of already) {
    if (one.matched?.includes(fault.id)) matched += 1;
    if (one.fault === fault.id) injected += 1;
  }
  return { fault, matched, injected };
}

function hits({ fault, matched }: FaultState): boolean {
  return createRandom(seedNumber(`${fault.seed} ${matched}`))() < fault.rate;
}
