import type { Probe } from '../base/liveness.ts';
import type { EventName } from '../contract/events.ts';
import type { Mode, Scope } from '../contract/keys.ts';
import type { ErrorStatus } from '../contract/statuses.ts';
import type { DisconnectSignal, Exchange, Reply } from './exchange.ts';
import type { NewFault } from './faults/input.ts';
import type { RateLimit } from './remote/locator.ts';
import type {
  DeliveryFilter,
  DeliveryRecord,
  DeliveryRow,
  EventRecord,
  ExchangeRow,
  FeedRecord,
  Happened,
  KeyStatus,
  MessageFilter,
  MessageRow,
  MessageStory,
  Remaining,
  Usage,
  WebhookRow,
} from './rows.ts';
import type {
  Call,
  Campaign,
  Contact,
  Fault,
  FaultStatus,
  Key,
  Message,
  Owner,
  PlanSetting,
  Resettable,
  SandboxEvent,
  Template,
} from './state/records.ts';
import type { AdjustableClock } from './time/clock.ts';

/** Everything that can be done to a sandbox in this process. */
export interface Sandbox extends Views, Contents {
  /** Answers a request, without a socket. Never throws or rejects. */
  answer(exchange: Exchange, gone?: DisconnectSignal): Answer;
  /** Answers requests in order, and journals their changes in one write. */
  answerAll<T extends Incoming>(incoming: readonly T[]): readonly (readonly [T, Answer])[];
  /** Builds the answer to an unreadable request. */
  refuse(status: ErrorStatus, detail: string): Reply;
  readonly keys: Keys;
  /** The secret that signs events, for webhooks without their own. */
  secret(): string;
  /** All secrets that sign events now: the sandbox's, and those of webhooks. */
  secrets(): readonly string[];
  readonly shape: string;
  readonly clock: AdjustableClock;
  readonly time: Time;
  readonly webhooks: Webhooks;
  /** Redelivers one delivery, all deliveries of an event, or all `failed` ones; returns their number. */
  redeliver(which: string): number;
  /** Resolves when no delivery is in flight or ready to send. */
  settled(): Promise<void>;
  readonly faults: Faults;
  readonly trigger: Trigger;
  /** Calls the listener for each request, and for each event and attempt to deliver it, as they happen. */
  watch(listener: (happened: Happened) => void): void;
  /** The bytes of the newest requests and their answers, in order. */
  exchanges(): readonly ExchangeRow[];
  /** Follows all changes, for a page in the browser. */
  readonly openFeed: OpenFeed;
  /** Resolves at the next event, request or message, after a time, or when aborted. */
  waitForNext(type: WaitedFor, limit?: WaitLimit): Promise<void>;
  setPlan(plan: PlanSetting): void;
  usage(): Usage;
  /** The shared rate limit; undefined if the plan has none. */
  minute(): RateLimit | undefined;
  /** Identifies the messages and contacts of this sandbox; resetting either changes it. */
  dataId(): string;
  /** Calls the listener when the minute or the data id may have changed, which are part of the locator. */
  onLocatorChange(listener: () => void): void;
  /** Cancels all timers and deliveries. */
  close(): void;
}

export interface Incoming {
  readonly exchange: Exchange;
  readonly gone?: DisconnectSignal | undefined;
}

/** Returns a promise only if a fault delays the answer; it never rejects. */
export type Answer = Reply | Promise<Reply>;

/** Types of changes. */
type WaitedFor = 'event' | 'call' | 'message';

