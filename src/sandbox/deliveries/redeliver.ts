import type { Change } from '../changes.ts';
import type { Clock } from '../clock.ts';
import { deliveryOf, receivers } from '../delivering.ts';
import type { Ledger } from '../ledger.ts';
import type { Mint } from '../random.ts';
import { Refusal } from '../refusal.ts';
import { eventNamed, type Sending, type State } from '../state.ts';
import { closedTo, standingOf } from './standing.ts';

interface Office {
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
}

/** Begins anew and at once: one delivery, those of an event, or all `failed` ones. Returns how many. */
export function redelivering({ ledger: { state, commit }, mint, clock }: Office): (which: string) => number {
  const again = ({ delivery: { id } }: Sending): Change => ({ type: 'redelivery', delivery: id, at: clock.now() });
  return (which) => {
    const changes = which === 'failed' ? failed(state).map(again) : meant(which);
    commit(changes);
    return changes.length;
  };

  function meant(id: string): readonly Change[] {
    const sending = state.deliveries.get(id);
    if (sending) return [again(reachable(sending, state))];
    const event = eventNamed(state, id);
    if (!event) throw new Refusal(404, 'there is no such delivery, and no such event');
    const known = [...state.deliveries.values()].filter((one) => one.event === event && !closedTo(one.to, state));
    if (known.length > 0) return known.map(again);
    // Queued, or known only to webhooks that are gone: whoever listens now gets it.
    const listening = receivers(state, event);
    if (listening.length === 0) throw new Refusal(400, `nobody listens to ${event.type}: add a webhook first`);
    const now = { at: clock.now() };
    return listening.map((webhook, at) => deliveryOf(event, webhook, mint.id('dlv', state.serial + at + 1), now));
  }
}

/** What `failed` does not mean. */
export interface Remaining {
  /** Dead, and its webhook gets nothing more. */
  readonly disabled: number;
  readonly removed: number;
  /** It has failed, and will leave again by itself. */
  readonly waiting: number;
}

export function remaining(state: State): Remaining {
  const counts = { disabled: 0, removed: 0, waiting: 0 };
  for (const sending of state.deliveries.values()) {
    const { state: standing } = standingOf(sending, state);
    if (standing === 'waiting' && sending.tries > 0) counts.waiting += 1;
    if (standing !== 'dead' || closedTo(sending.to, state) === undefined) continue;
    if (state.webhooks.has(sending.delivery.webhook)) counts.disabled += 1;
    else counts.removed += 1;
  }
  return counts;
}

function failed(state: State): readonly Sending[] {
  return [...state.deliveries.values()].filter(({ next, to }) => next === 'dead' && !closedTo(to, state));
}

function reachable(sending: Sending, state: State): Sending {
  const why = closedTo(sending.to, state);
  if (why === undefined) return sending;
  throw new Refusal(400, `${why}; add it again, and then redeliver the event`);
}
