import { payloadOf } from './answers.ts';
import type { Call, Campaign, Contact, Message, PlanSetting, SandboxEvent, Template } from './changes.ts';
import type { Shape } from './shapes.ts';
import { cursorOf } from './state.ts';
import type { Log, State } from './state.ts';

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
  contacts(): readonly Contact[];
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  counts(): Readonly<Record<'contacts' | 'templates' | 'campaigns' | 'messages' | 'events', number>>;
}

export interface EventRecord extends SandboxEvent {
  readonly payload: object;
}

export interface MessageRecord extends Message {
  readonly status: string;
}

export function viewsOf(state: State, shape: Shape): Views {
  return {
    plan: () => state.plan,
    events: (after = 0) => since(state.events, after).map((event) => ({ ...event, payload: payloadOf(shape, event) })),
    requests: (after = 0) => since(state.calls, after),
    cursors: () => ({ events: cursorOf(state.events), requests: cursorOf(state.calls) }),
    audit: (key) => state.audit.get(state.keys.by.get(key)?.id ?? key) ?? [],
    messages: () => [...state.messages.values()].map(({ message, status }) => ({ ...message, status })),
    contacts: () => state.contacts.list,
    templates: () => state.templates.list,
    campaigns: () => state.campaigns.list,
    counts: () => ({
      contacts: state.contacts.list.length,
      templates: state.templates.list.length,
      campaigns: state.campaigns.list.length,
      messages: state.messages.size,
      events: state.events.list.length,
    }),
  };
}

function since<T>(log: Log<T>, cursor: number): readonly T[] {
  return log.list.slice(Math.max(0, cursor - log.before));
}
