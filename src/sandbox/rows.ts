import type { EventName, MessageStatus } from '../contract/events.ts';
import type {
  Attempt,
  DeliveryState,
  Forward,
  Inbound,
  Key,
  Message,
  PlanSetting,
  SandboxEvent,
} from './state/records.ts';
import type { Newest } from './state/table.ts';

/** A request of the log, with all fields in the same order. */
export interface RequestRow {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly key: string | null;
  readonly message_id: string | null;
  readonly fault: string | null;
  readonly detail: string | null;
}

export interface MessageFilter extends Newest {
  readonly to?: string | undefined;
  readonly template?: string | undefined;
  readonly status?: MessageStatus | undefined;
}

export interface MessageRow extends Pick<Message, 'id' | 'to' | 'template' | 'params' | 'mode'> {
  readonly sent_at: string;
  readonly status: MessageStatus;
  /** As the recipient reads it; null if the template was deleted since. */
  readonly text: string | null;
}

export interface MessageStory extends MessageRow {
  /** Null for a message that no request sent, and for a request that the log has dropped. */
  readonly request: RequestRow | null;
  /** In order, including those that have not happened yet. */
  readonly receipts: readonly ReceiptRow[];
  readonly events: readonly EventStory[];
}

interface ReceiptRow {
  readonly type: string;
  readonly at: string;
  /** The event, once it has happened. */
  readonly event: string | null;
}

interface EventStory extends Pick<SandboxEvent, 'id' | 'type' | 'data'> {
  readonly at: string;
  readonly deliveries: readonly DeliveryRecord[];
}

/** With the payload that webhooks receive. */
export interface EventRecord extends SandboxEvent {
  readonly payload: object;
}

/** The range is one of events. */
export interface DeliveryFilter extends Newest {
  /** Default: all. */
  readonly states?: readonly RowState[] | undefined;
}

/** `queued` is an event without a delivery, because no webhook was registered for it. */
export const rowStates = ['waiting', 'delivered', 'dead', 'dropped', 'queued'] as const satisfies readonly RowState[];
type RowState = DeliveryState | 'queued';

export interface DeliveryRow {
  /** When the event happened. */
  readonly at: string;
  /** The delivery id; for a queued event its event id. */
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly url: string | null;
  readonly state: RowState;
  readonly attempts: number;
  /** The result of the last attempt: a status or an error. */
  readonly last: number | string | null;
  /** The last answer of the handler behind a listener of bizmsg. */
  readonly forwarded: number | string | null;
  readonly next_at: string | null;
}

export interface DeliveryRecord extends Omit<DeliveryRow, 'attempts'> {
  readonly webhook: string | null;
  /** The id of an injected fault. */
  readonly fault: string | null;
  readonly attempts: readonly Attempt[];
  readonly forwards: readonly Forward[];
}

/** With the payload of its event; null if the log has dropped it. */
export interface DeliveryStory extends DeliveryRecord {
  readonly payload: object | null;
}

/** Deliveries that redelivering `failed` skips. */
export interface Remaining {
  /** Dead because the webhook is disabled, or removed. */
  readonly disabled: number;
  readonly removed: number;
}

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  readonly secret: 'own' | 'sandbox';
  readonly state: 'active' | 'disabled';
  /** Why it is disabled. */
  readonly reason?: string | undefined;
  readonly created_at: string;
}

export interface KeyStatus extends Omit<Key, 'revoked'> {
  readonly state: 'active' | 'inactive' | 'revoked';
}

/** How much of the limits is used. */
export interface Usage {
  readonly plan: PlanSetting;
  /** Requests a minute. A limit of null is unlimited, and not counted. */
  readonly minute: { readonly limit: number | null; readonly used: number; readonly ends: number | null };
  /** Messages in the calendar month, such as 2026-05. */
  readonly month: { readonly limit: number | null; readonly used: number; readonly name: string };
}

/** The rate limit of a sandbox, for clients on this machine. */
export interface RateLimit {
  /** Requests a minute, for all keys together. */
  readonly limit: number;
  /** Whole minutes by which its clock was moved. A move resets the count. */
  readonly moved: number;
}

/** A request that was answered, or an event with the result of an attempt to deliver it. */
export type Happened = ({ readonly type: 'request' } & RequestRow) | HappenedEvent;

export interface HappenedEvent {
  readonly type: 'event';
  readonly event: SandboxEvent;
  /** After its last attempt; null without a webhook. */
  readonly delivery: DeliveryRecord | null;
}

/** The records of a log. */
export type FeedRows =
  | { readonly kind: 'messages'; readonly rows: readonly (MessageRow & Pick<Message, 'campaign'>)[] }
  | { readonly kind: 'replies'; readonly rows: readonly Inbound[] }
  | { readonly kind: 'events'; readonly rows: readonly SandboxEvent[] }
  | { readonly kind: 'requests'; readonly rows: readonly RequestRow[] };

export const feedKinds = ['messages', 'replies', 'events', 'requests'] as const satisfies readonly FeedRows['kind'][];

/** A step of the page's state. */
export type FeedRecord =
  /** The page forgets its records; the newest ones follow. The cursors are theirs: older ones come on demand. */
  | { readonly kind: 'reset'; readonly from: Readonly<Record<FeedRows['kind'], number>> }
  | FeedRows
  /** When the next receipt or delivery is due on the sandbox's clock. */
  | { readonly kind: 'due'; readonly at: number | null }
  /** The page must ask for these again, if it shows them. */
  | { readonly kind: 'changed'; readonly topics: readonly Topic[] };

/** Parts of the state without a log. */
export type Topic = 'clock' | 'contents' | 'deliveries' | 'faults' | 'keys' | 'usage' | 'webhooks';

/** The part of a sandbox that a page gets, from a cursor on. */
interface Feed {
  /** The records since the last call, and the cursor after them. */
  take(): { readonly cursor: string; readonly records: readonly FeedRecord[] };
  stop(): void;
}

/** Opens a feed after a cursor. Calls `wake` whenever there are new records. */
export type OpenFeed = (after: string | undefined, wake: () => void) => Feed;
