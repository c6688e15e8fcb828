import type { Drawn } from './fault-records.ts';
import type { State } from './state.ts';

/** How often a fault was drawn for is what its next draw is numbered by. */
export function countDraws(state: State, { drawn, fault }: Drawn): void {
  if (!drawn) return;
  for (const id of drawn) {
    const counted = state.faults.get(id);
    if (!counted) continue;
    counted.drawn += 1;
    if (fault === id) counted.struck += 1;
  }
}