interface WaitLimit {
  /** Milliseconds of real time. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

/** Read-only views of a sandbox's state. */
export interface Views {
  plan(): PlanSetting;
  /** In order. A cursor is the number of events up to that point, including dropped ones. */
  events(after?: number): readonly EventRecord[];
  /** Every request, in order. A cursor is the number of requests up to that point, including dropped ones. */
  requests(after?: number): readonly Call[];
  cursors(): Readonly<Record<'events' | 'requests' | 'messages', number>>;
  /** The audit log of a key or a key's id. */
  audit(key: string): readonly Call[];
  /** In the order of sending, with the text that the recipient reads. */
  messages(filter?: MessageFilter): readonly MessageRow[];
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

/** Resets, fills and exports the contents of a sandbox. */
export interface Contents {
  /** Deletes messages, contacts, logs, or all; deleted sample data is restored. */
  reset(what: Resettable): void;
  /** Adds records or replaces known ones. If any is invalid, throws a Refusal and changes nothing. */
  seed(contents: unknown): Seeded;
  export(): Exported;
}

/** Number of records added or replaced. */
interface Seeded {
  readonly contacts: number;
  readonly templates: number;
  readonly campaigns: number;
}

interface Exported {
  readonly contacts: readonly Contact[];
  readonly templates: readonly Template[];
  readonly campaigns: readonly Campaign[];
  readonly messages: readonly (Message & { readonly status: string })[];
  readonly events: readonly SandboxEvent[];
}

export interface Keys {
  /** The two initial keys of every sandbox. */
  readonly sandbox: string;
  readonly live: string;
  list(): readonly KeyStatus[];
  create(scope: Scope, mode?: Mode): Key;
  /** Takes a key or its id; returns false if it is unknown. */
  revoke(key: string): boolean;
  /** §3: makes live keys valid. No key changes its prefix. */
  goLive(): void;
}

/** Adds, lists and clears injected faults. */
export interface Faults {
  add(fault: NewFault): Fault;
  /** Includes expired faults until they are cleared. */
  list(): readonly FaultStatus[];
  /** Clears one fault or all; returns the cleared faults. */
  clear(id?: string): readonly Fault[];
}

/** The URLs that receive events (§6 leaves open how one is registered). */
export interface Webhooks {
  /** A known URL keeps its id, is enabled, and gets these settings. */
  add(webhook: NewWebhook): AddedWebhook;
  list(): readonly WebhookRow[];
  /** By id or URL. */
  remove(idOrUrl: string): WebhookRow;
  /** Removes the webhooks whose process has ended and does not restart, or whose port `successor` now has. */
  removeOrphans(kill: Probe, successor?: Owned): void;
  /** Creates a new secret for one webhook or the sandbox. The old one also signs for one more day. */
  rotate(idOrUrl?: string): RotatedSecret;
}

interface NewWebhook {
  readonly url: string;
  /** Default: all. */
  readonly events?: readonly EventName[] | undefined;
  /** Replaces the sandbox's secret. */
  readonly secret?: string | undefined;
  /** Allows a URL on another machine. */
  readonly external?: boolean | undefined;
  /** Also delivers earlier events that no webhook has received. */
  readonly catchUp?: boolean | undefined;
  /** The process that listens there. */
  readonly owner?: Owner | undefined;
}

interface AddedWebhook extends WebhookRow {
  /** Whether the URL was already registered. */
  readonly known: boolean;
  /** Human-readable differences to the previous settings. */
  readonly changes: readonly string[];
  /** The number of earlier events to deliver. */
  readonly caughtUp: number;
}

interface RotatedSecret {
  readonly webhook: WebhookRow | undefined;
  readonly secret: string;
  /** When the old secret stops signing. */
  readonly until: string;
}

export interface Owned {
  readonly url: string;
  readonly owner?: Owner | undefined;
}

/** Reads and controls the sandbox's time. */
export interface Time {
  now(): TimeNow;
  freeze(): TimeNow;
  /** Returns to real time; reports the receipts and deliveries that this postpones. */
  real(): TimeNow & Postponed;
  /** Runs everything that becomes due, in order, and awaits each delivery. */
  advance(span: number | Landmark): Promise<TimeNow & { readonly fired: readonly Fired[] }>;
}

export interface TimeNow {
  readonly now: string;
  readonly frozen: boolean;
  /** Milliseconds ahead of real time; negative if behind. */
  readonly ahead: number;
}

/** An event or a delivery attempt during an advance. */
export interface Fired {
  readonly at: string;
  readonly what: string;
  readonly id: string;
  readonly about?: string | undefined;
  /** The status, or the error if there is no answer. */
  readonly answer?: number | string | undefined;
}

export const landmarks = ['next-due', 'next-minute', 'next-hour', 'next-day', 'next-month'] as const;

export type Landmark = (typeof landmarks)[number];

/** Receipts and deliveries that setting the clock back postpones: they keep their due times. */
export interface Postponed {
  /** Number of receipts and deliveries. */
  readonly later: number;
  /** Due time of the first. */
  readonly from: string | null;
}

/** Makes an event happen, with the changes that lead to it. Throws a Refusal if it is impossible. */
export type Trigger = (event: EventName, fields?: Readonly<Record<string, unknown>>) => TriggerResult;

interface TriggerResult {
  /** All events it caused, in order. */
  readonly events: readonly SandboxEvent[];
  /** The records concerned: `message_id`, `contact_id`… */
  readonly [id: `${string}_id`]: string;
}

/** Opens a feed after a cursor. Calls `wake` whenever there are new records. */
export type OpenFeed = (after: string | undefined, wake: () => void) => Feed;

interface Feed {
  /** The records since the last call, and the cursor after them. */
  take(): { readonly cursor: string; readonly records: readonly FeedRecord[] };
  stop(): void;
}
