import type { EndpointName } from '../../contract/endpoints.ts';
import type { EventName, MessageStatus, ReceiptName } from '../../contract/events.ts';
import type { Mode, Scope } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import type { PostResult } from '../../delivery/target.ts';

// Records are immutable: a change replaces one, so the file can be written while the sandbox goes on.

export const answerFaults = ['status', 'latency', 'reset', 'hang'] as const;
export const eventFaults = ['drop', 'delay', 'duplicate', 'bad-signature'] as const;

/** A fault in the answer to a request. */
export type AnswerFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' | 'hang' };

/** A fault in the delivery of an event. */
export type EventFault =
  { readonly kind: 'delay'; readonly ms: number } | { readonly kind: 'drop' | 'duplicate' | 'bad-signature' };

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
  readonly times?: number | undefined;
  readonly injected: number;
}

/** A type rather than an interface, so that it is assignable to an event's data. */
export type Contact = {
  readonly id: string;
  readonly phone: string;
  readonly name?: string | undefined;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly created_at: string;
};

/** Only an approved one can be sent. Its variables are names, in the order of the placeholders of its body. */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: (typeof templateStatuses)[number];
  readonly body: string;
  readonly variables: readonly string[];
}

export const templateStatuses = ['APPROVED', 'PENDING', 'REJECTED'] as const;

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  readonly status: (typeof campaignStatuses)[number];
  readonly audience: number;
  readonly counts: Readonly<Record<'sent' | 'delivered' | 'read' | 'failed', number>>;
  readonly created_at: string;
}

export const campaignStatuses = ['SCHEDULED', 'RUNNING', 'COMPLETED'] as const;

export interface Key {
  readonly id: string;
  readonly text: string;
  readonly mode: Mode;
  readonly scope: Scope;
  readonly createdAt: number;
  readonly revoked?: true;
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
  /** Number of receipts that have happened. */
  readonly done: number;
  /** Status after the last receipt. */
  readonly status: MessageStatus;
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

/** An event, and its delivery to each webhook. */
export interface Emitted {
  readonly event: SandboxEvent;
  readonly deliveries: readonly Delivery[];
}

/** A request and its result. With a key, a row of the key's audit log. */
export interface Call {
  readonly at: number;
  readonly method: string;
  readonly target: string;
  /** Status of the answer sent; 0 if none was sent. */
  readonly status: number;
  readonly key: string | undefined;
  /** The message that it sent. */
  readonly message: string | undefined;
  /** Why it was rejected, or which fault was injected. */
  readonly detail: string | undefined;
  /** The id of the fault. */
  readonly fault: string | undefined;
}

/** The current secret, and the previous one while it still signs too. */
export interface SigningSecret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
}

/** A registered URL (§6 leaves open how one is registered). */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  /** Its own secret; if undefined, the sandbox's secret signs. */
  readonly secret?: string | undefined;
  readonly createdAt: number;
  /** Why it is disabled. */
  readonly disabled?: string | undefined;
}

/** The delivery of an event to a webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  readonly url: string;
  readonly at: number;
  readonly state: 'waiting' | 'delivered' | 'dead' | 'dropped';
  /** Time of the next attempt of a waiting one. */
  readonly next: number;
  readonly attempts: readonly Attempt[];
  /** Attempts since the start or the last redelivery; determines the next retry. */
  readonly tries: number;
  /** Why it is dead before its last attempt. */
  readonly reason?: string | undefined;
  /** The id of a fault, which applies to the first attempt. */
  readonly fault?: string | undefined;
  readonly forwards: readonly Forward[];
}

/** One delivery attempt. */
export interface Attempt extends PostResult {
  /** Time on the sandbox's clock. */
  readonly at: number;
  readonly request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** A fault makes it invalid. */
    readonly signature: 'valid' | 'invalid';
  };
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
