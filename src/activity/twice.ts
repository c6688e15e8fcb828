import type { State } from './state.ts';

/** A send of the very same message. */
export interface Earlier {
  readonly id: string;
  readonly at: number;
  readonly pid: number;
  readonly state: State;
  readonly message_id?: string | undefined;
}

export interface Occasion {
  readonly now: number;
  readonly allowUnsure: boolean;
  /** Those that were asked about already. */
  readonly answered: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'go' }
  /** It may be meant: ask, or note. */
  | { readonly kind: 'again'; readonly earlier: Earlier }
  /** Nobody knows whether it was sent: refuse. */
  | { readonly kind: 'unsure'; readonly earlier: Earlier };

const again = 10 * 60_000;
/** Longer, since it is found out by whoever comes back to it; a message of every day is not kept back for ever. */
export const unsureFor = 24 * 60 * 60_000;

/** Whether a message may be sent, after the ones before it, the oldest first. */
export function judge(earlier: readonly Earlier[], { now, allowUnsure, answered }: Occasion): Verdict {
  // Whoever sent it again since knew of the one that was unsure.
  const lastDone = earlier.findLastIndex(({ state }) => state === 'done');
  const unsure = earlier.findLast(
    ({ state, at }, index) => state === 'unsure' && index > lastDone && now - at < unsureFor,
  );
  if (unsure && !allowUnsure) return { kind: 'unsure', earlier: unsure };
  const recent = earlier.findLast(
    ({ id, state, at }) => (state === 'done' || state === 'under way') && now - at < again && !answered.has(id),
  );
  return recent ? { kind: 'again', earlier: recent } : { kind: 'go' };
}
