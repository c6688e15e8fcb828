import type { Drawn } from './draws.ts';
import type { Fault } from './fault-records.ts';
import { createRandom, seedNumber } from './random.ts';
import type { FaultState, State } from './state.ts';

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

export function isActive({ fault, struck }: FaultState, now: number): boolean {
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
