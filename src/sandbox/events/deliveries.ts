import { Refusal } from '../refusal.ts';
import * as read from '../../contract/readers.ts';
import type { Delivery, Emitted, SandboxEvent, Webhook } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import { fields, integer } from '../readers.ts';
import { newest, newestFields } from '../state/table.ts';

/** The body that a webhook receives. */
export function payloadOf({ type, at, data }: SandboxEvent): object {
  return { type, timestamp: new Date(at).toISOString(), data };
}

export function deliveryOf({ ids }: Core, { id, url }: Webhook, at: number): Delivery {
  const fresh = { state: 'waiting', next: at, attempts: [], tries: 0, forwards: [] } as const;
  return { id: ids.id('dlv'), webhook: id, url, at, ...fresh };
}

export function receivers({ webhooks }: State, event: SandboxEvent): readonly Webhook[] {
  return webhooks.size === 0 ? [] : webhooks.all().filter((webhook) => !webhook.disabled && listensTo(webhook, event));
}

function listensTo({ events }: Webhook, { type }: SandboxEvent): boolean {
  return events === 'all' || events.includes(type);
}

/** Replaces some fields of a delivery, unless its event has been dropped. */
export function updateDelivery({ store: { state } }: Core, id: string, change: Partial<Delivery>): void {
  const emitted = state.events.get(id);
  if (!emitted) return;
  const deliveries = emitted.deliveries.map((delivery) => (delivery.id === id ? { ...delivery, ...change } : delivery));
  state.events.put({ ...emitted, deliveries });
}

export function deliveryNamed({ events }: State, id: string): Delivery | undefined {
  return events.get(id)?.deliveries.find((delivery) => delivery.id === id);
}

/** `queued` is an event without a delivery, because no webhook was registered for it. */
export const rowStates = ['waiting', 'delivered', 'dead', 'dropped', 'queued'] as const;

/** The range is one of events. */
export const deliveryFilter = fields({ ...newestFields, states: read.optional(read.list(read.oneOf(rowStates))) });

/** All deliveries, in the order of their events. An event without one is queued. */
export function deliveryRows(
  { events }: State,
  filter: ReturnType<typeof deliveryFilter> = {},
): readonly DeliveryRow[] {
  const { states, after, before, limit } = filter;
  const rows = events.between(after ?? 0, before).flatMap(deliveryRowsOf);
  return newest(states ? rows.filter(({ state }) => states.includes(state)) : rows, limit);
}

export function deliveryRowsOf({ event, deliveries }: Emitted): readonly DeliveryRow[] {
  return deliveries.length === 0 ? [rowOf(event)] : deliveries.map((delivery) => rowOf(event, delivery));
}

export type DeliveryRecord = ReturnType<typeof deliveryRecords>[number];

/** One delivery, or all deliveries of an event, with their attempts and the payload of the event. */
export function deliveryRecords({ events }: State, id: string) {
  const emitted = events.get(id);
  if (!emitted) return [];
  const { event, deliveries } = emitted;
  const payload = payloadOf(event);
  const queued: Partial<Delivery> = {};
  const named = deliveries.filter((delivery) => id === event.id || delivery.id === id);
  return (deliveries.length === 0 ? [queued] : named).map((delivery) => {
    const { webhook = null, fault = null, attempts = [], forwards = [] } = delivery;
    return { ...rowOf(event, delivery), webhook, fault, attempts, forwards, payload };
  });
}

type DeliveryRow = ReturnType<typeof rowOf>;

/** Every row has all columns in the same order: the first row decides a table's. Without a delivery, the event is queued. */
function rowOf(event: SandboxEvent, delivery: Partial<Delivery> = {}) {
  const { id = event.id, url = null, state = 'queued' as const, next = 0, reason } = delivery;
  const { attempts = [], forwards = [] } = delivery;
  const last = attempts.at(-1);
  const forward = forwards.at(-1);
  return {
    /** When the event happened. */
    at: new Date(event.at).toISOString(),
    /** The delivery id; for a queued event its event id. */
    id,
    event: event.id,
    type: event.type,
    url,
    state,
    attempts: attempts.length,
    /** The result of the last attempt: a status or an error. */
    last: reason ?? last?.error ?? last?.response?.status ?? null,
    /** The last answer of the handler behind a listener of bizmsg. */
    forwarded: forward?.error ?? forward?.status ?? null,
    next_at: state === 'waiting' ? new Date(next).toISOString() : null,
  };
}

export const newForwards = read.list(
  fields({
    event: read.string,
    /** Of the listener. */
    port: integer(),
    url: read.string,
    status: read.optional(integer()),
    error: read.optional(read.string),
    body: read.optional(read.string),
    took: integer(),
  }),
);

