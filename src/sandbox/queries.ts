import { payloadOf } from './api/answers.ts';
import type {
  Call,
  Campaign,
  Contact,
  Message,
  MessageStatus,
  PlanSetting,
  SandboxEvent,
  Template,
} from './state/records.ts';
import { undelivered } from './events/fan-out.ts';
import {
  type DeliveryFilter,
  type DeliveryRecord,
  deliveryRecords,
  type DeliveryRow,
  deliveryRows,
  remaining,
  type Remaining,
  waitingCount,
} from './events/deliveries.ts';
import { type MessageFilter, type MessageRow, messageRows, type MessageStory, messageStory } from './messages.ts';
import type { Shape } from './api/shapes.ts';
import type { State } from './state/state.ts';
import { audienceOf } from './trigger/events.ts';

/** Read-only views of a sandbox's state. */
export interface Views {
  plan(): PlanSetting;
  /** In order. A cursor is the number of events up to that point, including dropped ones. */
  events(after?: number): readonly EventRecord[];
  /** Every request, in order. A cursor is the number of requests up to that point, including dropped ones. */
  requests(after?: number): readonly Call[];
  cursors(): { readonly events: number; readonly requests: number };
  /** The audit log of a key or a key's id. */
  audit(key: string): readonly Call[];
  messages(): readonly MessageRecord[];
  /** In the order of sending, with the text that the recipient reads. */
  messageRows(filter?: MessageFilter): readonly MessageRow[];
  /** Everything about a message; undefined if the id is unknown. */
  message(id: string): MessageStory | undefined;
  /** In the order of the events; includes queued events. */
  deliveries(filter?: DeliveryFilter): readonly DeliveryRow[];
  /** Full records, by the id of a delivery or an event; empty if the id is unknown. */
  delivery(id: string): readonly DeliveryRecord[];
  /** Counts the deliveries that redelivering `failed` leaves out. */
  remaining(): Remaining;
  contacts(): readonly Contact[];
  /** The number of contacts that a broadcast sends to: all, or those with a tag. Throws a Refusal if there are none. */
  audience(tag?: string): number;
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  /** `queued`: events without a matching webhook. `waiting`: deliveries still to be attempted or retried. */
  counts(): Readonly<Record<Counted, number>>;
}

type Counted = 'contacts' | 'templates' | 'campaigns' | 'messages' | 'events' | 'queued' | 'waiting';

interface EventRecord extends SandboxEvent {
  readonly payload: object;
}

interface MessageRecord extends Message {
  readonly status: MessageStatus;
}

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
