import type { Ended } from '../gate.ts';
import type { Ledger, Share } from './ledger.ts';
import { countsOf } from './over.ts';

/** What a ledger has not been told yet. */
export interface News {
  add(ended: Ended): void;
  hold(milliseconds: number): void;
  isEmpty(): boolean;
  /** All of it, once. */
  take(): Pick<Share, 'over' | 'ended' | 'heldUntil'>;
}

export function createNews({ now }: Ledger): News {
  let times: number[] = [];
  let ended: Ended | undefined;
  let heldUntil = 0;
  return {
    add: (how) => {
      if (how !== 'unsent') times.push(now());
      ended = worst(ended, how);
    },
    hold: (milliseconds) => {
      heldUntil = Math.max(heldUntil, now() + milliseconds);
    },
    isEmpty: () => ended === undefined && heldUntil === 0,
    take: () => {
      const told = { over: countsOf(times), ended, heldUntil };
      [times, ended, heldUntil] = [[], undefined, 0];
      return told;
    },
  };
}

function worst(one: Ended | undefined, other: Ended): Ended {
  if (one === 'limited' || other === 'limited') return 'limited';
  return one === 'done' ? 'done' : other;
}
