import type { Clock } from '../time/clock.ts';
import type { Drawn, Fault, FaultStatus, NewFault } from '../state/records.ts';
import { newFault } from './input.ts';
import type { Ledger } from '../state/ledger.ts';
import { createRandom, type Mint, seedNumber } from '../state/ids.ts';
import { readOrRefuse } from '../refusal.ts';
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
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
}

export function createFaults({ ledger, mint, clock }: Office): Faults {
  const { state, commit } = ledger;
  return {
    add(given) {
      const { for: span, ...rest } = readOrRefuse(() => newFault(given));
      const id = mint.id('flt', state.serial + 1);
      const fault = { ...rest, id, seed: rest.seed ?? id, until: span === undefined ? undefined : clock.now() + span };
      commit([{ type: 'fault', fault }]);
      return fault;
    },
    list: () =>
      [...state.faults.values()].map((one) => ({
        ...one.fault,
        drawn: one.drawn,
        struck: one.struck,
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

/** All that were drawn for, and the first of them that hit. */
export interface Strike {
  readonly drawn: readonly string[];
  readonly fault?: Fault;
}

/**
 * Draws for all faults on that name. A draw follows from the fault's seed and the draw's number, so that neither a
 * restart nor another fault changes it. What was drawn and has not been applied yet is `already`.
 */
export function strike(state: State, on: Fault['on'][number], now: number, already: Iterable<Drawn> = []): Strike {
  if (state.faults.size === 0) return { drawn: [] };
  const counted = [...state.faults.values()].map((one) => withThese(one, already));
  const drawn = counted.filter((one) => one.fault.on.includes(on) && isActive(one, now));
  return { drawn: drawn.map(({ fault }) => fault.id), fault: drawn.find(hits)?.fault };
}

/** As it is recorded: nothing when nothing was drawn for. */
export function recordOf({ drawn, fault }: Strike): Drawn {
  if (drawn.length === 0) return {};
  return fault ? { drawn, fault: fault.id } : { drawn };
}

function isActive({ fault, struck }: FaultState, now: number): boolean {
  return now < (fault.until ?? Infinity) && struck < (fault.times ?? Infinity);
}

function withThese({ fault, drawn, struck }: FaultState, already: Iterable<Drawn>): FaultState {
  for (const one of already) {
    if (one.drawn?.includes(fault.id)) drawn += 1;
    if (one.fault === fault.id) struck += 1;
  }
  return { fault, drawn, struck };
}

function hits({ fault, drawn }: FaultState): boolean {
  return createRandom(seedNumber(`${fault.seed} ${drawn}`))() < fault.rate;
}
