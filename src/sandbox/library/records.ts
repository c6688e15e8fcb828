import type { EventName, FaultEffect, FaultPlace, Mode } from './given.ts';

/** What the sandbox answered. */
export interface SandboxAnswer {
  readonly status: number;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What a socket would have seen instead of a whole answer, where a fault struck; the status may be 0 then. */
  readonly misdeed?: 'reset' | 'hang' | 'truncate';
}

/** A message that was sent, to nobody. */
export interface SentMessage {
  readonly id: string;
  readonly to: string;
  readonly template: string;
  readonly params: readonly string[];
  /** That of the key that sent it. */
  readonly mode: Mode;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly sentAt: Date;
}

export interface SandboxEvent {
  readonly id: string;
  readonly type: EventName;
  readonly at: Date;
  /** What it tells. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The whole JSON that a webhook gets. */
  readonly payload: object;
}

/** A request that reached the sandbox, and what became of it. */
export interface LoggedRequest {
  readonly at: Date;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** 0 when a fault left it without an answer. */
  readonly status: number;
  /** The key that it bore, if the sandbox knows it. */
  readonly key?: string | undefined;
  /** Why it was refused, or what went wrong. */
  readonly detail?: string | undefined;
}

export interface Fault {
  readonly id: string;
  readonly on: readonly FaultPlace[];
  readonly effect: FaultEffect;
  readonly after: boolean;
  readonly rate: number;
  /** For how many requests or deliveries it was drawn, and how many of them it struck. */
  readonly drawn: number;
  readonly struck: number;
  /** It has not ended. */
  readonly active: boolean;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  readonly state: 'active' | 'disabled';
  /** Why it is disabled. */
  readonly reason?: string | undefined;
}

/** An event on its way to a webhook. */
export interface Delivery {
  readonly id: string;
  /** The event's id. */
  readonly event: string;
  readonly type: string;
  readonly url: string;
  /** `dead` after the last attempt, `dropped` by a fault. */
  readonly state: 'waiting' | 'delivered' | 'dead' | 'dropped';
  readonly attempts: number;
  /** What came of the last attempt: a status, or why there was none. */
  readonly last?: number | string | undefined;
  readonly nextAt?: Date | undefined;
}
