import type { Mode } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import { configuration, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { baseUrl, originOf } from './base-url.ts';
import { keyMode, readKey, readWebhookSecret } from './key.ts';
import { readTeam } from '../team.ts';
import { local, type Profile, profileName, profileOf, requireProfile, type Store } from './store.ts';
import { missingKey } from './resolve.ts';

export interface GivenKey {
  readonly key: string;
  /** The mode, if the prefix does not show it. */
  readonly mode?: Mode | undefined;
}

export interface Settings {
  readonly baseUrl?: string | undefined;
  readonly plan?: PlanName | undefined;
  readonly rate?: number | undefined;
  readonly webhookSecret?: string | undefined;
  /** The URL of a team; an empty text removes it, as with `hours` and `excludeFrom`. */
  readonly team?: string | undefined;
  readonly hours?: string | undefined;
  readonly excludeFrom?: string | undefined;
}

export interface Draft extends Settings, Partial<GivenKey> {
  readonly baseUrl: string;
  /** The account id. */
  readonly account?: string | undefined;
}

/** Adds a profile; the first one becomes the one in use. */
export function addProfile(store: Store, name: string, draft: Draft): Store {
  requireFree(store, name);
  const { key, mode, account } = draft;
  const bare: Profile = { baseUrl: baseUrl(draft.baseUrl), mode: 'sandbox', keys: {}, account };
  if (key?.trim() === name) throw usage('the name of the profile is its key', 'choose another name; names are printed');
  const profile = key === undefined ? changed(bare, draft) : withKey(changed(bare, draft), { key, mode });
  const isFirst = Object.keys(store.profiles).length === 0;
  return { ...put(store, name, profile), current: store.current ?? (isFirst ? name : undefined) };
}

export function requireFree(store: Store, name: string): void {
  if (profileOf(store, profileName(name)) === undefined) return;
  const hint = `change it with bizmsg profiles set ${shellQuote(name)}, or its keys with bizmsg keys set`;
  throw configuration('profile-exists', `there is a profile "${name}" already`, hint);
}

/** Changes a profile. A new origin removes its keys, which are bound to the old one. */
export function setProfile(store: Store, name: string, settings: Settings): Store {
  return put(store, name, changed(requireProfile(store, name), settings));
}

/** Whether a change to this address removes keys of the profile. */
export function losesKeys(store: Store, name: string, address: string): boolean {
  const { baseUrl: before, keys } = requireProfile(store, name);
  return originOf(baseUrl(address)) !== originOf(before) && (keys.sandbox ?? keys.live) !== undefined;
}

export function removeProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  const profiles = Object.fromEntries(Object.entries(store.profiles).filter(([other]) => other !== name));
  return { ...store, profiles, current: store.current === name ? undefined : store.current };
}

export function useProfile(store: Store, name: string): Store {
  if (name !== local) requireProfile(store, name);
  return { ...store, current: name };
}

/** Stores a key. The mode does not change: a live key is active only after `switchMode`. */
export function setKey(store: Store, name: string, given: GivenKey): Store {
  return put(store, name, withKey(requireProfile(store, name), given));
}

/** The active live key that this key would replace. */
export function replacedLiveKey(store: Store, name: string, { key: text, mode }: GivenKey): string | undefined {
  const { keys, mode: used } = requireProfile(store, name);
  const key = readKey(text);
  return used === 'live' && keyMode(key, mode) === 'live' && keys.live !== key ? keys.live : undefined;
}

/** Removes a key. The mode does not change: a profile without its live key must fail, not use the sandbox. */
export function removeKey(store: Store, name: string, mode: Mode): Store {
  const profile = requireProfile(store, name);
  requireKey(store, name, mode);
  return put(store, name, { ...profile, keys: { ...profile.keys, [mode]: undefined } });
}

export function switchMode(store: Store, name: string, mode: Mode): Store {
  requireKey(store, name, mode);
  return put(store, name, { ...requireProfile(store, name), mode });
}

export function requireKey(store: Store, name: string, mode: Mode): string {
  const profile = requireProfile(store, name);
  const key = profile.keys[mode];
  if (key === undefined) throw missingKey(name, profile, mode);
  return key;
}

function put(store: Store, name: string, profile: Profile): Store {
  return { ...store, profiles: { ...store.profiles, [name]: profile } };
}

function withKey(profile: Profile, { key: text, mode }: GivenKey): Profile {
  const key = readKey(text);
  return { ...profile, keys: { ...profile.keys, [keyMode(key, mode)]: key } };
}

function changed(profile: Profile, settings: Settings): Profile {
  const { webhookSecret: secret, team } = settings;
  return {
    ...moved(profile, settings.baseUrl),
    ...planned(profile, settings),
    webhookSecret: secret === undefined ? profile.webhookSecret : readWebhookSecret(secret),
    team: team === undefined ? profile.team : checkedTeam(team),
    hours: (settings.hours ?? profile.hours) || undefined,
    excludeFrom: (settings.excludeFrom ?? profile.excludeFrom) || undefined,
  };
}

function checkedTeam(text: string): string | undefined {
  if (text === '') return undefined;
  readTeam(text);
  return text.trim();
}

function moved(profile: Profile, typed: string | undefined): Profile {
  if (typed === undefined) return profile;
  const address = baseUrl(typed);
  if (originOf(address) === originOf(profile.baseUrl)) return { ...profile, baseUrl: address };
  return { ...profile, baseUrl: address, mode: 'sandbox', keys: {} };
}

function planned(before: Profile, { plan = before.plan, rate }: Settings): Pick<Profile, 'plan' | 'rate'> {
  if (plan === 'enterprise') return { plan, rate: rate ?? before.rate };
  if (rate !== undefined) throw usage('--rate is only for the plan enterprise', 'add --plan enterprise');
  return { plan, rate: undefined };
}
