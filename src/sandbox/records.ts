import type { EndpointName } from '../contract/endpoints.ts';
import type { EventName } from '../contract/events.ts';
import type { Mode, Scope } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';
import type { Drawn } from './fault-records.ts';

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
export interface Call extends Drawn {
  readonly at: number;
  readonly method: string;
  readonly target: string;
  /** Of the answer as it went out; 0 when none did. */
  readonly status: number;
  readonly key?: string;
  /** Why it was refused, or what went wrong. */
  readonly detail?: string;
}
