import type { Change, Next } from './changes.ts';
import type { Attempt, Delivery, Webhook } from './delivery-records.ts';
import type { SandboxEvent } from './records.ts';
import { countDraws } from './draws.ts';
import { eventNamed, type Registered, type SigningSecret, type State } from './state.ts';

type DeliveryChangeType =
  | 'secret'
  | 'webhook'
  | 'webhook-secret'
  | 'webhook-disabled'
  | 'webhook-removed'
  | 'delivery'
  | 'attempt'
  | 'redelivery';

/** The part of a state that carries events to webhooks. */
export function applyToDeliveries(state: State, change: Extract<Change, { type: DeliveryChangeType }>): void {
  switch (change.type) {
    case 'secret':
      state.secret = rotated(state.secret, change.secret, change.until);
      return;
    case 'webhook':
      return applyWebhook(state, change.webhook);
    case 'webhook-secret': {
      const registered = state.webhooks.get(change.webhook);
      if (registered) registered.secret = rotated(registered.secret ?? state.secret, change.secret, change.until);
      return;
    }
    case 'webhook-disabled': {
      const registered = state.webhooks.get(change.webhook);
      if (registered) registered.disabled = change.reason;
      return;
    }
    case 'webhook-removed':
      state.webhooks.delete(change.webhook);
      return;
    case 'delivery':
      return applyDelivery(state, change.delivery);
    case 'attempt':
      return applyAttempt(state, change.delivery, change.attempt, change.next);
    case 'redelivery':
      return applyRedelivery(state, change.delivery, change.at);
  }
}

/** Known, it gets other settings and is enabled again; its deliveries stay with it. */
function applyWebhook(state: State, webhook: Webhook): void {
  const known = state.webhooks.get(webhook.id);
  const secret = ownSecret(webhook, known);
  if (known) Object.assign(known, { webhook, secret, disabled: undefined } satisfies Registered);
  else state.webhooks.set(webhook.id, { webhook, secret });
}

function ownSecret({ secret }: Webhook, known: Registered | undefined): Registered['secret'] {
  if (secret === undefined) return undefined;
  return known?.secret?.secret === secret ? known.secret : { secret };
}

function rotated(before: SigningSecret | undefined, secret: string, until: number | undefined): SigningSecret {
  return before && until !== undefined ? { secret, previous: { secret: before.secret, until } } : { secret };
}

function applyDelivery(state: State, delivery: Delivery): void {
  countDraws(state, delivery);
  const [event, to] = [eventNamed(state, delivery.event), state.webhooks.get(delivery.webhook)];
  if (!event || !to) return;
  state.deliveries.set(delivery.id, { delivery, event, to, attempts: [], tries: 0, next: delivery.at });
  const others = state.deliveriesOf.get(event.id);
  if (others) others.push(delivery.id);
  else state.deliveriesOf.set(event.id, [delivery.id]);
}

/** An event that was dropped takes its deliveries along, also those that have yet to leave. */
export function dropDeliveries(state: State, { id }: SandboxEvent): void {
  state.eventById?.delete(id);
  for (const delivery of state.deliveriesOf.get(id) ?? []) state.deliveries.delete(delivery);
  state.deliveriesOf.delete(id);
}

function applyAttempt(state: State, id: string, attempt: Attempt, next: Next): void {
  const sending = state.deliveries.get(id);
  if (!sending) return;
  sending.attempts.push(attempt);
  sending.tries += 1;
  sending.next = next;
}

function applyRedelivery(state: State, id: string, at: number): void {
  const sending = state.deliveries.get(id);
  if (!sending) return;
  sending.tries = 0;
  sending.next = at;
}
