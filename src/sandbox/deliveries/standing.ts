import type { Registered, Sending, State } from '../state.ts';

export type DeliveryState = 'waiting' | 'delivered' | 'dead' | 'dropped';

interface Standing {
  readonly state: DeliveryState;
  /** Why it is dead, though it was to leave again. */
  readonly reason?: string;
}

/** How a delivery stands: what waits for a webhook that gets nothing more is dead. */
export function standingOf({ next, to }: Sending, state: State): Standing {
  if (typeof next !== 'number') return { state: next };
  const reason = closedTo(to, state);
  return reason === undefined ? { state: 'waiting' } : { state: 'dead', reason };
}

/** It is to leave, now or later; what was let go of is not. */
export function isWaiting(sending: Sending, state: State): boolean {
  return state.deliveries.get(sending.delivery.id) === sending && standingOf(sending, state).state === 'waiting';
}

/** Why a webhook gets nothing more. */
export function closedTo(to: Registered, { webhooks }: State): string | undefined {
  if (webhooks.get(to.webhook.id) !== to) return 'its webhook was removed';
  return to.disabled === undefined ? undefined : `its webhook ${to.disabled}`;
}
