import type { MessageStatus, Next } from './changes.ts';
import type {
  Call,
  Campaign,
  Contact,
  FlowRun,
  Inbound,
  Key,
  Message,
  Order,
  PlanSetting,
  SandboxEvent,
  Template,
} from './records.ts';
import type { ClockSetting } from './clock.ts';
import type { Attempt, Delivery, Webhook } from './delivery-records.ts';
import type { Fault } from './fault-records.ts';

/** Records in order of creation, and each by what it is looked up by. */
export interface Shelf<T> {
  readonly list: T[];
  readonly by: Map<string, T>;
}

/** What only grows, until it is let go. A cursor into it is the number of records that ever were before. */
export interface Log<T> {
  before: number;
  readonly list: T[];
}

export interface SentMessage {
  readonly message: Message;
  /** How many of its receipts have happened. */
  done: number;
  /** In the word of its last receipt. */
  status: MessageStatus;
}

/** The one that signs, and the one before it as long as that does too. */
export interface SigningSecret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
}

export interface Registered {
  webhook: Webhook;
  /** Its own; without one it is the sandbox's. */
  secret?: SigningSecret | undefined;
  /** Why nothing is sent to it any more. */
  disabled?: string | undefined;
}

/** An event on its way to a webhook, and how far it came. */
export interface Sending {
  readonly delivery: Delivery;
  readonly event: SandboxEvent;
  readonly to: Registered;
  readonly attempts: Attempt[];
  /** Attempts since it began or began anew: what the schedule counts. */
  tries: number;
  next: Next;
}

export interface FaultState {
  readonly fault: Fault;
  /** How often it was drawn for, and how often it struck. */
  drawn: number;
  struck: number;
}

export interface State {
  /** How many changes were ever applied: what identifiers and draws are numbered by. */
  serial: number;
  seed: string;
  secret: SigningSecret;
  live: boolean;
  plan: PlanSetting;
  clock: ClockSetting | undefined;
  /** By the key's text. */
  readonly keys: Shelf<Key>;
  readonly revoked: Set<string>;
  readonly contacts: Shelf<Contact>;
  readonly templates: Shelf<Template>;
  readonly campaigns: Shelf<Campaign>;
  readonly messages: Map<string, SentMessage>;
  readonly inbound: Inbound[];
  readonly flowRuns: FlowRun[];
  readonly orders: Order[];
  /** Messages by calendar month, such as 2026-01. */
  readonly months: Map<string, number>;
  readonly events: Log<SandboxEvent>;
  /** Made by the first who asks for one: few ever do, and every event would pay for it. */
  eventById: Map<string, SandboxEvent> | undefined;
  readonly webhooks: Map<string, Registered>;
  readonly deliveries: Map<string, Sending>;
  readonly faults: Map<string, FaultState>;
  readonly calls: Log<Call>;
  /** How many of these came without a key that is known. */
  strangers: number;
  /** By the key's id (§5.8). */
  readonly audit: Map<string, Call[]>;
}

export function emptyState(): State {
  return {
    serial: 0,
    seed: '',
    secret: { secret: '' },
    live: false,
    plan: { name: 'enterprise', without: [] },
    clock: undefined,
    keys: shelf(),
    revoked: new Set(),
    contacts: shelf(),
    templates: shelf(),
    campaigns: shelf(),
    messages: new Map(),
    inbound: [],
    flowRuns: [],
    orders: [],
    months: new Map(),
    events: { before: 0, list: [] },
    eventById: undefined,
    webhooks: new Map(),
    deliveries: new Map(),
    faults: new Map(),
    calls: { before: 0, list: [] },
    strangers: 0,
    audit: new Map(),
  };
}

export function eventNamed(state: State, id: string): SandboxEvent | undefined {
  state.eventById ??= new Map(state.events.list.map((event) => [event.id, event]));
  return state.eventById.get(id);
}

export function cursorOf(log: Log<unknown>): number {
  return log.before + log.list.length;
}

/** The calendar month in UTC. */
export function monthOf(time: number): string {
  const date = new Date(time);
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}

function shelf<T>(): Shelf<T> {
  return { list: [], by: new Map() };
}
