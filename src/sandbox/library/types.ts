/** All options are optional. */
export interface SandboxOptions extends PlanLimits {
  /** The same seed gives the same ids and delays, but other keys. Default: random. */
  readonly seed?: string | number | undefined;
  /** Default: `enterprise`, which has no limits. */
  readonly plan?: PlanName | undefined;
  /** Default: `real` time. A manual clock is frozen at the start of 2026, or at the given time. */
  readonly clock?: 'real' | 'manual' | { readonly at: Date | number } | undefined;
  /** Receives warnings, for example about a key of the real service. */
  readonly warn?: ((text: string) => void) | undefined;
}

export type PlanName = 'starter' | 'growth' | 'scale' | 'enterprise';

/** Replace the plan's limits. */
export interface PlanLimits {
  /** Requests a minute. */
  readonly rate?: number | undefined;
  /** Messages a month. */
  readonly monthly?: number | undefined;
  /** Endpoints that the plan excludes. */
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

/** Milliseconds, or a string such as `'5s'`. */
export type Span = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A request as a client would send it. */
export interface SandboxRequest {
  /** Default: `GET` without a body, `POST` with one. */
  readonly method?: string | undefined;
  /** Path and query, such as `/api/public/contacts?limit=2`. */
  readonly path: string;
  /** Such as `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** Strings and Uint8Arrays are sent unchanged, other objects as JSON with its content type. */
  readonly body?: string | object | undefined;
}

/** A URL that receives events. */
export interface NewWebhook {
  readonly url: string;
  /** Default: all. */
  readonly events?: readonly EventName[] | undefined;
  /** Replaces the sandbox's secret: `whsec_` followed by at least 16 bytes in base64. */
  readonly secret?: string | undefined;
  /** Allows a URL on another machine. */
  readonly external?: boolean | undefined;
  /** Also delivers earlier events that no webhook has received. */
  readonly catchUp?: boolean | undefined;
}

/** An injected failure of answers or deliveries. */
export interface NewFault {
  /** Endpoints whose answers fail, or events whose deliveries fail. */
  readonly on: FaultPlace | readonly FaultPlace[];
  readonly effect: FaultEffect;
  /** Fails once the request is processed. Default: it is not processed. */
  readonly after?: boolean | undefined;
  /** Removes it after this many injections. */
  readonly times?: number | undefined;
}

export type FaultPlace = EndpointName | EventName;

export type FaultEffect =
  // for answers
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' | 'hang' }
  // for deliveries
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop' | 'duplicate' | 'bad-signature' };

export interface ListenOptions {
  /** Default: a free port. */
  readonly port?: number | undefined;
}

export interface SandboxAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** An injected connection fault. With status 0 there is no answer. */
  readonly fault?: 'reset' | 'hang';
}

/** A simulated message. */
export interface SentMessage {
  readonly id: string;
  readonly to: string;
  readonly template: string;
  readonly params: readonly string[];
  /** As the recipient reads it. */
  readonly text?: string | undefined;
  /** The mode of the key that sent it. */
  readonly mode: Mode;
  readonly status: 'accepted' | 'delivered' | 'read' | 'failed';
  readonly sentAt: Date;
}

/** Only messages with all of these. */
export interface MessageFilter extends Partial<Pick<SentMessage, 'to' | 'template' | 'status'>> {
  /** The last ones. */
  readonly limit?: number | undefined;
}

export interface SandboxEvent {
  readonly id: string;
  readonly type: EventName;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** The whole body of the webhook request. */
  readonly payload: object;
}

/** A received request. */
export interface LoggedRequest {
  readonly at: Date;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** 0 if a fault prevented an answer. */
  readonly status: number;
  /** Its key, if the sandbox knows it. */
  readonly key?: string | undefined;
  /** Why it was refused or failed. */
  readonly detail?: string | undefined;
}

