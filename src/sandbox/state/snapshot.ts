import type { Change, Counters } from './records.ts';
import type { RegisteredWebhook, Sending, SentMessage, SigningSecret, State } from './state.ts';

/** Returns the shortest list of commits that rebuilds a state. */
export function snapshot(state: State): Iterable<readonly Change[]> {
  return batches(changesOf(state));
}

/** Number of changes in a snapshot. */
export function sizeOf(state: State): number {
  const changes = changesOf(state);
  let size = 0;
  while (changes.next().done !== true) size += 1;
  return size;
}

function* changesOf(state: State): Generator<Change> {
  yield { type: 'seed', seed: state.seed, dataId: state.dataId };
  yield* secretChanges(state.secret);
  yield { type: 'plan', plan: state.plan };
  if (state.clock) yield { type: 'clock', clock: state.clock };
  yield* keyChanges(state);
  yield* contentChanges(state);
  yield* traceChanges(state);
  yield* webhookChanges(state);
  yield* deliveryChanges(state);
  for (const call of state.calls) yield { type: 'call', call };
  // Last, since their counts already include the draws of calls and deliveries.
  for (const { fault, matched, injected } of state.faults.values()) yield { type: 'fault', fault, matched, injected };
  yield { type: 'counters', counters: countersOf(state) };
}

function countersOf({ serial, events, calls, messageIds, months }: State): Counters {
  const before = (log: { readonly cursor: number; readonly length: number }) => log.cursor - log.length;
  const messages = before(messageIds);
  return { serial, events: before(events), calls: before(calls), messages, months: [...months] };
}

function* secretChanges({ secret, previous }: SigningSecret): Generator<Change> {
  if (previous) yield { type: 'secret', secret: previous.secret };
  yield { type: 'secret', secret, ...(previous && { until: previous.until }) };
}

function* keyChanges({ keys, revoked, live }: State): Generator<Change> {
  for (const key of keys.list) yield { type: 'key', key };
  for (const key of revoked) yield { type: 'revoke', key };
  if (live) yield { type: 'go-live' };
}

function* contentChanges({ templates, campaigns, contacts }: State): Generator<Change> {
  for (const template of templates.list) yield { type: 'template', template };
  for (const campaign of campaigns.list) yield { type: 'campaign', campaign };
  for (const contact of contacts.list) yield { type: 'contact', contact };
}

function* traceChanges(state: State): Generator<Change> {
  for (const sent of state.messages.values()) yield messageChange(sent);
  for (const inbound of state.inbound) yield { type: 'inbound', inbound };
  for (const event of state.events) yield { type: 'event', event };
}

function messageChange({ message, done, status }: SentMessage): Change {
  // Always written, because the events of the message may have been dropped.
  return status === 'accepted'
    ? { type: 'message', message }
    : { type: 'message', message, progress: { done, status } };
}

/** Includes removed webhooks that still have deliveries. */
function* webhookChanges(state: State): Generator<Change> {
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

function* deliveryChanges(state: State): Generator<Change> {
  for (const sending of state.deliveries.values()) yield* sendingChanges(sending);
  for (const { webhook } of registeredIn(state)) {
    if (!state.webhooks.has(webhook.id)) yield { type: 'webhook-removed', webhook: webhook.id };
  }
}

function* sendingChanges({ delivery, attempts, forwards = [], tries, next }: Sending): Generator<Change> {
  const { id, at } = delivery;
  yield { type: 'delivery', delivery };
  const redeliveredAt = attempts.length - tries;
  for (const [made, attempt] of attempts.entries()) {
    if (made === redeliveredAt && made > 0) yield { type: 'redelivery', delivery: id, at };
    yield { type: 'attempt', delivery: id, attempt, next };
  }
  for (const forward of forwards) yield { type: 'forward', delivery: id, forward };
  const isPending = tries === 0 && typeof next === 'number' && (attempts.length > 0 || next !== at);
  if (isPending) yield { type: 'redelivery', delivery: id, at: next };
}

function registeredIn({ webhooks, deliveries }: State): ReadonlySet<RegisteredWebhook> {
  const all = new Set(webhooks.values());
  for (const { to } of deliveries.values()) all.add(to);
  return all;
}

/** Maximum number of changes in a commit, to limit the length of a journal line. */
const largest = 1_000;

/** Splits changes into commits, in order. */
export function* batches(changes: Iterable<Change>): Generator<readonly Change[]> {
  let batch: Change[] = [];
  for (const change of changes) {
    if (batch.push(change) < largest) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
