import type { EndpointName } from '../contract/endpoints.ts';
import type { EventName } from '../contract/events.ts';

/** What goes wrong with an answer. */
export type AnswerFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' | 'hang' | 'truncate' | 'garbage' };

/** What goes wrong with the delivery of an event. */
export type EventFault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop' | 'duplicate' | 'reorder' | 'bad-signature' | 'stale-timestamp' };

export interface Fault {
  readonly id: string;
  readonly on: readonly (EndpointName | EventName)[];
  readonly effect: AnswerFault | EventFault;
  /** The service has acted before it goes wrong. */
  readonly after: boolean;
  /** The share that it strikes, from 0 to 1. */
  readonly rate: number;
  readonly seed: string;
  /** It expires then, or when it has struck so often. */
  readonly until?: number;
  readonly times?: number;
}

/** What a fault is made of; only what goes wrong, and where, is needed. */
export interface NewFault {
  readonly on: Fault['on'];
  readonly effect: Fault['effect'];
  readonly after?: boolean | undefined;
  readonly rate?: number | undefined;
  /** Without one it follows from the sandbox's own. */
  readonly seed?: string | undefined;
  /** Milliseconds by the sandbox's clock until it expires. */
  readonly for?: number | undefined;
  readonly times?: number | undefined;
}

/** A fault and how far it came. */
export interface FaultStatus extends Fault {
  readonly drawn: number;
  readonly struck: number;
  /** It has not expired. */
  readonly active: boolean;
}

/** What faults were drawn for, whether or not they struck, and the one that did. */
export interface Drawn {
  readonly drawn?: readonly string[];
  readonly fault?: string;
}
