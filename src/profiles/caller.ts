import type { Mode } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';
import type { Env } from '../host.ts';
import type { FoundStore } from './store.ts';

/** What said who is calling. */
export type Source = '--profile' | 'BIZMSG_API_KEY' | 'BIZMSG_PROFILE' | 'profile in use' | 'newcomer';

/** The sandbox on this machine, which has its keys with it. */
export interface LocalCaller {
  readonly kind: 'local';
  readonly mode: Mode;
  readonly source: Source;
  /** Nobody asked for it: this machine never had a profile. */
  readonly newcomer: boolean;
}

/** A key and where it goes. */
export interface Target {
  readonly profile?: string | undefined;
  readonly kind: 'service';
  readonly baseUrl: string;
  readonly key: string;
  /** Every guard takes an unknown one for live. */
  readonly mode: Mode | 'unknown';
}

export interface ServiceCaller extends Target {
  readonly source: Source;
  readonly profile?: string | undefined;
  readonly plan?: PlanName | undefined;
  readonly rate?: number | undefined;
  readonly webhookSecret?: string | undefined;
  /** The id of the profile's account, if the store has one. */
  readonly account?: string | undefined;
}

export type Caller = LocalCaller | ServiceCaller;

/** All that bears on who is calling. */
export interface Asked {
  readonly flags: {
    readonly profile?: string | undefined;
    readonly mode?: Mode | undefined;
    readonly baseUrl?: string | undefined;
  };
  readonly env: Env;
  readonly terminal: boolean;
  /** Called only when flags and environment do not suffice. */
  readonly loadStore: () => FoundStore;
}
