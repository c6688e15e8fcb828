import type { Mode } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';
import { shownKey } from '../redact.ts';
import type { Store } from './store.ts';
import { requireProfile } from './store.ts';

/** A profile as it may be shown. */
export interface ProfileRow {
  readonly name: string;
  readonly in_use: boolean;
  readonly base_url: string;
  readonly plan: PlanName | null;
  readonly rate: number | null;
  readonly mode: Mode;
  readonly sandbox_key: string | null;
  readonly live_key: string | null;
  readonly webhook_secret: 'stored' | null;
}

/** A profile on its own, with what a list has no room for. */
export interface ProfileShown extends ProfileRow {
  /** The id of its account; null before it is first needed. */
  readonly account: string | null;
}

export interface KeyRow {
  readonly profile: string;
  readonly mode: Mode;
  readonly key: string;
  /** Whether it is the one that the profile uses. */
  readonly active: boolean;
}

export function profileRows(store: Store): readonly ProfileRow[] {
  return Object.keys(store.profiles)
    .sort()
    .map((name) => profileRow(store, name));
}

export function profileRow(store: Store, name: string): ProfileRow {
  const { baseUrl, plan, rate, mode, keys, webhookSecret } = requireProfile(store, name);
  return {
    name,
    in_use: store.current === name,
    base_url: baseUrl,
    plan: plan ?? null,
    rate: rate ?? null,
    mode,
    sandbox_key: keys.sandbox === undefined ? null : shownKey(keys.sandbox),
    live_key: keys.live === undefined ? null : shownKey(keys.live),
    webhook_secret: webhookSecret === undefined ? null : 'stored',
  };
}

export function profileShown(store: Store, name: string): ProfileShown {
  return { ...profileRow(store, name), account: requireProfile(store, name).account ?? null };
}

/** The stored keys of one profile, or of all. */
export function keyRows(store: Store, name?: string): readonly KeyRow[] {
  const names = name === undefined ? Object.keys(store.profiles).sort() : [name];
  return names.flatMap((profile) => [...keysOf(store, profile, 'sandbox'), ...keysOf(store, profile, 'live')]);
}

function keysOf(store: Store, profile: string, mode: Mode): readonly KeyRow[] {
  const { keys, mode: used } = requireProfile(store, profile);
  const key = keys[mode];
  return key === undefined ? [] : [{ profile, mode, key: shownKey(key), active: mode === used }];
}
