import { configuration, usage } from '../../base/errors.ts';
import { addressOf } from '../../base/postgres-address.ts';
import { maskKey } from '../../base/redact.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import type { Mode } from '../../contract/keys.ts';
import { baseUrl, keyMode, local, originOf, profileName, readKey } from './fields.ts';
import { type Profile, profileOf, readProfile, requireKey, requireProfile, type Store } from './store.ts';

/** conf and the lock load slowly, and only a change needs them. */
export async function changeStore(folder: string, change: (store: Store) => Store): Promise<Store> {
  return (await import('./write-store.ts')).changeStore(folder, change);
}

/** New values; an empty text removes one. */
export type Settings = Partial<Omit<Profile, 'mode' | 'keys'>>;

export interface Login extends Settings {
  readonly baseUrl: string;
  readonly key: string;
  /** The mode, if the prefix does not show it. */
  readonly mode?: Mode | undefined;
  /** Whether the next command uses this key. */
  readonly isUsed: boolean;
}

/** Adds a profile, or renews a key of one. The first profile becomes the one in use, but a live key stays inactive. */
export function withLogin(store: Store, name: string, { key: text, mode: stated, isUsed, ...settings }: Login): Store {
  const key = readKey(text);
  if (key === name) throw usage('the name of the profile is its key', 'choose another name; names are printed');
  const mode = keyMode(key, stated);
  const before = profileOf(store, profileName(name));
  if (before) requireAddress(name, before, settings.baseUrl);
  const empty = { baseUrl: settings.baseUrl, mode: 'sandbox', keys: {} };
  const profile = changed(before ?? readProfile(empty), settings);
  const keys = { ...profile.keys, [mode]: key };
  const isFirst = Object.keys(store.profiles).length === 0;
  const current = isUsed ? name : (store.current ?? (isFirst ? name : undefined));
  return { ...put(store, name, { ...profile, mode: isUsed ? mode : profile.mode, keys }), current };
}

/** Throws if a login is for another address than the profile. */
export function requireAddress(name: string, profile: Pick<Profile, 'baseUrl'>, typed: string): void {
  if (baseUrl(typed) === profile.baseUrl) return;
  const hint = `bizmsg profiles set ${shellQuote(name)} --base-url changes it; another name adds a profile`;
  throw configuration('profile-exists', `the profile "${name}" is for ${profile.baseUrl}`, hint);
}

/** Changes a profile. A new origin removes its keys, which are bound to the old one. */
export function withSettings(store: Store, name: string, settings: Settings): Store {
  return put(store, name, changed(requireProfile(store, name), settings));
}

function changed(profile: Profile, settings: Settings): Profile {
  const { plan = profile.plan, rate = profile.rate, baseUrl: address = profile.baseUrl } = settings;
  if (settings.rate !== undefined && plan !== 'enterprise')
    throw usage('--rate is only for the plan enterprise', 'add --plan enterprise');
  const values = Object.entries(settings).filter(([, value]) => value !== undefined);
  return readProfile({
    ...profile,
    ...Object.fromEntries(values.map(([name, value]) => [name, value === '' ? undefined : value])),
    rate: plan === 'enterprise' ? rate : undefined,
    ...(movesTo(profile, address) && { mode: 'sandbox', keys: {} }),
  });
}

export function movesTo(profile: Profile, address: string): boolean {
  return originOf(address) !== originOf(profile.baseUrl);
}

export function withCurrent(store: Store, name: string): Store {
  if (name !== local) requireProfile(store, name);
  return { ...store, current: name };
}

/** The mode sandbox needs no key: without one, nothing is active. */
export function withMode(store: Store, name: string, mode: Mode): Store {
  const profile = requireProfile(store, name);
  if (mode === 'live') requireKey(name, profile, mode);
  return put(store, name, { ...profile, mode });
}

/** The mode does not change: a profile without its live key must fail, not use the sandbox. */
export function withoutKey(store: Store, name: string, mode: Mode): Store {
  const profile = requireProfile(store, name);
  requireKey(name, profile, mode);
  return put(store, name, { ...profile, keys: { ...profile.keys, [mode]: undefined } });
}

export function withoutProfile(store: Store, name: string): Store {
  requireProfile(store, name);
  const profiles = Object.fromEntries(Object.entries(store.profiles).filter(([other]) => other !== name));
  return { profiles, current: store.current === name ? undefined : store.current };
}

function put(store: Store, name: string, profile: Profile): Store {
  return { ...store, profiles: { ...store.profiles, [name]: profile } };
}

export function profileRows(store: Store) {
  return Object.keys(store.profiles)
    .toSorted()
    .map((name) => profileRow(store, name));
}

/** A profile as it may be printed. */
export function profileRow(store: Store, name: string) {
  const { baseUrl: address, keys, webhookSecret, ...profile } = requireProfile(store, name);
  return {
    name,
    in_use: store.current === name,
    base_url: address,
    mode: profile.mode,
    sandbox_key: keys.sandbox === undefined ? null : maskKey(keys.sandbox),
    live_key: keys.live === undefined ? null : maskKey(keys.live),
    plan: profile.plan ?? null,
    rate: profile.rate ?? null,
    account: profile.account ?? null,
    webhook_secret: webhookSecret === undefined ? null : 'stored',
    team: profile.team === undefined ? null : addressOf(profile.team).name,
    hours: profile.hours ?? null,
    exclude_from: profile.excludeFrom ?? null,
    country: profile.country ?? null,
    encoding: profile.encoding ?? null,
    opt_out_words: profile.optOutWords ?? null,
    agents: profile.agents ?? null,
  };
}
