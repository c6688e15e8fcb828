/** How a sandbox is made; all of it may be left out. */
export interface SandboxOptions extends PlanLimits {
  /** The same seed gives the same keys, identifiers and delays. Without one they differ every time. */
  readonly seed?: string | number | undefined;
  /** The account's plan. Unless told it is `enterprise`, which has no limits of its own. */
  readonly plan?: PlanName | undefined;
  /** How it answers where the API's document leaves that open. */
  readonly shape?: 'default' | 'bare' | `vary:${string}` | undefined;
  /** `real`, unless told: it goes with the wall. A manual one stands at the beginning of 2026, or at the time given. */
  readonly clock?: 'real' | 'manual' | { readonly at: Date | number } | undefined;
  /** Told of what you should hear, such as that a key of the real service came by. */
  readonly warn?: ((text: string) => void) | undefined;
}

export type PlanName = 'starter' | 'growth' | 'scale' | 'enterprise';

/** In place of the plan's own. */
export interface PlanLimits {
  /** Requests a minute. */
  readonly rate?: number | undefined;
  /** Messages a month. */
  readonly monthly?: number | undefined;
  /** Endpoints that the plan does not include. */
  readonly without?: readonly EndpointName[] | undefined;
}

export type EndpointName = 'sendTemplate' | 'listContacts' | 'createContact' | 'listTemplates' | 'listCampaigns';

export type EventName =
  | 'message.received'
  | 'message.delivered'
  | 'message.read'
  | 'message.failed'
  | 'flow.completed'
  | 'broadcast.completed'
  | 'contact.created'
  | 'order.paid';

export type Scope = 'read-only' | 'send-only' | 'full';

export type Mode = 'sandbox' | 'live';

/** Milliseconds, or a text such as `'5s'`. */
export type Span = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A request as a client would send it. */
export interface SandboxRequest {
  /** `GET` without a body and `POST` with one, unless told. */
  readonly method?: string | undefined;
  /** Path and query, such as `/api/public/contacts?limit=2`. */
  readonly path: string;
  /** A key goes here: `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** A text or a Uint8Array goes as it is; any other object goes as JSON, with its content type. */
  readonly body?: string | object | undefined;
}

/** A URL that events are sent to. */
export interface NewWebhook {
  readonly url: string;
  /** All, unless told. */
  readonly events?: readonly EventName[] | undefined;
  /** What signs them, in place of the sandbox's: `whsec_` and at least 16 bytes in base64. */
  readonly secret?: string | undefined;
  /** It may be on another machine. */
  readonly external?: boolean | undefined;
  /** It also gets the events that happened while nobody listened. */
  readonly catchUp?: boolean | undefined;
}

/** Something that goes wrong on purpose. */
export interface NewFault {
  /** Endpoints whose answers go wrong, or events whose deliveries do. */
  readonly on: FaultPlace | readonly FaultPlace[];
  readonly effect: FaultEffect;
  /** The service has acted before its answer goes wrong. Unless told it does nothing. */
  readonly after?: boolean | undefined;
  /** The share that it strikes, from 0 to 1: all, unless told. */
  readonly rate?: number | undefined;
  /** Decides which ones a rate strikes. Unless told it follows from the sandbox's. */
  readonly seed?: string | undefined;
  /** It ends after so long by the sandbox's clock, */
  readonly for?: Span | undefined;
  /** or when it has injected so often. */
  readonly times?: number | undefined;
}

export type FaultPlace = EndpointName | EventName;

export type FaultEffect =
  // of answers
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' | 'hang' | 'truncate' | 'garbage' }
  // of deliveries
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop' | 'duplicate' | 'bad-signature' | 'stale-timestamp' };

export interface ListenOptions {
  /** One that is free, unless told. */
  readonly port?: number | undefined;
}

/** What the sandbox answered. */
export interface SandboxAnswer {
  readonly status: number;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What a socket would have seen instead of a whole answer, where a fault injected; the status may be 0 then. */
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
  /** For how many requests or deliveries it was matched, and how many of them it injected. */
  readonly matched: number;
  readonly injected: number;
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

/** What may be said of each event; whatever is not said, the sandbox makes up. */
export interface TriggerFields extends Record<EventName, object> {
  readonly 'message.received': {
    /** A customer's number, who becomes a contact if unknown. */
    readonly from?: string | undefined;
    readonly text?: string | undefined;
  };
  readonly 'message.delivered': ReceiptFields;
  readonly 'message.read': ReceiptFields;
  readonly 'message.failed': FailureFields;
  readonly 'flow.completed': {
    /** A contact's id or phone. */
    readonly contact?: string | undefined;
    readonly flow?: string | undefined;
  };
  readonly 'broadcast.completed': {
    /** An id or a name; unless told, the first that is not completed. */
    readonly campaign?: string | undefined;
    /** Only the contacts with this tag. */
    readonly tag?: string | undefined;
    /** Name and template of a new campaign. */
    readonly name?: string | undefined;
    readonly template?: string | undefined;
  };
  readonly 'contact.created': {
    readonly phone?: string | undefined;
    readonly name?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly 'order.paid': {
    /** A contact's id or phone. */
    readonly contact?: string | undefined;
    /** Such as `'10.00'`. */
    readonly amount?: string | undefined;
    /** Such as `'USD'`. */
    readonly currency?: string | undefined;
    readonly provider?: string | undefined;
  };
}

export interface ReceiptFields {
  /** A message's id; unless told, the last one to which this can happen. */
  readonly message?: string | undefined;
  /** The number of a new message, to which this happens. */
  readonly to?: string | undefined;
  /** That of the new message. */
  readonly template?: string | undefined;
}

export interface FailureFields extends ReceiptFields {
  readonly reason?: { readonly code: string; readonly message: string } | undefined;
}

/** Records as the API has them; with these a sandbox can be filled. */
export interface Contents {
  readonly contacts?: readonly NewRecord<Contact, 'phone'>[] | undefined;
  readonly templates?: readonly NewRecord<Template, 'name' | 'body'>[] | undefined;
  readonly campaigns?: readonly NewRecord<Campaign, 'name' | 'template'>[] | undefined;
}

/** Only these fields are needed; the others are made up. */
export type NewRecord<T, Needed extends keyof T> = Pick<T, Needed> & {
  readonly [K in Exclude<keyof T, Needed>]?: T[K] | undefined;
};

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
  /** Only an approved one can be sent. */
  readonly status: 'APPROVED' | 'PENDING' | 'REJECTED';
  /** With its variables: `Hello {{1}}`. */
  readonly body: string;
  /** A name for each variable, in order. */
  readonly variables: readonly string[];
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  /** The name of its template. */
  readonly template: string;
  readonly status: 'COMPLETED' | 'RUNNING' | 'SCHEDULED';
  readonly audience: number;
  readonly counts: Readonly<Record<'sent' | 'delivered' | 'read' | 'failed', number>>;
  readonly created_at: string;
}

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
