import { outcomeOf, replaces } from '../../contract/events.ts';
import { drawFault } from '../faults.ts';
import type { Contact, Emitted, Message, Receipt, SandboxEvent } from '../state/records.ts';
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

/** Adds a message, and decides its receipts. */
export function addMessage({ store, ids }: Core, fields: NewMessage, sentAt: number): Message {
  const { state } = store;
  const id = ids.id('msg_sandbox');
  const receipts = receiptsOf(fields.to, sentAt, ids.random(id));
  const message: Message = { id, ...fields, sentAt, receipts, done: 0, status: 'accepted' };
  const month = monthOf(sentAt);
  state.months = { ...state.months, [month]: (state.months[month] ?? 0) + 1 };
  state.messages.put(message);
  store.happened({ type: 'message', message });
  return message;
}

type NewMessage = Pick<Message, 'to' | 'template' | 'params' | 'mode' | 'key' | 'campaign'>;

/** Adds a contact and its event. */
export function addContact(core: Core, fields: Omit<Contact, 'id' | 'created_at'>, now: number): Contact {
  const { store, ids } = core;
  const contact: Contact = { id: ids.id('con_sandbox'), ...fields, created_at: new Date(now).toISOString() };
  store.state.contacts.put(contact);
  store.happened({ type: 'contents' });
  emit(core, { type: 'contact.created', at: now, data: contact });
  return contact;
}

// §6: the document provides three test numbers.
export const testNumbers = {
  delivers: '+12025550101',
  fails: '+12025550102',
  delivers5sLater: '+12025550103',
} as const;

const reason = { code: 'undeliverable', message: 'this test number always fails' } as const;

/** Decides the receipts of a message and their times. */
function receiptsOf(to: string, sentAt: number, random: () => number): readonly Receipt[] {
  const soon = sentAt + between(150, 400, random);
  if (to === testNumbers.fails) return [{ type: 'message.failed', at: soon, reason }];
  // §6: exactly 5 seconds.
  const delivered = to === testNumbers.delivers5sLater ? sentAt + 5_000 : soon;
  return [
    { type: 'message.delivered', at: delivered },
    { type: 'message.read', at: delivered + between(1_000, 3_000, random) },
  ];
}

function between(least: number, most: number, random: () => number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** The event of a receipt. `done` is how many receipts of the message have happened then. */
export function receiptEvent(message: Message, receipt: Receipt, done: number): Omit<SandboxEvent, 'id'> {
  const { type, at, reason } = receipt;
  const data = { message_id: message.id, to: message.to, template: message.template, status: outcomeOf(type) };
  return { type, at, message: message.id, done, data: reason ? { ...data, reason } : data };
}

/** Emits each receipt at its time, including those from before a restart; returns a stop function. */
export function scheduleReceipts(core: Core): () => void {
  const { store, clock } = core;
  const { messages } = store.state;
  /** Ids of messages by the time of their next receipt. */
  const waiting = new Map<number, string[]>();
  let isClosed = false;
  for (const message of messages.all()) watch(message);
  store.follow((what) => {
    if (what.type === 'message') watch(what.message);
    else if (what.type === 'event' && what.emitted.event.done !== undefined)
      watch(messages.get(what.emitted.event.message ?? ''));
  });
  return () => {
    isClosed = true;
  };

  function watch(message: Message | undefined): void {
    const at = message?.receipts[message.done]?.at;
    if (!message || at === undefined) return;
    const others = waiting.get(at);
    if (others) return void others.push(message.id);
    waiting.set(at, [message.id]);
    clock.at(
      at,
      () => store.change(() => emitAt(at)),
      () => waiting.get(at)?.some((id) => isDue(messages.get(id), at)) !== true,
    );
  }

  /** A trigger may have moved a message on, or a reset deleted it. */
  function emitAt(time: number): void {
    // A trigger may send a message with its first receipts: then it is in the list twice.
    const ids = new Set(waiting.get(time));
    waiting.delete(time);
    if (isClosed) return;
    for (const message of [...ids].map((id) => messages.get(id))) {
      const receipt = message?.receipts[message.done];
      if (message && receipt && isDue(message, time)) emit(core, receiptEvent(message, receipt, message.done + 1));
    }
  }
}

function isDue(message: Message | undefined, time: number): boolean {
  const at = message?.receipts[message.done]?.at;
  return at !== undefined && at <= time;
}
