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
