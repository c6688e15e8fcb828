import { applyToDeliveries, dropDeliveries } from './apply-deliveries.ts';
import type { Change, Progress, Counters, Resettable } from './changes.ts';
import type { Message, SandboxEvent } from './records.ts';
import { countDraws } from './draws.ts';
import { statuses } from './receipts.ts';
import { monthOf, type Shelf, type State } from './state.ts';

/** The one way in which a state changes. It decides nothing: what it is told has happened. */
export function apply(state: State, change: Change): void {
  state.serial += 1;
  switch (change.type) {
    case 'seed':
      state.seed = change.seed;
      state.dataId = change.dataId ?? '';
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
    case 'flow-run':
      return void state.flowRuns.push(change.run);
    case 'order':
      return void state.orders.push(change.order);
    case 'event':
      return applyEvent(state, change.event);
    case 'fault':
      return applyFault(state, change);
    case 'fault-cleared':
      state.faults.delete(change.fault);
      return;
    case 'call':
      state.calls.push(change.call);
      return countDraws(state, change.call);
    case 'reset':
      if (change.what !== 'logs') state.dataId = change.dataId ?? '';
      return applyReset(state, change.what);
    case 'counters':
      return applyCounters(state, change.counters);
    case 'secret':
    case 'webhook':
    case 'webhook-secret':
    case 'webhook-disabled':
    case 'webhook-removed':
    case 'delivery':
    case 'attempt':
    case 'redelivery':
      return applyToDeliveries(state, change);
  }
}

const justSent: Progress = { done: 0, status: 'sent' };
function applyMessage(state: State, message: Message, progress = justSent): void {
  state.messages.set(message.id, { message, done: progress.done, status: progress.status });
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
  sent.done = event.done;
  sent.status = statuses[event.type] ?? sent.status;
}

function applyFault(state: State, { fault, drawn = 0, struck = 0 }: Extract<Change, { type: 'fault' }>): void {
  state.faults.set(fault.id, { fault, drawn, struck });
}

/** Keys, plan, webhooks, faults and the clock stay, so that whoever is connected still is. */
function applyReset(state: State, what: Resettable): void {
  if (what === 'messages' || what === 'all') {
    state.messages.clear();
    state.messageIds.clear();
    state.months.clear();
    state.inbound.clear();
    state.orders.clear();
  }
  if (what === 'contacts' || what === 'all') {
    clear(state.contacts);
    state.flowRuns.clear();
  }
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

function applyCounters(state: State, { serial, events, calls, months }: Counters): void {
  state.serial = serial;
  state.events.beginAt(events);
  state.calls.beginAt(calls);
  if (!months) return;
  state.months.clear();
  for (const [month, count] of months) state.months.set(month, count);
}

function put<T>(shelf: Shelf<T>, name: string, record: T): void {
  const known = shelf.by.get(name);
  shelf.by.set(name, record);
  if (known === undefined) shelf.list.push(record);
  else shelf.list[shelf.list.indexOf(known)] = record;
}

function clear(shelf: Shelf<unknown>): void {
  shelf.list.length = 0;
  shelf.by.clear();
}
