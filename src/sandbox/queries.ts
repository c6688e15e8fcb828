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
import type { Shape } from './api/shapes.ts';
import type { State } from './state/state.ts';

/** What can be seen of a sandbox from inside. */
export interface Views {
  plan(): PlanSetting;
  /** In order; a cursor is the number of events that ever were. */
  events(after?: number): readonly EventRecord[];
  /** Every request, in order; a cursor is the number that ever were. */
  requests(after?: number): readonly Call[];
  cursors(): { readonly events: number; readonly requests: number };
  /** The audit log of a key or a key's id. */
  audit(key: string): readonly Call[];
  messages(): readonly MessageRecord[];
  /** In the order of the events, with those that nobody was registered for. */
  deliveries(filter?: DeliveryFilter): readonly DeliveryRow[];
  /** In full, by the id of a delivery or of an event; none when there is no such. */
  delivery(id: string): readonly DeliveryRecord[];
  /** What redelivering all `failed` ones leaves out. */
  remaining(): Remaining;
  contacts(): readonly Contact[];
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  /** Queued are the events that nobody was registered for, waiting the deliveries that have yet to leave, or again. */
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
    deliveries: (filter = {}) => deliveryRows(state, filter),
    delivery: (id) => deliveryRecords(state, id),
    remaining: () => remaining(state),
    contacts: () => state.contacts.list,
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
