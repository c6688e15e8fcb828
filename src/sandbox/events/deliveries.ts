import { Refusal } from '../refusal.ts';
import { isoTime } from '../../base/iso-time.ts';
import type { DeliveryFilter, DeliveryRecord, DeliveryRow, DeliveryStatus, Remaining, RowState } from '../rows.ts';
import { between, newest } from '../state/logs.ts';
import type { Change, FaultRecord, Forward, SandboxEvent, Webhook } from '../state/records.ts';
import { eventById, type RegisteredWebhook, type Sending, type State, type Core } from '../state/state.ts';

type Entry = SandboxEvent | Sending;

/** All deliveries, in the order of their events. */
export function deliveryRows(state: State, { states, ...range }: DeliveryFilter): readonly DeliveryRow[] {
  const all = between(state.events.since, range).flatMap((event) => entriesOf(event, state));
  const found = all.filter((entry) => !states || states.includes(stateOf(entry, state)));
  return newest(found, range).map((entry) => rowOf(entry, state));
}

/** One delivery, or all deliveries of an event, with their attempts. */
export function deliveryRecords(state: State, id: string): readonly DeliveryRecord[] {
  const one = state.deliveries.get(id);
  const event = eventById(state, id);
  const found = one ? [one] : event ? entriesOf(event, state) : [];
  return found.map((entry) => deliveryRecord(entry, state));
}

function sendingsOf(event: string, { deliveries, deliveriesOf }: State): readonly Sending[] {
  return (deliveriesOf.get(event) ?? []).flatMap((id) => deliveries.get(id) ?? []);
}

export function waitingCount(state: State): number {
  let count = 0;
  for (const sending of state.deliveries.values()) if (statusOf(sending, state).status === 'waiting') count += 1;
  return count;
}

function entriesOf(event: SandboxEvent, state: State): readonly Entry[] {
  const sendings = sendingsOf(event.id, state);
  return sendings.length > 0 ? sendings : [event];
}

function stateOf(entry: Entry, state: State): RowState {
  return 'delivery' in entry ? statusOf(entry, state).status : 'queued';
}

function deliveryRecord(entry: Entry, state: State): DeliveryRecord {
  const row = rowOf(entry, state);
  if (!('delivery' in entry)) return { ...row, webhook: null, fault: null, attempts: [], forwards: [] };
  const { delivery, attempts, forwards = [] } = entry;
  return { ...row, webhook: delivery.webhook, fault: delivery.fault ?? null, attempts, forwards };
}

const none = { attempts: 0, last: null, forwarded: null, next_at: null } as const;

/** Every row has all columns in the same order: the first row decides a table's. */
function rowOf(entry: Entry, state: State): DeliveryRow {
  if (!('delivery' in entry))
    return {
      at: isoTime(entry.at),
      id: entry.id,
      event: entry.id,
      type: entry.type,
      url: null,
      state: 'queued',
      ...none,
    };
  const { delivery, event, to, attempts, forwards, next } = entry;
  const { status, reason } = statusOf(entry, state);
  const [last, forward] = [attempts.at(-1), forwards?.at(-1)];
  return {
    at: isoTime(event.at),
    id: delivery.id,
    event: event.id,
    type: event.type,
    url: to.webhook.url,
    state: status,
    attempts: attempts.length,
    last: reason ?? last?.error ?? last?.response?.status ?? null,
    forwarded: forward?.error ?? forward?.status ?? null,
    next_at: status === 'waiting' ? new Date(Number(next)).toISOString() : null,
  };
}

/** Records how the handler behind a listener answered events that were delivered to the listener. */
export function createReportForwards({ store: { state, commit }, clock }: Core) {
  return (webhook: string, forwards: readonly Forwarded[]): void => {
    const changes = forwards.flatMap(({ event, ...rest }): readonly Change[] => {
      const sending = sendingsOf(event, state).find(({ delivery }) => delivery.webhook === webhook);
      if (!sending) return [];
      return [{ type: 'forward', delivery: sending.delivery.id, forward: { at: clock.now(), ...rest } }];
    });
    commit(changes);
  };
}

type Forwarded = Omit<Forward, 'at'> & { readonly event: string };

