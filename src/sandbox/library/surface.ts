import type { Campaign, Contact, Contents, Template } from './contents.ts';
import type {
  EventName,
  ListenOptions,
  Mode,
  NewFault,
  NewWebhook,
  PlanLimits,
  PlanName,
  SandboxRequest,
  Scope,
  Span,
} from './given.ts';
import type { TriggerFields } from './happenings.ts';
import type { Delivery, Fault, LoggedRequest, SandboxAnswer, SandboxEvent, SentMessage, Webhook } from './records.ts';

/** A whole service of your own. Nothing is really sent, nothing is kept, and nothing is shared with another one. */
export interface Sandbox {
  /** Answers a request without a socket. */
  answer(request: SandboxRequest): Promise<SandboxAnswer>;
  /** Answers on a port of this machine. Like any server it keeps the process alive until it is closed. */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  readonly keys: SandboxKeys;
  /** What events are signed with, as Standard Webhooks does. */
  secret(): string;
  readonly clock: SandboxClock;
  /** In place of the plan and the limits that it had. */
  setPlan(plan: PlanName, limits?: PlanLimits): void;
  /** The URLs that events are sent to. */
  readonly webhooks: SandboxWebhooks;
  /** Has an event happen, and what leads to it; gives all events that came of it, in order. */
  trigger<E extends EventName>(event: E, fields?: TriggerFields[E]): readonly SandboxEvent[];
  /** Settles when nothing is on its way to a webhook any more; what waits for a later time does not count. */
  settled(): Promise<void>;
  /** What goes wrong on purpose. */
  readonly faults: SandboxFaults;
  /** Takes records of your own, in place of those with the same phone, name or id; all of them or none. */
  load(contents: Contents): void;
  /** Lets go of what was sent, of the logs, or of all, unless told; keys, plan, webhooks, faults and clock stay. */
  reset(what?: 'messages' | 'contacts' | 'logs' | 'all'): void;
  /** What was sent, in order. */
  messages(): readonly SentMessage[];
  /** The account's contacts, templates and campaigns; it begins with some. */
  contacts(): readonly Contact[];
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  /** What happened, in order, whether or not a webhook was told. */
  events(): readonly SandboxEvent[];
  /** What became of each event at each webhook, in order. */
  deliveries(): readonly Delivery[];
  /** Every request, in order, also those that were refused. */
  requests(): readonly LoggedRequest[];
  /** Calls off all that is still due, and closes the servers that it listens with. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface SandboxServer {
  /** Such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** What a client and a receiver need to know, as `bizmsg sandbox env` prints it. */
  readonly env: SandboxEnv;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A type and no interface, so that it fits where any environment does. */
export type SandboxEnv = {
  readonly BIZMSG_BASE_URL: string;
  readonly BIZMSG_API_KEY: string;
  readonly BIZMSG_WEBHOOK_SECRET: string;
};

export interface SandboxKeys {
  /** With every scope. */
  readonly sandbox: string;
  /** Valid only after `goLive()`. */
  readonly live: string;
  /** Gives a new key: `full` and `sandbox`, unless told. */
  create(scope?: Scope, mode?: Mode): string;
  /** The calls of this key are refused from now on. */
  revoke(key: string): void;
  /** From now on live keys are valid. What they send is simulated too. */
  goLive(): void;
}

export interface SandboxWebhooks {
  /** Gives its id. The same URL again is the same webhook, with these settings in place of its own. */
  add(webhook: NewWebhook): string;
  list(): readonly Webhook[];
  /** Takes an id or a URL. */
  remove(which: string): void;
  /** Gives a new secret, of one webhook or of the sandbox; for a day the one before it signs as well. */
  rotate(which?: string): string;
}

export interface SandboxFaults {
  /** Gives its id. */
  add(fault: NewFault): string;
  /** Those that ended too, until they are cleared. */
  list(): readonly Fault[];
  /** That one, or all. */
  clear(id?: string): void;
}

/** The sandbox's time: receipts, retries, the minute and the month follow it. Signatures bear the time of the wall. */
export interface SandboxClock {
  now(): Date;
  /** From now on only `advance` moves it. */
  freeze(): void;
  /** Goes with the wall again. What was due by a clock ahead of it stays due at its own time. */
  real(): void;
  /** Has all that falls due until then happen, in order, and awaits each delivery to a webhook. */
  advance(by: Span | 'next-minute' | 'next-hour' | 'next-day' | 'next-month'): Promise<void>;
}
