import type { MessageStatus } from '../../contract/events.ts';
import { isoTime } from '../../base/iso-time.ts';
import { type CallLog, capacity, createCallLog, createLog, type Log } from './logs.ts';
import type {
  Attempt,
  Call,
  Campaign,
  Change,
  Contact,
  Delivery,
  Fault,
  Forward,
  Inbound,
  Key,
  Message,
  Next,
  PlanSetting,
  SandboxEvent,
  Template,
  Webhook,
} from './records.ts';
import type { Ids } from './ids.ts';
import type { AdjustableClock, ClockSetting } from '../time/clock.ts';

/** Records in order of creation, indexed by a key. */
export interface Collection<T> {
  readonly list: T[];
  readonly by: Map<string, T>;
}

export interface SentMessage {
  readonly message: Message;
  /** Number of receipts that have happened. */
  done: number;
  /** Status after the last receipt. */
  status: MessageStatus;
}

/** The current secret, and the previous one while it still signs too. */
export interface SigningSecret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
}

export interface RegisteredWebhook {
  webhook: Webhook;
  /** Its own secret; if undefined, the sandbox's secret signs. */
  secret?: SigningSecret | undefined;
  /** Why it is disabled. */
  disabled?: string | undefined;
}

/** A delivery of an event to a webhook, and its progress. */
export interface Sending {
  readonly delivery: Delivery;
  readonly event: SandboxEvent;
  readonly to: RegisteredWebhook;
  readonly attempts: Attempt[];
  forwards?: readonly Forward[];
  /** Attempts since the start or the last redelivery; determines the next retry. */
  tries: number;
  next: Next;
}

export interface FaultState {
  readonly fault: Fault;
  /** Number of draws, and of draws that triggered. */
  matched: number;
  injected: number;
}

export interface State {
  /** Number of changes ever applied. Identifiers and random numbers derive from it. */
  serial: number;
  seed: string;
  /** Identifies the stored messages and contacts. */
  dataId: string;
  secret: SigningSecret;
  live: boolean;
  plan: PlanSetting;
  clock: ClockSetting | undefined;
  /** Indexed by the key's text. */
  readonly keys: Collection<Key>;
  readonly revoked: Set<string>;
  readonly contacts: Collection<Contact>;
  readonly templates: Collection<Template>;
  readonly campaigns: Collection<Campaign>;
  readonly messages: Map<string, SentMessage>;
  /** The ids of the messages in order, to find the oldest. */
  readonly messageIds: Log<string>;
  readonly inbound: Log<Inbound>;
  /** Number of messages by calendar month, such as 2026-01. */
  readonly months: Map<string, number>;
  readonly events: Log<SandboxEvent>;
  /** Created on first use: few sandboxes need it, and it would slow down every event. */
  eventById: Map<string, SandboxEvent> | undefined;
  readonly webhooks: Map<string, RegisteredWebhook>;
  readonly deliveries: Map<string, Sending>;
  /** Delivery ids by event id. */
  readonly deliveriesOf: Map<string, string[]>;
  readonly faults: Map<string, FaultState>;
  readonly calls: CallLog<Call>;
}

/** The state of a sandbox, and the only way to change it. */
export interface Store {
  readonly state: State;
  /** The number of changes in the journal. */
  recorded(): number;
  /** Journals the changes, then applies them. If it throws, nothing has changed. */
  commit(changes: readonly Change[]): void;
  /** Applies changes that the next `flush` journals. */
  stage(changes: readonly Change[]): void;
  /** Journals what is staged. If it throws, the changes stay staged. Each commit flushes first. */
  flush(): void;
  /** Calls the listener for each change, once its whole commit is applied and journaled; returns a stop function. */
  follow(listener: (change: Change) => void): () => void;
  /** Rewrites the journal with the fewest changes that rebuild the state. */
  compact(): void;
  /** The size of the journal in bytes; 0 without a journal. */
  size(): number;
}

/** Shared by the parts of a sandbox. */
export interface Core {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: AdjustableClock;
  /** Receives warnings for the user. */
  warn(text: string): void;
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
    keys: emptyCollection(),
    revoked: new Set(),
    contacts: emptyCollection(),
    templates: emptyCollection(),
    campaigns: emptyCollection(),
    messages: new Map(),
    messageIds: createLog(capacity.messages),
    inbound: createLog(capacity.inbound),
    months: new Map(),
    events: createLog(capacity.events),
    eventById: undefined,
    webhooks: new Map(),
    deliveries: new Map(),
    deliveriesOf: new Map(),
    faults: new Map(),
    calls: createCallLog({ known: capacity.requests, anonymous: capacity.anonymous }),
  };
}

export function eventById(state: State, id: string): SandboxEvent | undefined {
  state.eventById ??= new Map(Array.from(state.events, (event) => [event.id, event]));
  return state.eventById.get(id);
}

/** The calendar month in UTC. */
export function monthOf(time: number): string {
  return isoTime(time).slice(0, '2026-01'.length);
}

function emptyCollection<T>(): Collection<T> {
  return { list: [], by: new Map() };
}
