import { randomBytes } from 'node:crypto';
import { configuration, usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { maskKey } from '../../base/redact.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { requireEncryption } from '../../client/address.ts';
import type { Mode } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import { configFolder } from './environment.ts';
import { baseUrl, originOf, keyMode, readKey, readWebhookSecret } from './fields.ts';
import { type CallerInputs, missingKey, noProfile, type Target } from './resolve.ts';
import {
  local,
  type Profile,
  profileName,
  profileOf,
  type ProfileSettings,
  readStore,
  requireProfile,
  settingNames,
  settingsOf,
  type Store,
} from './store.ts';

/** The stored profiles, for commands. Keys are masked. */
export interface Profiles {
  /** The profile of this command line. */
  chosen(): string;
  rows(): readonly ProfileRow[];
  show(name: string): ProfileShown;
  /** Its settings for later commands. */
  settings(name: string): ProfileSettings;
  requireFree(name: string): void;
  /** Throws if this is not a valid base URL. */
  requireAddress(text: string): void;
  requireKey(name: string, mode: Mode): void;
  /** Throws if this cannot be a key of the mode that the command line requires. */
  requireKeyText(text: string): void;
  /** Throws if the profile cannot have these settings. */
  requireSettings(name: string, settings: Settings): void;
  /** Whether a change to this address removes keys of the profile. */
  losesKeys(name: string, baseUrl: string): boolean;
  /** The active live key, masked, that this key would replace. */
  replacedLiveKey(name: string, key: string, requested: Mode | undefined): string | undefined;
  /** The target of a profile that is not stored yet. */
  target(name: string, draft: Draft & { readonly key: string }): Target;
  add(name: string, draft: Draft): Promise<ProfileRow>;
  set(name: string, settings: Settings): Promise<ProfileShown>;
  use(name: string): Promise<{ readonly name: string }>;
  remove(name: string): Promise<{ readonly name: string }>;
  setKey(name: string, key: string, requested: Mode | undefined): Promise<KeyRow>;
  removeKey(name: string, mode: Mode): Promise<Pick<KeyRow, 'profile' | 'mode'>>;
  switchMode(name: string, mode: Mode): Promise<Switched>;
}

interface GivenKey {
  readonly key: string;
  /** The mode, if the prefix does not show it. */
  readonly mode?: Mode | undefined;
}

interface Settings extends ProfileSettings {
  readonly baseUrl?: string | undefined;
  readonly plan?: PlanName | undefined;
  readonly rate?: number | undefined;
  readonly webhookSecret?: string | undefined;
}

interface Draft extends Settings, Partial<GivenKey> {
  readonly baseUrl: string;
  /** The account id. */
  readonly account?: string | undefined;
}

interface ProfilesOptions {
  readonly host: Pick<Host, 'env' | 'home'>;
  readonly given: CallerInputs['flags'];
}

export function openProfiles({ host: { env, home }, given }: ProfilesOptions): Profiles {
  const folder = configFolder(env, home);
  const found = () => readStore(folder);
  const change = async (step: (store: Store) => Store) => changeStore(folder, step);
  const rowAfter = async (name: string, step: (store: Store) => Store) => profileRow(await change(step), name);
  const keyAfter = async (name: string, mode: Mode, step: (store: Store) => Store) =>
    keyRow(await change(step), name, mode);

  return {
    chosen: () => stored(given.profile ?? env['BIZMSG_PROFILE'] ?? found().current, found),
    rows: () => profileRows(found()),
    show: (name) => profileShown(found(), name),
    settings: (name) => requireProfile(found(), name),
    requireFree: (name) => requireFree(found(), name),
    requireAddress: (text) => requireEncryption(baseUrl(text)),
    requireKeyText: (text) => void keyMode(readKey(text), given.mode),
    requireKey: (name, mode) => void requireKey(found(), name, mode),
    requireSettings: (name, settings) => void setProfile(found(), name, settings),
    losesKeys: (name, address) => losesKeys(found(), name, address),
    replacedLiveKey: (name, key, requested) => {
      const replaced = replacedLiveKey(found(), name, { key, mode: requested });
      return replaced && maskKey(replaced);
    },
    target: (profile, draft) => {
      const key = readKey(draft.key);
      return { kind: 'service', profile, baseUrl: baseUrl(draft.baseUrl), key, mode: keyMode(key, draft.mode) };
    },
    add: (name, draft) => {
      const account = newAccountId();
      return rowAfter(name, (store) => addProfile(store, name, { ...draft, account }));
    },
    set: async (name, settings) => profileShown(await change((store) => setProfile(store, name, settings)), name),
    use: async (name) => {
      await change((store) => useProfile(store, name));
      return { name };
    },
    remove: async (name) => {
      await change((store) => removeProfile(store, name));
      return { name };
    },
    setKey: (name, key, requested) =>
      keyAfter(name, keyMode(readKey(key), requested), (store) => setKey(store, name, { key, mode: requested })),
    removeKey: async (profile, mode) => {
      await change((store) => removeKey(store, profile, mode));
      return { profile, mode };
    },
    switchMode: async (name, mode) => {
      const { keys } = requireProfile(await change((store) => switchMode(store, name, mode)), name);
      const key = keys[mode];
      return { profile: name, mode, key: key === undefined ? null : maskKey(key) };
    },
  };
}

/** conf and the lock load slowly, and only writing needs them. */
async function changeStore(folder: string, step: (store: Store) => Store): Promise<Store> {
  return (await import('./write-store.ts')).changeStore(folder, step);
}

function stored(name: string | undefined, loadStore: () => Store): string {
  if (name === undefined) throw noProfile(loadStore(), false);
  if (name !== local) return name;
  throw usage('local is the sandbox on this machine and has its own keys', 'name a stored profile with --profile');
}

function keyRow(store: Store, name: string, mode: Mode): KeyRow {
  const { mode: used } = requireProfile(store, name);
  return { profile: name, mode, key: maskKey(requireKey(store, name, mode)), active: mode === used };
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

function requireFree(store: Store, name: string): void {
  if (profileOf(store, profileName(name)) === undefined) return;
  const hint = `change it with bizmsg profiles set ${shellQuote(name)}, or its keys with bizmsg keys set`;
  throw configuration('profile-exists', `there is a profile "${name}" already`, hint);
}

/** A random id of an account, independent of its keys and its address. */
function newAccountId(): string {
  return randomBytes(6).toString('hex');
}

/** Changes a profile. A new origin removes its keys, which are bound to the old one. */
export function setProfile(store: Store, name: string, settings: Settings): Store {
  return put(store, name, changed(requireProfile(store, name), settings));
}

/** Whether a change to this address removes keys of the profile. */
function losesKeys(store: Store, name: string, address: string): boolean {
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
function replacedLiveKey(store: Store, name: string, { key: text, mode }: GivenKey): string | undefined {
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

/** The mode sandbox needs no key: without one, nothing is active. */
export function switchMode(store: Store, name: string, mode: Mode): Store {
  if (mode === 'live') requireKey(store, name, mode);
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
  const { webhookSecret: secret } = settings;
  return {
    ...moved(profile, settings.baseUrl),
    ...planned(profile, settings),
    webhookSecret: secret === undefined ? profile.webhookSecret : readWebhookSecret(secret),
    ...settingsOf((name) => (settings[name] ?? profile[name]) || undefined),
  };
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

/** A profile with masked keys. */
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

/** A profile in detail, with its settings. */
interface ProfileShown extends ProfileRow {
  /** The account id. Null if the account is known by its key. */
  readonly account: string | null;
  readonly team?: string | null;
}

interface KeyRow {
  readonly profile: string;
  readonly mode: Mode;
  readonly key: string;
  /** Whether it is the one that the profile uses. */
  readonly active: boolean;
}

/** The mode of a profile, with its masked key if it has one. */
interface Switched extends Pick<KeyRow, 'profile' | 'mode'> {
  readonly key: string | null;
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
    sandbox_key: keys.sandbox === undefined ? null : maskKey(keys.sandbox),
    live_key: keys.live === undefined ? null : maskKey(keys.live),
    webhook_secret: webhookSecret === undefined ? null : 'stored',
  };
}

function profileShown(store: Store, name: string): ProfileShown {
  const profile = requireProfile(store, name);
  const { account = null } = profile;
  const shown = settingNames.map((setting) => {
    const text = profile[setting] ?? null;
    return [setting.replace(/[A-Z]/g, '_$&').toLowerCase(), setting === 'team' && text ? shownTeam(text) : text];
  });
  return { ...profileRow(store, name), account, ...Object.fromEntries(shown) };
}

/** Without its password and its secret. */
function shownTeam(line: string): string {
  return line.replace(/#.*$/s, '').replace(/^(\w+:\/\/[^:@/?#]*):[^@/?#]*@/, '$1:…@');
}
