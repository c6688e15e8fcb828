import { CliError, usage } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import { requireEncryption } from '../../client/address.ts';
import type { Mode } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import { newAccountId } from './account.ts';
import { baseUrl } from './base-url.ts';
import * as edit from './changes.ts';
import type { Draft, Settings } from './changes.ts';
import { keyMode, readKey } from './key.ts';
import { type CallerInputs, noProfile, type Target } from './resolve.ts';
import { readTeam } from '../team.ts';
import { local, readStore, requireProfile, type Store } from './store.ts';

/** The stored profiles, for commands. Keys are masked. */
export interface Profiles {
  /** The profile of this command line. */
  chosen(): string;
  rows(): readonly ProfileRow[];
  keyRows(name?: string): readonly KeyRow[];
  show(name: string): ProfileShown;
  requireFree(name: string): void;
  /** Throws if this is not a valid base URL. */
  requireAddress(text: string): void;
  requireKey(name: string, mode: Mode): void;
  /** Throws if this cannot be a key of the mode that the command line requires. */
  requireKeyText(text: string): void;
  /** Whether a change to this address removes keys of the profile. */
  losesKeys(name: string, baseUrl: string): boolean;
  /** Whether this is the team of the profile. */
  hasTeam(name: string, team: string): boolean;
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
  switchMode(name: string, mode: Mode): Promise<KeyRow>;
}

export type ProfilesOptions = Pick<CallerInputs, 'flags' | 'env'> & { readonly folder: string };

export function openProfiles({ folder, flags, env }: ProfilesOptions): Profiles {
  const found = () => readStore(folder);
  // conf and the lock load slowly, and only writing needs them.
  const change = async (step: (store: Store) => Store): Promise<Store> =>
    (await import('./write-store.ts')).changeStore(folder, step);
  const rowAfter = async (name: string, step: (store: Store) => Store) => profileRow(await change(step), name);
  const keyAfter = async (name: string, mode: Mode, step: (store: Store) => Store) =>
    keyRow(await change(step), name, mode);

  return {
    chosen: () => stored(flags.profile ?? env['BIZMSG_PROFILE'] ?? found().current, found),
    rows: () => profileRows(found()),
    keyRows: (name) => keyRows(found(), name),
    show: (name) => profileShown(found(), name),
    requireFree: (name) => edit.requireFree(found(), name),
    requireAddress: (text) => requireEncryption(baseUrl(text)),
    requireKeyText: (text) => void keyMode(readKey(text), flags.mode),
    requireKey: (name, mode) => void edit.requireKey(found(), name, mode),
    losesKeys: (name, address) => edit.losesKeys(found(), name, address),
    hasTeam: (name, team) => requireProfile(found(), name).team === team,
    replacedLiveKey: (name, key, requested) => {
      const replaced = edit.replacedLiveKey(found(), name, { key, mode: requested });
      return replaced && maskKey(replaced);
    },
    target: (profile, draft) => {
      const key = readKey(draft.key);
      return { kind: 'service', profile, baseUrl: baseUrl(draft.baseUrl), key, mode: keyMode(key, draft.mode) };
    },
    add: (name, draft) => {
      const account = newAccountId();
      return rowAfter(name, (store) => edit.addProfile(store, name, { ...draft, account }));
    },
    set: async (name, settings) => profileShown(await change((store) => edit.setProfile(store, name, settings)), name),
    use: async (name) => {
      await change((store) => edit.useProfile(store, name));
      return { name };
    },
    remove: async (name) => {
      await change((store) => edit.removeProfile(store, name));
      return { name };
    },
    setKey: (name, key, requested) =>
      keyAfter(name, keyMode(readKey(key), requested), (store) => edit.setKey(store, name, { key, mode: requested })),
    removeKey: async (profile, mode) => {
      await change((store) => edit.removeKey(store, profile, mode));
      return { profile, mode };
    },
    switchMode: (name, mode) => keyAfter(name, mode, (store) => edit.switchMode(store, name, mode)),
  };
}

function stored(name: string | undefined, loadStore: () => Store): string {
  if (name === undefined) throw noProfile(loadStore());
  if (name !== local) return name;
  throw usage('local is the sandbox on this machine and has its own keys', 'name a stored profile with --profile');
}

function keyRow(store: Store, name: string, mode: Mode): KeyRow {
  const row = keyRows(store, name).find((one) => one.mode === mode);
  if (!row) throw new Error(`the ${mode} key of ${name} was not stored`);
  return row;
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

/** A profile in detail. */
interface ProfileShown extends ProfileRow {
  readonly hours: string | null;
  readonly exclude_from: string | null;
  /** The account id; null until it is first needed. */
  readonly account: string | null;
  /** The server of its team, without password and secret. */
  readonly team: string | null;
}

function shownTeam(stored: string): string {
  try {
    return readTeam(stored).shown;
  } catch (error) {
    if (error instanceof CliError) return 'damaged';
    throw error;
  }
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
    sandbox_key: keys.sandbox === undefined ? null : maskKey(keys.sandbox),
    live_key: keys.live === undefined ? null : maskKey(keys.live),
    webhook_secret: webhookSecret === undefined ? null : 'stored',
  };
}

function profileShown(store: Store, name: string): ProfileShown {
  const { hours = null, excludeFrom = null, account = null, team } = requireProfile(store, name);
  return { ...profileRow(store, name), hours, exclude_from: excludeFrom, account, team: team ? shownTeam(team) : null };
}

/** The stored keys of one profile, or of all. */
export function keyRows(store: Store, name?: string): readonly KeyRow[] {
  const names = name === undefined ? Object.keys(store.profiles).sort() : [name];
  return names.flatMap((profile) => [...keysOf(store, profile, 'sandbox'), ...keysOf(store, profile, 'live')]);
}

function keysOf(store: Store, profile: string, mode: Mode): readonly KeyRow[] {
  const { keys, mode: used } = requireProfile(store, profile);
  const key = keys[mode];
  return key === undefined ? [] : [{ profile, mode, key: maskKey(key), active: mode === used }];
}
