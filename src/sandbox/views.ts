import { isoTime } from '../base/iso-time.ts';
import { renderedText } from '../contract/template-text.ts';
import { payloadOf } from './api/answers.ts';
import { deliveryRecords, deliveryRows, remaining, undelivered, waitingCount } from './events/deliveries.ts';
import { requestRow } from './requests.ts';
import type { DeliveryFilter, DeliveryStory, EventRecord, MessageFilter, MessageRow, MessageStory } from './rows.ts';
import type { Campaign, Contact, Template } from './state/records.ts';
import { between, newest } from './state/logs.ts';
import { eventById, type SentMessage, type State } from './state/state.ts';

/** Read-only views of a sandbox's state. */
export function viewsOf(state: State) {
  return {
    plan: () => state.plan,
    /** In order. A cursor is the number of events up to that point, including dropped ones. */
    events: (after = 0): readonly EventRecord[] =>
      state.events.since(after).map((event) => ({ ...event, payload: payloadOf(event) })),
    /** Every request, in order, after a cursor of requests. */
    requests: (after = 0) => state.calls.since(after),
    cursors: () => ({
      events: state.events.cursor,
      requests: state.calls.cursor,
      messages: state.messageIds.cursor,
    }),
    /** The audit log of a key or a key's id. */
    audit: (key: string) => state.calls.ofKey(state.keys.by.get(key)?.id ?? key),
    /** In the order of sending, with the text that the recipient reads. */
    messages: (filter: MessageFilter = {}) => messageRows(state, filter),
    /** Everything about a message; undefined if the id is unknown. */
    message: (id: string) => messageStory(state, id),
    /** In the order of the events; includes queued events. */
    deliveries: (filter: DeliveryFilter = {}) => deliveryRows(state, filter),
    /** Full records, by the id of a delivery or an event; empty if the id is unknown. */
    delivery: (id: string): readonly DeliveryStory[] =>
      deliveryRecords(state, id).map((record) => {
        const event = eventById(state, record.event);
        return { ...record, payload: event ? payloadOf(event) : null };
      }),
    /** Counts the deliveries that redelivering `failed` leaves out. */
    remaining: () => remaining(state),
    contacts: (): readonly Contact[] => state.contacts.list,
    templates: (): readonly Template[] => state.templates.list,
    campaigns: (): readonly Campaign[] => state.campaigns.list,
    /** `queued`: events without a matching webhook. `waiting`: deliveries still to be attempted or retried. */
    counts: () => ({
      contacts: state.contacts.list.length,
      templates: state.templates.list.length,
      campaigns: state.campaigns.list.length,
      messages: state.messages.size,
      events: state.events.length,
      queued: undelivered(state).length,
      waiting: waitingCount(state),
    }),
  };
}

function messageRows(state: State, { to, template, status, ...range }: MessageFilter): readonly MessageRow[] {
  const matches = ({ message, status: current }: SentMessage) =>
    (to === undefined || message.to === to) &&
    (template === undefined || message.template === template) &&
    (status === undefined || current === status);
  const found = between(state.messageIds.since, range).flatMap((id) => state.messages.get(id) ?? []);
  return newest(found.filter(matches), range).map((sent) => messageRow(sent, state));
}

function messageStory(state: State, id: string): MessageStory | undefined {
  const sent = state.messages.get(id);
  if (!sent) return undefined;
  const events = [...state.events].filter(({ message }) => message === id);
  const request = [...state.calls].find(({ message }) => message === id);
  return {
    ...messageRow(sent, state),
    request: request ? requestRow(request) : null,
    receipts: [
      ...events.map(({ type, at, id: event }) => ({ type, at: isoTime(at), event })),
      ...sent.message.receipts.slice(sent.done).map(({ type, at }) => ({ type, at: isoTime(at), event: null })),
    ],
    events: events.map(({ id, type, at, data }) => {
      return { id, type, at: isoTime(at), data, deliveries: deliveryRecords(state, id) };
    }),
  };
}

export function messageRow({ message, status }: SentMessage, { templates }: State): MessageRow {
  const { id, to, template: name, params, mode, sentAt } = message;
  const template = templates.by.get(name);
  const text = template ? renderedText(template.body, template.variables, params) : null;
  return { sent_at: isoTime(sentAt), to, template: name, status, text, id, params, mode };
}
