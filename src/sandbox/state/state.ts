import { type CallLog, createCallLog, createLog, keeping, type Log } from './logs.ts';
import type {
  Attempt,
  Campaign,
  Contact,
  Delivery,
  Fault,
  FlowRun,
  Inbound,
  Key,
  Message,
  MessageStatus,
  Next,
  Order,
  PlanSetting,
  SandboxEvent,
  Template,
  Webhook,
} from './records.ts';
import type { ClockSetting } from '../time/clock.ts';

/** Records in order of creation, and each by what it is looked up by. */
export interface Shelf<T> {
  readonly list: T[];
  readonly by: Map<string, T>;
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
  /** How often it was matched for, and how often it injected. */
  matched: number;
  injected: number;
}

export interface State {
  /** How many changes were ever applied: what identifiers and draws are numbered by. */
  serial: number;
  seed: string;
  /** Identifies the messages and contacts it holds. Empty if an older version wrote the record. */
  dataId: string;
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
  /** Those of the messages, which say which is the oldest. */
  readonly messageIds: Log<string>;
  readonly inbound: Log<Inbound>;
  readonly flowRuns: Log<FlowRun>;
  readonly orders: Log<Order>;
  /** Messages by calendar month, such as 2026-01. */
  readonly months: Map<string, number>;
  readonly events: Log<SandboxEvent>;
  /** Made by the first who asks for one: few ever do, and every event would pay for it. */
  eventById: Map<string, SandboxEvent> | undefined;
  readonly webhooks: Map<string, Registered>;
  readonly deliveries: Map<string, Sending>;
  /** The ids of the deliveries of each event, by its id. */
  readonly deliveriesOf: Map<string, string[]>;
  readonly faults: Map<string, FaultState>;
  readonly calls: CallLog;
}

export function emptyState(): State {
  return {
    serial: 0,
    seed: '',
    dataId: '',
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
    messageIds: createLog(keeping.messages),
    inbound: createLog(keeping.happenings),
    flowRuns: createLog(keeping.happenings),
    orders: createLog(keeping.happenings),
    months: new Map(),
    events: createLog(keeping.events),
    eventById: undefined,
    webhooks: new Map(),
    deliveries: new Map(),
    deliveriesOf: new Map(),
    faults: new Map(),
    calls: createCallLog({ known: keeping.requests, strangers: keeping.strangers }),
  };
}

export function eventNamed(state: State, id: string): SandboxEvent | undefined {
  state.eventById ??= new Map(Array.from(state.events, (event) => [event.id, event]));
  return state.eventById.get(id);
}

/** The calendar month in UTC. */
export function monthOf(time: number): string {
  const date = new Date(time);
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}

function shelf<T>(): Shelf<T> {
  return { list: [], by: new Map() };
}
