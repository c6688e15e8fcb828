import type { Call, Campaign, Change, Contact, Key, Message, PlanSetting, SandboxEvent, Template } from './changes.ts';

/** Records in order of creation, and each by what it is looked up by. */
export interface Shelf<T> {
  readonly list: T[];
  readonly by: Map<string, T>;
}

export interface SentMessage {
  readonly message: Message;
  /** How many of its receipts have happened. */
  done: number;
}

export interface State {
  /** How many changes were ever applied: what identifiers and draws are numbered by. */
  serial: number;
  secret: string;
  live: boolean;
  plan: PlanSetting;
  /** By the key's text. */
  readonly keys: Shelf<Key>;
  readonly revoked: Set<string>;
  readonly contacts: Shelf<Contact>;
  readonly templates: Shelf<Template>;
  readonly campaigns: Shelf<Campaign>;
  readonly messages: Map<string, SentMessage>;
  readonly events: SandboxEvent[];
  /** By the key's id. */
  readonly audit: Map<string, Call[]>;
  /** Messages by calendar month, such as 2026-01. */
  readonly months: Map<string, number>;
}

export function emptyState(): State {
  return {
    serial: 0,
    secret: '',
    live: false,
    plan: { name: 'enterprise', without: [] },
    keys: shelf(),
    revoked: new Set(),
    contacts: shelf(),
    templates: shelf(),
    campaigns: shelf(),
    messages: new Map(),
    events: [],
    audit: new Map(),
    months: new Map(),
  };
}

/** The one way in which a state changes. It decides nothing: what it is told has happened. */
export function apply(state: State, change: Change): void {
  state.serial += 1;
  switch (change.type) {
    case 'secret':
      state.secret = change.secret;
      return;
    case 'key':
      return put(state.keys, change.key.text, change.key);
    case 'revoke':
      state.revoked.add(change.key);
      return;
    case 'go-live':
      state.live = true;
      return;
    case 'plan':
      state.plan = change.plan;
      return;
    case 'template':
      return put(state.templates, change.template.name, change.template);
    case 'campaign':
      return put(state.campaigns, change.campaign.id, change.campaign);
    case 'contact':
      return put(state.contacts, change.contact.phone, change.contact);
    case 'message':
      return applyMessage(state, change.message);
    case 'event':
      return applyEvent(state, change.event);
    case 'call':
      return applyCall(state, change.call);
  }
}

/** The calendar month in UTC. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

function applyMessage(state: State, message: Message): void {
  state.messages.set(message.id, { message, done: 0 });
  const month = monthOf(message.sentAt);
  state.months.set(month, (state.months.get(month) ?? 0) + 1);
}

function applyEvent(state: State, event: SandboxEvent): void {
  state.events.push(event);
  const sent = event.message === undefined ? undefined : state.messages.get(event.message);
  if (sent) sent.done += 1;
}

function applyCall(state: State, call: Call): void {
  const rows = state.audit.get(call.key);
  if (rows) rows.push(call);
  else state.audit.set(call.key, [call]);
}

function put<T>(shelf: Shelf<T>, name: string, record: T): void {
  shelf.list.push(record);
  shelf.by.set(name, record);
}

function shelf<T>(): Shelf<T> {
  return { list: [], by: new Map() };
}
