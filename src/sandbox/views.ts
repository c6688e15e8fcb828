import { isoTime } from '../base/iso-time.ts';
import { renderedText } from '../contract/template-text.ts';
import { payloadOf } from './api/answers.ts';
import { deliveryRecords, deliveryRows, remaining, undelivered, waitingCount } from './events/deliveries.ts';
import type { Views } from './interface.ts';
import { between, newest, requestRow } from './requests.ts';
import type { MessageFilter, MessageRow, MessageStory } from './rows.ts';
import type { Shape } from './api/shapes.ts';
import type { SentMessage, State } from './state/state.ts';
import { audienceOf } from './trigger/trigger.ts';

export function viewsOf(state: State, shape: Shape): Views {
  return {
    plan: () => state.plan,
    events: (after = 0) => state.events.since(after).map((event) => ({ ...event, payload: payloadOf(shape, event) })),
    requests: (after = 0) => state.calls.since(after),
    cursors: () => ({
      events: state.events.cursor,
      requests: state.calls.cursor,
      messages: state.messageIds.cursor,
    }),
    audit: (key) => state.calls.ofKey(state.keys.by.get(key)?.id ?? key),
    messages: (filter = {}) => messageRows(state, filter),
    message: (id) => messageStory(state, id),
    deliveries: (filter = {}) => deliveryRows(state, filter),
    delivery: (id) => deliveryRecords(state, id),
    remaining: () => remaining(state),
    contacts: () => state.contacts.list,
    audience: (tag) => audienceOf({ tag }, state).length,
    templates: () => state.templates.list,
    campaigns: () => state.campaigns.list,
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
