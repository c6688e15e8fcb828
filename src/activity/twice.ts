import type { State } from './state.ts';

/** A send of the very same message. */
export interface Earlier {
  readonly id: string;
  /** Undefined where what was written of it is damaged. */
  readonly at: number | undefined;
  /** The same, but never in the future: the clock may have been set back. */
  readonly since: number;
  readonly pid: number;
  readonly state: State;
  readonly message_id?: string | undefined;
  /** Those that were unsure, which it was sent in spite of. */
  readonly forgives?: readonly string[] | undefined;
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
  const unsure = unsureAmong(earlier, now).at(-1);
  if (unsure && !allowUnsure) return { kind: 'unsure', earlier: unsure };
  const recent = earlier.findLast(
    ({ id, state, since }) => (state === 'done' || state === 'under way') && now - since < again && !answered.has(id),
  );
  return recent ? { kind: 'again', earlier: recent } : { kind: 'go' };
}

/**
 * Those of which nobody who sent it again since knew. That another one went well says nothing: it may have been begun
 * before this one was unsure, or while its process seemed to live.
 */
export function unsureAmong(earlier: readonly Earlier[], now: number): readonly Earlier[] {
  const forgiven = new Set(earlier.flatMap(({ state, forgives }) => (state === 'done' ? (forgives ?? []) : [])));
  return earlier.filter(({ id, state, since }) => state === 'unsure' && now - since < unsureFor && !forgiven.has(id));
}
