import type { ClockSetting } from './clock.ts';
import type { Attempt, Delivery, Webhook } from './delivery-records.ts';
import type { Fault } from './fault-records.ts';
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
  | { readonly type: 'fault'; readonly fault: Fault; readonly drawn?: number; readonly struck?: number }
  | { readonly type: 'fault-cleared'; readonly fault: string }
  | { readonly type: 'call'; readonly call: Call }
  | { readonly type: 'reset'; readonly what: Resettable; readonly dataId?: string }
  | { readonly type: 'counters'; readonly counters: Counters };

/** What follows an attempt: another at that time, or the end. */
export type Next = number | 'delivered' | 'dead' | 'dropped';
