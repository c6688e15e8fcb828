import * as read from '../contract/readers.ts';
import { renderedText } from '../contract/template-text.ts';
import { deliveryRecords, deliveryRows, payloadOf } from './events/deliveries.ts';
import { keyNamed } from './state/keys.ts';
import type { Call, Message } from './state/records.ts';
import type { State } from './state/state.ts';
import { newest, newestFields, type Table } from './state/table.ts';
import { fields } from './readers.ts';

export const part = fields(newestFields);

export const messageFilter = fields({ ...newestFields, to: read.optional(read.string) });

type Part = ReturnType<typeof part>;

function newestOf<T>(table: Table<T>, { after = 0, before, limit }: Part): readonly T[] {
  return newest(table.between(after, before), limit);
}

/** Read-only views of a sandbox's state. */
export function viewsOf(state: State) {
  return {
    plan: () => state.plan,
    /** In order. A cursor is the number of events up to that point, including dropped ones. */
    events: (which: Part = {}) =>
      newestOf(state.events, which).map(({ event }) => ({ ...event, payload: payloadOf(event) })),
    requests: (which: Part = {}) => newestOf(state.requests, which),
    cursors: () => ({ events: state.events.next, requests: state.requests.next, messages: state.messages.next }),
    /** The audit log of a key or a key's id. */
    audit(name: string) {
      const { id } = keyNamed(state, name);
      return state.requests.all().filter(({ key }) => key === id);
    },
    /** In the order of sending, with the text that the recipient reads. */
    messages({ to, after = 0, before, limit }: ReturnType<typeof messageFilter> = {}) {
      const messages = state.messages.between(after, before).filter((message) => to === undefined || message.to === to);
      return newest(messages, limit).map((message) => messageRow(message, state));
    },
    /** Everything about a message; undefined if the id is unknown. */
    message: (id: string) => messageStory(state, id),
    /** In the order of the events; includes queued events. */
    deliveries: (filter: Parameters<typeof deliveryRows>[1] = {}) => deliveryRows(state, filter),
    /** Full records, by the id of a delivery or an event; empty if the id is unknown. */
    delivery: (id: string) => deliveryRecords(state, id),
    contacts: () => state.contacts.all(),
    templates: () => state.templates.all(),
    campaigns: () => state.campaigns.all(),
    counts: () => countsOf(state),
  };
}

/** `queued`: events without a matching webhook. `waiting`: deliveries still to be attempted or retried. */
function countsOf({ contacts, templates, campaigns, messages, events }: State) {
  const all = events.all();
  return {
    contacts: contacts.size,
    templates: templates.size,
    campaigns: campaigns.size,
    messages: messages.size,
    events: events.size,
    queued: all.filter(({ deliveries }) => deliveries.length === 0).length,
    waiting: all.flatMap(({ deliveries }) => deliveries.filter(({ state }) => state === 'waiting')).length,
  };
}

export type MessageStory = NonNullable<ReturnType<typeof messageStory>>;

function messageStory(state: State, id: string) {
  const message = state.messages.get(id);
  if (!message) return undefined;
  const events = state.events.all().flatMap(({ event }) => (event.message === id ? [event] : []));
  const call = state.requests.all().find((request) => request.message === id);
  return {
    ...messageRow(message, state),
    request: call ? requestRow(call) : null,
    receipts: [
      ...events.map(({ type, at, id: event }) => ({ type, at: new Date(at).toISOString(), event })),
      ...message.receipts
        .slice(message.done)
        .map(({ type, at }) => ({ type, at: new Date(at).toISOString(), event: null })),
    ],
    events: events.map(({ id: event, type, at, data }) => {
      return { id: event, type, at: new Date(at).toISOString(), data, deliveries: deliveryRecords(state, event) };
    }),
  };
}

export function messageRow(message: Message, { templates }: State) {
  const { id, to, template: name, params, mode, sentAt, status } = message;
  const template = templates.get(name);
  // Null if the template was deleted since.
  const text = template ? renderedText(template.body, template.variables, params) : null;
  return { sent_at: new Date(sentAt).toISOString(), to, template: name, status, text, id, params, mode };
}

export type RequestRow = ReturnType<typeof requestRow>;

/** All fields are in the same order. */
export function requestRow({ at, method, target, status, key, message, fault, detail }: Call) {
  const rest = { key: key ?? null, message_id: message ?? null, fault: fault ?? null, detail: detail ?? null };
  return { at: new Date(at).toISOString(), method, path: target, status, ...rest };
}