/** Restarts one delivery, those of an event, or all `failed` ones, now. Returns the number. */
export function createRedeliver({ store, ids, clock }: Core): (which: string) => number {
  const { state, commit } = store;
  return (which) => {
    const changes = which === 'failed' ? failed(state).map(restarted) : restartById(which);
    commit(changes);
    return changes.length;
  };

  function restarted(sending: Sending): Change {
    return restart(sending, clock.now());
  }

  function restartById(id: string): readonly Change[] {
    const sending = state.deliveries.get(id);
    if (sending) return [restarted(requireOpen(sending, state))];
    const event = eventById(state, id);
    if (!event) throw new Refusal(404, 'there is no delivery or event with this id');
    const known = sendingsOf(id, state).filter(({ to }) => !whyClosed(to, state));
    if (known.length > 0) return known.map(restarted);
    // The event has no delivery, or its webhooks were removed: the webhooks registered now get it.
    const webhooks = receivers(state, event);
    if (webhooks.length === 0) throw new Refusal(400, `no webhook receives ${event.type}: add one first`);
    const now = { at: clock.now() };
    return webhooks.map((webhook, at) => deliveryOf(event, webhook, ids.id('dlv', state.serial + at + 1), now));
  }
}

function restart({ delivery: { id } }: Sending, at: number): Change {
  return { type: 'redelivery', delivery: id, at };
}

/** Restarts the failed deliveries of a webhook, and delivers to it the events that only removed webhooks, or none, had. */
export function catchUp(webhook: Webhook, { store: { state }, ids, clock }: Core): readonly Change[] {
  let { serial } = state;
  const at = clock.now();
  const events = [...state.events].filter((event) => listensTo(webhook, event));
  return events.flatMap((event) => {
    const sendings = sendingsOf(event.id, state);
    const own = sendings.filter(({ delivery }) => delivery.webhook === webhook.id);
    if (own.length > 0) return own.filter((one) => isMissed(one) && one.tries > 0).map((one) => restart(one, at));
    const isLost = sendings.every((one) => isMissed(one) && !state.webhooks.has(one.delivery.webhook));
    return isLost ? [deliveryOf(event, webhook, ids.id('dlv', ++serial), { at })] : [];
  });
}

/** True unless it was delivered, or dropped by a fault. */
function isMissed({ next }: Sending): boolean {
  return next === 'dead' || typeof next === 'number';
}

export function remaining(state: State): Remaining {
  const counts = { disabled: 0, removed: 0, waiting: 0 };
  for (const sending of state.deliveries.values()) {
    const { status } = statusOf(sending, state);
    if (status === 'waiting' && sending.tries > 0) counts.waiting += 1;
    if (status !== 'dead' || whyClosed(sending.to, state) === undefined) continue;
    if (state.webhooks.has(sending.delivery.webhook)) counts.disabled += 1;
    else counts.removed += 1;
  }
  return counts;
}

function failed(state: State): readonly Sending[] {
  return [...state.deliveries.values()].filter(({ next, to }) => next === 'dead' && !whyClosed(to, state));
}

function requireOpen(sending: Sending, state: State): Sending {
  const why = whyClosed(sending.to, state);
  if (why === undefined) return sending;
  throw new Refusal(400, `${why}; add it again, then redeliver the event`);
}

/** The events without a delivery, because no webhook received them. */
export function undelivered({ events, deliveriesOf }: State): readonly SandboxEvent[] {
  return [...events].filter(({ id }) => !deliveriesOf.has(id));
}

interface StatusDetails {
  readonly status: DeliveryStatus;
  /** Why a delivery is dead before its last attempt. */
  readonly reason?: string;
}

/** A delivery that waits for a removed or disabled webhook is dead. */
function statusOf({ next, to }: Sending, state: State): StatusDetails {
  if (typeof next !== 'number') return { status: next };
  const reason = whyClosed(to, state);
  return reason === undefined ? { status: 'waiting' } : { status: 'dead', reason };
}

/** Whether a delivery is pending and was not deleted by a reset. */
export function isWaiting(sending: Sending, state: State): boolean {
  return state.deliveries.get(sending.delivery.id) === sending && statusOf(sending, state).status === 'waiting';
}

/** Why a webhook gets no more events; undefined if it does. */
function whyClosed(to: RegisteredWebhook, { webhooks }: State): string | undefined {
  if (webhooks.get(to.webhook.id) !== to) return 'its webhook was removed';
  return to.disabled === undefined ? undefined : `its webhook ${to.disabled}`;
}

interface DeliveryDetails extends FaultRecord {
  /** Default: the time of the event. Later deliveries set it, because the clock may have been moved back. */
  readonly at?: number;
}

export function deliveryOf(event: SandboxEvent, webhook: Webhook, id: string, details: DeliveryDetails = {}): Change {
  return { type: 'delivery', delivery: { id, event: event.id, webhook: webhook.id, at: event.at, ...details } };
}

export function receivers(state: State, event: SandboxEvent): readonly Webhook[] {
  const active = [...state.webhooks.values()].filter(({ disabled }) => disabled === undefined);
  return active.map(({ webhook }) => webhook).filter((webhook) => listensTo(webhook, event));
}

function listensTo({ events }: Webhook, { type }: SandboxEvent): boolean {
  return events === 'all' || events.includes(type);
}
