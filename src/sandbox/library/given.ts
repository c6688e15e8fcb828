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
  /** or when it has struck so often. */
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
  | { readonly kind: 'drop' | 'duplicate' | 'reorder' | 'bad-signature' | 'stale-timestamp' };

export interface ListenOptions {
  /** One that is free, unless told. */
  readonly port?: number | undefined;
}
