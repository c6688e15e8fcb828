import { outcomeOf, replaces } from '../../contract/events.ts';
import { drawFault } from '../faults.ts';
import type { Contact, Emitted, Message, SandboxEvent } from '../state/records.ts';
import { type Core, monthOf, type State } from '../state/state.ts';
import { deliveryOf, receivers } from './deliveries.ts';

/** Adds an event and its deliveries. The event of a receipt moves its message on. */
export function emit(core: Core, fields: Omit<SandboxEvent, 'id'>): SandboxEvent {
  const { store, ids } = core;
  const event: SandboxEvent = { id: ids.id('evt'), ...fields };
  // The fault applies to the first attempt.
  const deliveries = receivers(store.state, event).map((webhook) => ({
    ...deliveryOf(core, webhook, event.at),
    fault: drawFault(store.state, event.type)?.id,
  }));
  const emitted: Emitted = { event, deliveries };
  moveOn(store.state, event);
  store.state.events.put(emitted);
  store.happened({ type: 'event', emitted });
  return event;
}

function moveOn(state: State, { type, message: id, done }: SandboxEvent): void {
  const message = done === undefined || id === undefined ? undefined : state.messages.get(id);
  if (!message || done === undefined) return;
  const outcome = outcomeOf(type);
  const status = outcome && replaces(outcome, message.status) ? outcome : message.status;
  state.messages.put({ ...message, done: Math.max(message.done, done), status });
  if (status !== message.status && message.campaign !== undefined) countReceipt(state, message.campaign, status);
}

/** A message that is read was delivered before, so it counts as both. */
function countReceipt({ campaigns }: State, id: string, status: Message['status']): void {
  const campaign = campaigns.get(id);
  if (!campaign || status === 'accepted') return;
  const counts = { ...campaign.counts, [status]: campaign.counts[status] + 1 };
  campaigns.put({ ...campaign, counts });
}

export function addMessage({ store }: Core, message: Message): void {
  const { state } = store;
  const month = monthOf(message.sentAt);
  state.months = { ...state.months, [month]: (state.months[month] ?? 0) + 1 };
  state.messages.put(message);
  store.happened({ type: 'message', message });
}

/** Adds a contact and its event. */
export function addContact(core: Core, fields: Omit<Contact, 'id' | 'created_at'>, now: number): Contact {
  const { store, ids } = core;
  const contact: Contact = { id: ids.id('con_sandbox'), ...fields, created_at: new Date(now).toISOString() };
  store.state.contacts.put(contact);
  store.happened({ type: 'contents' });
  emit(core, { type: 'contact.created', at: now, data: contact });
  return contact;
}
