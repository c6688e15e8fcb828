import { type MessageStatus, outcomeOf, replaces } from '../../contract/events.ts';
import type {
  Attempt,
  Change,
  Counters,
  Delivery,
  FaultRecord,
  Message,
  Next,
  Progress,
  Resettable,
  SandboxEvent,
  Webhook,
} from './records.ts';
import {
  eventById,
  monthOf,
  type RegisteredWebhook,
  type Collection,
  type SigningSecret,
  type State,
} from './state.ts';

/** Applies a change. The only function that changes the state; it makes no decisions. */
export function apply(state: State, change: Change): void {
  state.serial += 1;
  switch (change.type) {
    case 'seed':
      state.seed = change.seed;
      state.dataId = change.dataId;
      return;
    case 'plan':
      state.plan = change.plan;
      return;
    case 'clock':
      state.clock = change.clock;
      return;
    case 'key':
      return put(state.keys, change.key.text, change.key);
    case 'revoke':
      state.revoked.add(change.key);
      return;
    case 'go-live':
      state.live = true;
      return;
    case 'template':
      return put(state.templates, change.template.name, change.template);
    case 'campaign':
      return put(state.campaigns, change.campaign.id, change.campaign);
    case 'contact':
      return put(state.contacts, change.contact.phone, change.contact);
    case 'message':
      return applyMessage(state, change.message, change.progress);
    case 'inbound':
      return void state.inbound.push(change.inbound);
    case 'event':
      return applyEvent(state, change.event);
    case 'fault': {
      const { fault, matched = 0, injected = 0 } = change;
      state.faults.set(fault.id, { fault, matched, injected });
      return;
    }
    case 'fault-cleared':
      state.faults.delete(change.fault);
      return;
    case 'call':
      state.calls.push(change.call);
      return countMatches(state, change.call);
    case 'reset':
      if (change.what !== 'logs') state.dataId = change.dataId;
      return applyReset(state, change.what);
    case 'counters':
      return applyCounters(state, change.counters);
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
    case 'forward': {
      const sending = state.deliveries.get(change.delivery);
      if (sending) sending.forwards = [...(sending.forwards ?? []), change.forward];
      return;
    }
    case 'redelivery':
      return applyRedelivery(state, change.delivery, change.at);
  }
}

const justSent: Progress = { done: 0, status: 'accepted' };

function applyMessage(state: State, message: Message, { done, status } = justSent): void {
  state.messages.set(message.id, { message, done, status });
  const dropped = state.messageIds.push(message.id);
  if (dropped !== undefined) state.messages.delete(dropped);
  const month = monthOf(message.sentAt);
  state.months.set(month, (state.months.get(month) ?? 0) + 1);
}

function applyEvent(state: State, event: SandboxEvent): void {
  const dropped = state.events.push(event);
  state.eventById?.set(event.id, event);
  if (dropped) dropDeliveries(state, dropped);
  const sent = event.done === undefined ? undefined : state.messages.get(event.message ?? '');
  if (!sent || event.done === undefined) return;
  const status = outcomeOf(event.type);
  sent.done = Math.max(sent.done, event.done);
  // In a snapshot, the message already has the progress of its events.
  if (status === undefined || !replaces(status, sent.status)) return;
  sent.status = status;
  if (sent.message.campaign !== undefined) countReceipt(state, sent.message.campaign, sent.status);
}

/** A message that is read was delivered before, so it counts as both. */
function countReceipt({ campaigns }: State, id: string, status: MessageStatus): void {
  const campaign = campaigns.by.get(id);
  if (!campaign || status === 'accepted') return;
  const counts = { ...campaign.counts, [status]: campaign.counts[status] + 1 };
  put(campaigns, id, { ...campaign, counts });
}

/** Keeps keys, plan, webhooks, faults and clock, so that connected clients keep working. */
function applyReset(state: State, what: Resettable): void {
  if (what === 'messages' || what === 'all') {
    state.messages.clear();
    state.messageIds.clear();
    state.months.clear();
    state.inbound.clear();
  }
  if (what === 'contacts' || what === 'all') clear(state.contacts);
  if (what === 'all') {
    clear(state.templates);
    clear(state.campaigns);
  }
  if (what === 'logs' || what === 'all') {
    state.events.clear();
    state.calls.clear();
    state.eventById = undefined;
    state.deliveries.clear();
    state.deliveriesOf.clear();
  }
}

function applyCounters(state: State, { serial, events, calls, messages, months }: Counters): void {
  state.serial = serial;
  if (events !== undefined) state.events.beginAt(events);
  if (calls !== undefined) state.calls.beginAt(calls);
  if (messages !== undefined) state.messageIds.beginAt(messages);
  if (!months) return;
  state.months.clear();
  for (const [month, count] of months) state.months.set(month, count);
}

function put<T>(collection: Collection<T>, name: string, record: T): void {
  const known = collection.by.get(name);
  collection.by.set(name, record);
  if (known === undefined) collection.list.push(record);
  else collection.list[collection.list.indexOf(known)] = record;
}

function clear(collection: Collection<unknown>): void {
  collection.list.length = 0;
  collection.by.clear();
}

/** Updates and re-enables a known webhook, which keeps its deliveries; otherwise adds it. */
function applyWebhook(state: State, webhook: Webhook): void {
  const known = state.webhooks.get(webhook.id);
  const secret = ownSecret(webhook, known);
  if (known) Object.assign(known, { webhook, secret, disabled: undefined } satisfies RegisteredWebhook);
  else state.webhooks.set(webhook.id, { webhook, secret });
}

function ownSecret({ secret }: Webhook, known: RegisteredWebhook | undefined): RegisteredWebhook['secret'] {
  if (secret === undefined) return undefined;
  return known?.secret?.secret === secret ? known.secret : { secret };
}

function rotated(before: SigningSecret | undefined, secret: string, until: number | undefined): SigningSecret {
  return before && until !== undefined ? { secret, previous: { secret: before.secret, until } } : { secret };
}

function applyDelivery(state: State, delivery: Delivery): void {
  countMatches(state, delivery);
  const [event, to] = [eventById(state, delivery.event), state.webhooks.get(delivery.webhook)];
  if (!event || !to) return;
  state.deliveries.set(delivery.id, { delivery, event, to, attempts: [], tries: 0, next: delivery.at });
  const others = state.deliveriesOf.get(event.id);
  if (others) others.push(delivery.id);
  else state.deliveriesOf.set(event.id, [delivery.id]);
}

/** Deletes the deliveries of a dropped event, including pending ones. */
function dropDeliveries(state: State, { id }: SandboxEvent): void {
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

/** Counts draws and hits. The number of draws determines the next draw of a fault. */
function countMatches(state: State, { matched, fault }: FaultRecord): void {
  if (!matched) return;
  for (const id of matched) {
    const counted = state.faults.get(id);
    if (!counted) continue;
    counted.matched += 1;
    if (fault === id) counted.injected += 1;
  }
}
