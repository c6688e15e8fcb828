import type { EndpointName } from '../../contract/endpoints.ts';
import type { EventName } from '../../contract/events.ts';
import type { Mode, Scope } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import type { ClockSetting } from '../time/clock.ts';

/** What goes wrong with an answer. */
export type AnswerFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' | 'hang' | 'truncate' | 'garbage' };

/** What goes wrong with the delivery of an event. */
export type EventFault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop' | 'duplicate' | 'bad-signature' | 'stale-timestamp' };

export interface Fault {
  readonly id: string;
  readonly on: readonly (EndpointName | EventName)[];
  readonly effect: AnswerFault | EventFault;
  /** The service has acted before it goes wrong. */
  readonly after: boolean;
  /** The share that it strikes, from 0 to 1. */
  readonly rate: number;
  readonly seed: string;
  /** It expires then, or when it has injected so often. */
  readonly until?: number;
  readonly times?: number;
}

/** A fault and how far it came. */
export interface FaultStatus extends Fault {
  readonly matched: number;
  readonly injected: number;
  /** It has not expired. */
  readonly active: boolean;
}

/** What faults were matched for, whether or not they injected, and the one that did. */
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
  /** In place of the plan's own limits. */
  readonly perMinute?: number | undefined;
  readonly perMonth?: number | undefined;
  /** The endpoints that it does not include. */
  readonly without: readonly EndpointName[];
}

/** Its event's data as well, which an interface could not be. */
export type Contact = {
  readonly id: string;
  readonly phone: string;
  readonly name?: string | undefined;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly created_at: string;
};

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: 'APPROVED' | 'PENDING' | 'REJECTED';
  readonly body: string;
  readonly variables: readonly string[];
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  readonly status: 'COMPLETED' | 'RUNNING' | 'SCHEDULED';
  readonly audience: number;
  readonly counts: Readonly<Record<'sent' | 'delivered' | 'read' | 'failed', number>>;
  readonly created_at: string;
}

type ReceiptType = Extract<EventName, 'message.delivered' | 'message.read' | 'message.failed'>;

/** What will become of a message, decided when it is sent. */
export interface Receipt {
  readonly type: ReceiptType;
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
  readonly sentAt: number;
  readonly receipts: readonly Receipt[];
}

export interface SandboxEvent {
  readonly id: string;
  readonly type: EventName;
  readonly at: number;
  /** The message that this is about: its events arrive in order. */
  readonly message?: string;
  /** How many of that message's receipts have happened with it. */
  readonly done?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a customer wrote. */
export interface Inbound {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly contact: string;
  readonly at: number;
}

/** A contact's run through a flow that has come to its end. */
export interface FlowRun {
  readonly id: string;
  readonly flow: string;
  readonly contact: string;
  readonly at: number;
}

export interface Order {
  readonly id: string;
  readonly contact: string;
  readonly amount: string;
  readonly currency: string;
  readonly provider: string;
  readonly at: number;
}

/** A request and what became of it: of a known key, a row of its audit log. */
export interface Call extends FaultRecord {
  readonly at: number;
  readonly method: string;
  readonly target: string;
  /** Of the answer as it went out; 0 when none did. */
  readonly status: number;
  readonly key?: string;
  /** Why it was refused, or what went wrong. */
  readonly detail?: string;
}

/** A registered URL (§6 leaves open how one is registered). */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  /** Its own, in place of the sandbox's. */
  readonly secret?: string;
  readonly createdAt: number;
  /** The process that it is for, where that is known. */
  readonly owner?: Owner;
}

export interface Owner {
  readonly pid: number;
  /** By which it is told from a later process with this number. */
  readonly start?: string | undefined;
  /** It may be started again, and then gets what it missed. */
  readonly returns?: boolean | undefined;
}

/** An event on its way to a webhook. Its faults are matched when it is made, and befall its first attempt. */
export interface Delivery extends FaultRecord {
  readonly id: string;
  readonly event: string;
  readonly webhook: string;
  readonly at: number;
}

/** One try to deliver: what was sent, what came back. */
export interface Attempt {
  /** By the sandbox's clock. */
  readonly at: number;
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The first 64 KiB, as text where it is UTF-8. */
    readonly body: string;
    readonly encoding?: 'base64';
  };
  /** Why there is no response, or no whole one. */
  readonly error?: string;
  /** Milliseconds by the wall. */
  readonly took: number;
}

export type Resettable = 'messages' | 'contacts' | 'logs' | 'all';

/** How far a sandbox had counted, with what it has dropped since. */
export interface Counters {
  readonly serial: number;
  readonly events: number;
  readonly calls: number;
  /** Messages of each month. Without it those that are there are all. */
  readonly months?: readonly (readonly [month: string, count: number])[];
}

export type MessageStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** How far a message came: how many of its receipts have happened, and the word of the last. */
export interface Progress {
  readonly done: number;
  readonly status: MessageStatus;
}

/**
 * All that ever happens to a sandbox's state, as plain data. The data id is part of other changes: a change of its own
 * would shift the numbers that the ids of a seeded sandbox follow from.
 */
export type Change =
  | { readonly type: 'seed'; readonly seed: string; readonly dataId?: string }
  /** The one before it signs as well until then. */
  | { readonly type: 'secret'; readonly secret: string; readonly until?: number }
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'revoke'; readonly key: string; readonly at: number }
  | { readonly type: 'go-live'; readonly at: number }
  | { readonly type: 'plan'; readonly plan: PlanSetting }
  | { readonly type: 'clock'; readonly clock: ClockSetting }
  | { readonly type: 'template'; readonly template: Template }
  | { readonly type: 'campaign'; readonly campaign: Campaign }
  | { readonly type: 'contact'; readonly contact: Contact }
  /** Without progress it was sent and no more. */
  | { readonly type: 'message'; readonly message: Message; readonly progress?: Progress }
  | { readonly type: 'inbound'; readonly inbound: Inbound }
  | { readonly type: 'flow-run'; readonly run: FlowRun }
  | { readonly type: 'order'; readonly order: Order }
  | { readonly type: 'event'; readonly event: SandboxEvent }
  | { readonly type: 'webhook'; readonly webhook: Webhook }
  | { readonly type: 'webhook-secret'; readonly webhook: string; readonly secret: string; readonly until: number }
  | { readonly type: 'webhook-disabled'; readonly webhook: string; readonly reason: string }
  | { readonly type: 'webhook-removed'; readonly webhook: string }
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  | { readonly type: 'attempt'; readonly delivery: string; readonly attempt: Attempt; readonly next: Next }
  | { readonly type: 'redelivery'; readonly delivery: string; readonly at: number }
  /** With counts, it goes on from there. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly matched?: number; readonly injected?: number }
  | { readonly type: 'fault-cleared'; readonly fault: string }
  | { readonly type: 'call'; readonly call: Call }
  | { readonly type: 'reset'; readonly what: Resettable; readonly dataId?: string }
  | { readonly type: 'counters'; readonly counters: Counters };

/** What follows an attempt: another at that time, or the end. */
export type Next = number | 'delivered' | 'dead' | 'dropped';