export interface Fault {
  readonly id: string;
  readonly on: readonly FaultPlace[];
  readonly effect: FaultEffect;
  readonly after: boolean;
  /** The number of requests or deliveries that matched, and that were affected. */
  readonly matched: number;
  readonly injected: number;
  /** Whether it has not expired. */
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

/** The delivery of an event to a webhook. */
export interface Delivery {
  readonly id: string;
  /** The event id. */
  readonly event: string;
  readonly type: string;
  readonly url: string;
  /** `dead`: all attempts failed, or its webhook was removed or disabled. `dropped`: by a fault. */
  readonly state: 'waiting' | 'delivered' | 'dead' | 'dropped';
  readonly attempts: number;
  /** The result of the last attempt: a status or an error. */
  readonly last?: number | string | undefined;
  readonly nextAt?: Date | undefined;
}

/** The fields of each event. Anything you omit is generated. */
export interface TriggerFields extends Record<EventName, object> {
  readonly 'message.received': {
    /** The sender; an unknown one becomes a contact first. */
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
    /** An id or name. Default: the first that is not completed. */
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
  /** A message id. Default: the latest that can still get this event. */
  readonly message?: string | undefined;
  /** Sends a new message to this number first. */
  readonly to?: string | undefined;
  /** The template of the new message. */
  readonly template?: string | undefined;
}

export interface FailureFields extends ReceiptFields {
  readonly reason?: { readonly code: string; readonly message: string } | undefined;
}

/** Records to load. */
export interface Contents {
  readonly contacts?: readonly NewRecord<Contact, 'phone'>[] | undefined;
  readonly templates?: readonly NewRecord<Template, 'name' | 'body'>[] | undefined;
  readonly campaigns?: readonly NewRecord<Campaign, 'name' | 'template'>[] | undefined;
}

/** Only `Needed` fields are required; the others are generated. */
export type NewRecord<T, Needed extends keyof T> = Pick<T, Needed> & {
  readonly [K in Exclude<keyof T, Needed>]?: T[K] | undefined;
};

/** A type rather than an interface, so that it is assignable to an event's data. */
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

/** A simulated service in memory. It sends no real messages and shares nothing with other sandboxes. */
export interface Sandbox {
  /** Answers a request without a socket. */
  answer(request: SandboxRequest): Promise<SandboxAnswer>;
  /** Serves it on a local port. An open server keeps the process alive. */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  readonly keys: SandboxKeys;
  /** The secret that signs events, as in Standard Webhooks. */
  secret(): string;
  readonly clock: SandboxClock;
  /** Replaces the plan and its limits. */
  setPlan(plan: PlanName, limits?: PlanLimits): void;
  /** The URLs that receive events. */
  readonly webhooks: SandboxWebhooks;
  /** Triggers an event and the changes that lead to it. Returns all events it caused, in order. */
  trigger<E extends EventName>(event: E, fields?: TriggerFields[E]): readonly SandboxEvent[];
  /** Resolves when no delivery is in flight. Deliveries that are due later do not count. */
  settled(): Promise<void>;
  /**
   * Resolves with the first event, past or future, that has this type or passes the test, and that no earlier call
   * returned. Rejects if none comes in time.
   */
  waitFor(wanted: EventName | ((event: SandboxEvent) => boolean), options?: WaitOptions): Promise<SandboxEvent>;
  /** Injected failures. */
  readonly faults: SandboxFaults;
  /** Loads records, all or none. They replace those with the same phone, name or id. */
  load(contents: Contents): void;
  /** Deletes messages, contacts, logs, or (default) all. Keys, plan, webhooks, faults and clock are kept. */
  reset(what?: 'messages' | 'contacts' | 'logs' | 'all'): void;
  /** In order of sending. */
  messages(filter?: MessageFilter): readonly SentMessage[];
  /** A new sandbox has sample contacts, templates and campaigns. */
  contacts(): readonly Contact[];
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  /** All events in order, delivered or not. */
  events(): readonly SandboxEvent[];
  /** All deliveries in order. */
  deliveries(): readonly Delivery[];
  /** All requests in order, including refused ones. */
  requests(): readonly LoggedRequest[];
  /** Cancels everything scheduled, and closes its servers. Its records can still be read. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface WaitOptions {
  /** In real time. Default: 4 s, which is less than the time-outs of most test runners. */
  readonly within?: Span | undefined;
}

export interface SandboxServer {
  /** Such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** The variables that `bizmsg sandbox env` prints. */
  readonly env: SandboxEnv;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A type rather than an interface, so that it is assignable to `process.env`-like records. */
export type SandboxEnv = {
  readonly BIZMSG_BASE_URL: string;
  readonly BIZMSG_API_KEY: string;
  readonly BIZMSG_WEBHOOK_SECRET: string;
};

export interface SandboxKeys {
  /** With every scope. */
  readonly sandbox: string;
  /** Valid after `goLive()`. */
  readonly live: string;
  /** Returns a new key. Default: `full`, `sandbox`. */
  create(scope?: Scope, mode?: Mode): string;
  /** Calls with this key get a 401 from now on. */
  revoke(key: string): void;
  /** Activates live keys. Their messages are simulated too. */
  goLive(): void;
}

export interface SandboxWebhooks {
  /** Returns its id. A known URL keeps its id and gets these settings. */
  add(webhook: NewWebhook): string;
  list(): readonly Webhook[];
  /** By id or URL. */
  remove(which: string): void;
  /** Returns a new secret for one webhook or the sandbox. The old one also signs for one more day. */
  rotate(which?: string): string;
}

export interface SandboxFaults {
  /** Returns its id. */
  add(fault: NewFault): string;
  /** Includes expired faults until they are cleared. */
  list(): readonly Fault[];
  /** Clears one fault, or all. */
  clear(id?: string): void;
}

/** The sandbox's time, for receipts, retries and limits. Signatures use real time. */
export interface SandboxClock {
  now(): Date;
  /** Only `advance` moves it then. */
  freeze(): void;
  /** Returns to real time. Scheduled receipts and retries keep their time. */
  real(): void;
  /** Runs everything due until then in order, and waits for each delivery. */
  advance(by: Span | 'next-due' | 'next-minute' | 'next-hour' | 'next-day' | 'next-month'): Promise<void>;
}
