import type { EventName, MessageStatus, ReceiptName } from '../../contract/events.ts';
import type { Mode, Scope } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import type { Campaign, Contact, EndpointName, Template } from '../library/types.ts';
import type { ClockSetting } from '../time/clock.ts';

export type { Campaign, Contact, Template };

export const answerFaults = ['status', 'latency', 'reset', 'hang'] as const;
export const eventFaults = ['drop', 'delay', 'duplicate', 'bad-signature'] as const;

/** A fault in the answer to a request. */
export type AnswerFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: Exclude<(typeof answerFaults)[number], 'status' | 'latency'> };

/** A fault in the delivery of an event. */
export type EventFault =
  { readonly kind: 'delay'; readonly ms: number } | { readonly kind: Exclude<(typeof eventFaults)[number], 'delay'> };

export function isOnAnswers(effect: AnswerFault | EventFault): effect is AnswerFault {
  return answerFaults.some((kind) => kind === effect.kind);
}

export interface Fault {
  readonly id: string;
  readonly on: readonly (EndpointName | EventName)[];
  readonly effect: AnswerFault | EventFault;
  /** If true, the request is executed before the fault. */
  readonly after: boolean;
  /** Expires after this many injections. */
  readonly times?: number;
}

/** A fault and its counts. */
export interface FaultStatus extends Fault {
  readonly matched: number;
  readonly injected: number;
  /** False once expired. */
  readonly active: boolean;
}

/** Ids of all matching faults, and of the one that triggered. */
export interface FaultRecord {
  readonly matched?: readonly string[];
  readonly fault?: string;
}

export interface Key {
  readonly id: string;
  readonly text: string;
  readonly mode: Mode;
  readonly scope: Scope;
  readonly createdAt: number;
}

export interface PlanSetting {
  readonly name: PlanName;
  /** Overrides the plan's limits. */
  readonly perMinute?: number | undefined;
  readonly perMonth?: number | undefined;
  /** Endpoints that the plan excludes. */
  readonly without: readonly EndpointName[];
}

/** A future event of a message, decided when the message is sent. */
export interface Receipt {
  readonly type: ReceiptName;
  readonly at: number;
  readonly reason?: { readonly code: string; readonly message: string };
}

export interface Message {
  readonly id: string;
  readonly to: string;
  readonly template: string;
  readonly params: readonly string[];
  readonly mode: Mode;
  readonly key: string;
  /** The campaign that sent it. */
  readonly campaign?: string;
  readonly sentAt: number;
  readonly receipts: readonly Receipt[];
}

export interface SandboxEvent {
  readonly id: string;
  readonly type: EventName;
  readonly at: number;
  /** The message of this event. Events of one message are delivered in order. */
  readonly message?: string;
  /** Number of the message's receipts that have happened, including this one. */
  readonly done?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message from a customer. */
export interface Inbound {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly contact: string;
  readonly at: number;
}

/** A request and its result. With a known key, a row of the key's audit log. */
export interface Call extends FaultRecord {
  readonly at: number;
  readonly method: string;
  readonly target: string;
  /** Status of the answer sent; 0 if none was sent. */
  readonly status: number;
  readonly key?: string | undefined;
  /** The message that it sent. */
  readonly message?: string;
  /** Why it was rejected, or which fault was injected. */
  readonly detail?: string;
}

/** A registered URL (§6 leaves open how one is registered). */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  /** Its own secret, used instead of the sandbox's. */
  readonly secret?: string;
  readonly createdAt: number;
  /** The listener that it belongs to. It may start again, and then receives the events that it missed. */
  readonly owner?: Owner;
}

interface Owner {
  readonly pid: number;
  /** Start time, to distinguish it from a later process with the same pid. */
  readonly start?: string | undefined;
}

/** An event to deliver to a webhook. Its faults are matched at creation and apply to the first attempt. */
export interface Delivery extends FaultRecord {
  readonly id: string;
  readonly event: string;
  readonly webhook: string;
  readonly at: number;
}

/** One delivery attempt: request and response. */
export interface Attempt {
  /** Time on the sandbox's clock. */
  readonly at: number;
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The first 64 KiB: text if it is UTF-8, base64 otherwise. */
    readonly body: string;
    readonly encoding?: 'base64';
  };
  /** Why the response is missing or incomplete. */
  readonly error?: string;
  /** Milliseconds of real time. */
  readonly took: number;
}

/** How the handler behind a listener of bizmsg answered a delivery that the listener had accepted. */
export interface Forward {
  /** Time on the sandbox's clock. */
  readonly at: number;
  readonly url: string;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** The beginning of the answer. */
  readonly body?: string | undefined;
  /** Milliseconds of real time. */
  readonly took: number;
}

export const resettable = ['messages', 'contacts', 'logs', 'all'] as const;
export type Resettable = (typeof resettable)[number];

export interface Counters {
  readonly serial: number;
  /** Dropped events, calls and messages. If missing, they stay as they are. */
  readonly events?: number;
  readonly calls?: number;
  readonly messages?: number;
  /** Messages by month. If missing, the stored messages are counted. */
  readonly months?: readonly (readonly [month: string, count: number])[];
}

export const messageStatuses = ['accepted', 'delivered', 'read', 'failed'] as const satisfies readonly MessageStatus[];

/** Progress of a message: the number of receipts that have happened, and the status after the last. */
export interface Progress {
  readonly done: number;
  readonly status: MessageStatus;
}

/**
 * Every change to a sandbox's state, as plain data. The data id is part of other changes: a change of its own would shift
 * the serial numbers from which a seeded sandbox derives its ids.
 */
export type Change =
  | { readonly type: 'seed'; readonly seed: string; readonly dataId: string }
  /** Until this time, the previous secret signs too. */
  | { readonly type: 'secret'; readonly secret: string; readonly until?: number }
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'revoke'; readonly key: string }
  | { readonly type: 'go-live' }
  | { readonly type: 'plan'; readonly plan: PlanSetting }
  | { readonly type: 'clock'; readonly clock: ClockSetting }
  | { readonly type: 'template'; readonly template: Template }
  | { readonly type: 'campaign'; readonly campaign: Campaign }
  | { readonly type: 'contact'; readonly contact: Contact }
  /** Without progress, the message is only sent. */
  | { readonly type: 'message'; readonly message: Message; readonly progress?: Progress }
  | { readonly type: 'inbound'; readonly inbound: Inbound }
  | { readonly type: 'event'; readonly event: SandboxEvent }
  | { readonly type: 'webhook'; readonly webhook: Webhook }
  | { readonly type: 'webhook-secret'; readonly webhook: string; readonly secret: string; readonly until: number }
  | { readonly type: 'webhook-disabled'; readonly webhook: string; readonly reason: string }
  | { readonly type: 'webhook-removed'; readonly webhook: string }
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  | { readonly type: 'attempt'; readonly delivery: string; readonly attempt: Attempt; readonly next: Next }
  | { readonly type: 'forward'; readonly delivery: string; readonly forward: Forward }
  | { readonly type: 'redelivery'; readonly delivery: string; readonly at: number }
  /** Counting continues from the given counts. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly matched?: number; readonly injected?: number }
  | { readonly type: 'fault-cleared'; readonly fault: string }
  | { readonly type: 'call'; readonly call: Call }
  | { readonly type: 'reset'; readonly what: 'logs' }
  | { readonly type: 'reset'; readonly what: Exclude<Resettable, 'logs'>; readonly dataId: string }
  | { readonly type: 'counters'; readonly counters: Counters };

/** Time of the next attempt, or the final state. */
export type Next = number | 'delivered' | 'dead' | 'dropped';
