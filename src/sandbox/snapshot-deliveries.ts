import type { Change } from './changes.ts';
import type { Registered, Sending, State } from './state.ts';

/** Also those that are removed, as long as something was delivered to them. */
export function* webhookChanges(state: State): Generator<Change> {
  for (const registered of registeredIn(state)) {
    const { webhook, secret, disabled } = registered;
    yield { type: 'webhook', webhook };
    if (secret?.previous) {
      yield { type: 'webhook-secret', webhook: webhook.id, secret: secret.previous.secret, until: 0 };
      yield { type: 'webhook-secret', webhook: webhook.id, secret: secret.secret, until: secret.previous.until };
    }
    if (disabled !== undefined) yield { type: 'webhook-disabled', webhook: webhook.id, reason: disabled };
  }
}

export function* deliveryChanges(state: State): Generator<Change> {
  for (const sending of state.deliveries.values()) yield* sendingChanges(sending);
  for (const { webhook } of registeredIn(state)) {
    if (!state.webhooks.has(webhook.id)) yield { type: 'webhook-removed', webhook: webhook.id };
  }
}

function* sendingChanges({ delivery, attempts, tries, next }: Sending): Generator<Change> {
  const { id, at } = delivery;
  yield { type: 'delivery', delivery };
  const begunAnew = attempts.length - tries;
  for (const [made, attempt] of attempts.entries()) {
    if (made === begunAnew && made > 0) yield { type: 'redelivery', delivery: id, at };
    yield { type: 'attempt', delivery: id, attempt, next };
  }
  const waits = tries === 0 && typeof next === 'number' && (attempts.length > 0 || next !== at);
  if (waits) yield { type: 'redelivery', delivery: id, at: next };
}

function registeredIn({ webhooks, deliveries }: State): ReadonlySet<Registered> {
  const all = new Set(webhooks.values());
  for (const { to } of deliveries.values()) all.add(to);
  return all;
}
