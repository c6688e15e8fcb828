import type { EndpointName } from '../contract/endpoints.ts';
import type { EventName } from '../contract/events.ts';
import type { Mode, Scope } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';

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

export interface Contact {
  readonly id: string;
  readonly phone: string;
  readonly name?: string | undefined;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

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
  /** The message whose next receipt this is. */
  readonly message?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row of a key's audit log. */
export interface Call {
  readonly key: string;
  readonly at: number;
  readonly method: string;
  readonly target: string;
  readonly status: number;
}

/** All that ever happens to a sandbox's state, as plain data. */
export type Change =
  | { readonly type: 'secret'; readonly secret: string }
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'revoke'; readonly key: string; readonly at: number }
  | { readonly type: 'go-live'; readonly at: number }
  | { readonly type: 'plan'; readonly plan: PlanSetting }
  | { readonly type: 'template'; readonly template: Template }
  | { readonly type: 'campaign'; readonly campaign: Campaign }
  | { readonly type: 'contact'; readonly contact: Contact }
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'event'; readonly event: SandboxEvent }
  | { readonly type: 'call'; readonly call: Call };
