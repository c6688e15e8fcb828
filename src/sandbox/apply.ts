import { applyToDeliveries } from './apply-deliveries.ts';
import type { Change, Progress, Counters, Resettable } from './changes.ts';
import type { Call, Message, SandboxEvent } from './records.ts';
import { countDraws } from './draws.ts';
import { statuses } from './receipts.ts';
import { monthOf } from './state.ts';
import type { Log, Shelf, State } from './state.ts';

/** The one way in which a state changes. It decides nothing: what it is told has happened. */
export function apply(state: State, change: Change): void {
  state.serial += 1;
  switch (change.type) {
    case 'seed':
      state.seed = change.seed;
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
      state.inbound.push(change.inbound);
      return;
    case 'flow-run':
      state.flowRuns.push(change.run);
      return;
    case 'order':
      state.orders.push(change.order);
      return;
    case 'event':
      return applyEvent(state, change.event);
    case 'fault':
      return applyFault(state, change);
    case 'fault-cleared':
      state.faults.delete(change.fault);
      return;
    case 'call':
      return applyCall(state, change.call);
    case 'reset':
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
  const month = monthOf(message.sentAt);
  state.months.set(month, (state.months.get(month) ?? 0) + 1);
}

function applyEvent(state: State, event: SandboxEvent): void {
  state.events.list.push(event);
  state.eventById?.set(event.id, event);
  const sent = event.done === undefined ? undefined : state.messages.get(event.message ?? '');
  if (!sent || event.done === undefined) return;
  sent.done = event.done;
  sent.status = statuses[event.type] ?? sent.status;
}

function applyFault(state: State, { fault, drawn = 0, struck = 0 }: Extract<Change, { type: 'fault' }>): void {
  state.faults.set(fault.id, { fault, drawn, struck });
}

function applyCall(state: State, call: Call): void {
  state.calls.list.push(call);
  if (call.key === undefined) state.strangers += 1;
  else {
    const rows = state.audit.get(call.key);
    if (rows) rows.push(call);
    else state.audit.set(call.key, [call]);
  }
  countDraws(state, call);
}

/** Keys, plan, webhooks, faults and the clock stay, so that whoever is connected still is. */
function applyReset(state: State, what: Resettable): void {
  if (what === 'messages' || what === 'all') {
    state.messages.clear();
    state.months.clear();
    state.inbound.length = 0;
    state.orders.length = 0;
  }
  if (what === 'contacts' || what === 'all') {
    clear(state.contacts);
    state.flowRuns.length = 0;
  }
  if (what === 'all') {
    clear(state.templates);
    clear(state.campaigns);
  }
  if (what === 'logs' || what === 'all') {
    letGo(state.events);
    letGo(state.calls);
    state.strangers = 0;
    state.eventById = undefined;
    state.deliveries.clear();
    state.audit.clear();
  }
}

function applyCounters(state: State, { serial, events, calls }: Counters): void {
  state.serial = serial;
  state.events.before = events;
  state.calls.before = calls;
}

function letGo(log: Log<unknown>): void {
  log.before += log.list.length;
  log.list.length = 0;
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
