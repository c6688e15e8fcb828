import { payloadOf } from './api/answers.ts';
import { deliveryRecords, deliveryRows, remaining, undelivered, waitingCount } from './events/deliveries.ts';
import type { Views } from './interface.ts';
import { messageRows, messageStory } from './messages.ts';
import type { Shape } from './api/shapes.ts';
import type { State } from './state/state.ts';
import { audienceOf } from './trigger/events.ts';

export function viewsOf(state: State, shape: Shape): Views {
  return {
    plan: () => state.plan,
    events: (after = 0) => state.events.since(after).map((event) => ({ ...event, payload: payloadOf(shape, event) })),
    requests: (after = 0) => state.calls.since(after),
    cursors: () => ({ events: state.events.cursor, requests: state.calls.cursor }),
    audit: (key) => state.calls.ofKey(state.keys.by.get(key)?.id ?? key),
    messages: () => [...state.messages.values()].map(({ message, status }) => ({ ...message, status })),
    messageRows: (filter = {}) => messageRows(state, filter),
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