/** Records how the handler behind a listener answered events that were delivered to the listener. */
export function reportForwards(core: Core, forwards: ReturnType<typeof newForwards>): void {
  const { store, clock } = core;
  for (const { event, port, ...fields } of forwards) {
    const { deliveries = [] } = store.state.events.get(event) ?? {};
    const delivery = deliveries.find(({ url }) => new URL(url).port === String(port));
    if (!delivery) continue;
    updateDelivery(core, delivery.id, { forwards: [...delivery.forwards, { at: clock.now(), ...fields }] });
    store.happened({ type: 'delivery', id: delivery.id });
  }
}

/** Restarts one delivery, those of an event, or all `failed` ones, now. Returns the number. */
export function redeliver(core: Core, which: string): number {
  const { state } = core.store;
  const isOpen = ({ webhook }: Delivery) => whyClosed(webhook, state) === undefined;
  if (which === 'failed') {
    const failing = state.events.all().flatMap(({ deliveries }) => deliveries.filter(isFailing));
    return restart(core, failing.filter(isOpen));
  }
  const emitted = state.events.get(which);
  if (!emitted) throw new Refusal(404, 'there is no delivery or event with this id');
  const { event, deliveries } = emitted;
  const delivery = deliveries.find(({ id }) => id === which);
  const why = delivery && whyClosed(delivery.webhook, state);
  if (why !== undefined) throw new Refusal(400, `${why}; add it again, then redeliver the event`);
  const open = delivery ? [delivery] : deliveries.filter(isOpen);
  if (open.length > 0) return restart(core, open);
  // The event has no delivery, or its webhooks were removed: the webhooks registered now get it.
  const webhooks = receivers(state, event);
  if (webhooks.length === 0) throw new Refusal(400, `no webhook receives ${event.type}: add one first`);
  for (const webhook of webhooks) deliverTo(core, event.id, webhook);
  return webhooks.length;
}

/** Dead, or still retried after a failed attempt. */
function isFailing({ state, tries }: Delivery): boolean {
  return state === 'dead' || (state === 'waiting' && tries > 0);
}

function restart(core: Core, deliveries: readonly Delivery[]): number {
  for (const { id } of deliveries) {
    updateDelivery(core, id, { state: 'waiting', next: core.clock.now(), tries: 0, reason: undefined });
    core.store.happened({ type: 'delivery', id });
  }
  return deliveries.length;
}

function deliverTo(core: Core, event: string, webhook: Webhook): void {
  const { state, happened } = core.store;
  const emitted = state.events.get(event);
  if (!emitted) return;
  const delivery = deliveryOf(core, webhook, core.clock.now());
  state.events.put({ ...emitted, deliveries: [...emitted.deliveries, delivery] });
  happened({ type: 'delivery', id: delivery.id });
}

/**
 * Restarts the failed deliveries of a webhook, and delivers to it the events that only removed webhooks, or none, had.
 * Returns the number.
 */
export function catchUp(core: Core, webhook: Webhook): number {
  const { state } = core.store;
  let count = 0;
  for (const { event, deliveries } of state.events.all()) {
    if (!listensTo(webhook, event)) continue;
    const ours = deliveries.filter((delivery) => delivery.webhook === webhook.id);
    const isLost = deliveries.every((delivery) => delivery.state === 'dead' && !state.webhooks.get(delivery.webhook));
    if (ours.length > 0) count += restart(core, ours.filter(isFailing));
    else if (isLost) {
      deliverTo(core, event.id, webhook);
      count += 1;
    }
  }
  return count;
}

/** Gives up the deliveries of a webhook that wait, for a reason; without one, they wait again. */
export function hold(core: Core, webhook: string, reason: string | undefined): void {
  const isMeant = (delivery: Delivery) =>
    reason === undefined ? delivery.reason !== undefined : delivery.state === 'waiting';
  for (const { deliveries } of core.store.state.events.all())
    for (const { id } of deliveries.filter((delivery) => delivery.webhook === webhook && isMeant(delivery))) {
      updateDelivery(core, id, { state: reason === undefined ? 'waiting' : 'dead', reason });
      core.store.happened({ type: 'delivery', id });
    }
}

/** Why a webhook gets no more events; undefined if it does. */
function whyClosed(id: string, { webhooks }: State): string | undefined {
  const webhook = webhooks.get(id);
  if (!webhook) return 'its webhook was removed';
  return webhook.disabled === undefined ? undefined : `its webhook ${webhook.disabled}`;
}
