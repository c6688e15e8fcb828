import type { EventName } from '../contract/events.ts';
import type { Drawn } from './fault-records.ts';

/** A registered URL (§6 leaves open how one is registered). */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  /** Its own, in place of the sandbox's. */
  readonly secret?: string;
  readonly createdAt: number;
  /** The process that it is for, where that is known. */
  readonly owner?: Owner;
}

export interface Owner {
  readonly pid: number;
  /** By which it is told from a later process with this number. */
  readonly start?: string | undefined;
  /** It may be started again, and then gets what it missed. */
  readonly returns?: boolean | undefined;
}

/** An event on its way to a webhook. Its faults are drawn when it is made, and befall its first attempt. */
export interface Delivery extends Drawn {
  readonly id: string;
  readonly event: string;
  readonly webhook: string;
  readonly at: number;
}

/** One try to deliver: what was sent, what came back. */
export interface Attempt {
  /** By the sandbox's clock. */
  readonly at: number;
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The first 64 KiB, as text where it is UTF-8. */
    readonly body: string;
    readonly encoding?: 'base64';
  };
  /** Why there is no response, or no whole one. */
  readonly error?: string;
  /** Milliseconds by the wall. */
  readonly took: number;
}
