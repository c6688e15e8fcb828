import { join } from 'node:path';
import { CliError, configuration, fsError, usage } from '../../base/errors.ts';
import { readRegular } from '../../base/files.ts';
import { redact } from '../../base/redact.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { type Mode, modeOf } from '../../contract/keys.ts';
import { isPlanName, type PlanName, plans } from '../../contract/plans.ts';
import { isRecord, Mismatch, type Reader, string } from '../../contract/readers.ts';
import { baseUrl, accountFault, keyFault, looksLikeKey, webhookSecretFault } from './fields.ts';

/** The settings of a profile for later commands, as text; an empty text removes it. `profiles show` lists them in this order. */
export const settingNames = [
  'hours',
  'excludeFrom',
  'country',
  'encoding',
  'optOut',
  'optOutWords',
  /** `live` if AI agents may use the live key. */
  'agents',
  /** The line of its team, which has a secret. */
  'team',
] as const;

type SettingName = (typeof settingNames)[number];

export type ProfileSettings = { readonly [Name in SettingName]?: string | undefined };

/** The settings, each as `read` returns it. */
export function settingsOf(read: (name: SettingName) => string | undefined): ProfileSettings {
  return Object.fromEntries(settingNames.map((name) => [name, read(name)]));
}

export interface Profile extends ProfileSettings {
  /** With its path prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly plan?: PlanName | undefined;
  /** Requests per minute of an enterprise plan. */
  readonly rate?: number | undefined;
  /** The key that it uses. */
  readonly mode: Mode;
  readonly keys: { readonly [M in Mode]?: string | undefined };
  readonly webhookSecret?: string | undefined;
  /** A random id of the account, kept when keys and address change. Without one, the account is known by its key. */
  readonly account?: string | undefined;
}

export interface Store {
  readonly version: 1;
  /** The profile in use. */
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The store as read; `exists` is false on a machine that never had a profile. */
export interface FoundStore extends Store {
  readonly exists: boolean;
}

export const emptyStore: Store = { version: 1, profiles: {} };

export const storeName = 'profiles';

export function storeFile(folder: string): string {
  return join(folder, `${storeName}.json`);
}

export function readStore(folder: string): FoundStore {
  const path = storeFile(folder);
  const text = contentOf(path);
  return text === undefined ? { ...emptyStore, exists: false } : { ...parsed(text, path), exists: true };
}

/** The profile with a name, also for names such as `__proto__`. */
export function profileOf(store: Store, name: string): Profile | undefined {
  return Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
}

export function requireProfile(store: Store, name: string): Profile {
  const profile = profileOf(store, name);
  if (profile) return profile;
  if (name === local) throw notStored();
  throw unknownProfile(name, Object.keys(store.profiles));
}

function notStored(): CliError {
  const hint = 'its plan is changed as in bizmsg sandbox plan set growth, and its keys are in bizmsg sandbox keys list';
  return configuration('reserved-profile', `"${local}" is the sandbox on this machine, not a stored profile`, hint);
}

function contentOf(path: string): string | undefined {
  try {
    return readRegular(path).toString();
  } catch (error) {
    const fault = fsError(error);
    if (fault?.code === 'ENOENT') return undefined;
    if (fault) throw configuration('store-unreadable', `cannot read ${path}: ${fault.reason}`, undefined, error);
    throw error;
  }
}

function parsed(text: string, path: string): Store {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message may quote a key, so it is not kept as the cause.
    throw damaged(path, 'is not JSON');
  }
  try {
    return storeShape(value);
  } catch (error) {
    if (error instanceof Mismatch) throw damaged(path, `was not written by bizmsg: ${error.at} ${error.message}`);
    throw error;
  }
}

function damaged(path: string, how: string): CliError {
  const hint = 'repair it, or move it away and add the profiles again; bizmsg leaves it as it is';
  return configuration('store-damaged', `${path} ${how}`, hint);
}

/** Reads the store. Errors never repeat a value, since it may be a key. */
function storeShape(value: unknown, at = ''): Store {
  const { version, current, profiles } = record(value, at);
  if (version !== 1) throw new Mismatch(`${at}/version`, 'must be 1');
  const entries = Object.entries(record(profiles, `${at}/profiles`));
  if (entries.some(([name]) => looksLikeKey(name)))
    throw new Mismatch(`${at}/profiles`, 'has a name that looks like a key');
  return {
    version,
    current: optional(string)(current, `${at}/current`),
    profiles: Object.fromEntries(entries.map(([name, entry]) => [name, profile(entry, `${at}/profiles/${name}`)])),
  };
}

function profile(value: unknown, at: string): Profile {
  const fields = record(value, at);
  const keys = record(fields.keys, `${at}/keys`);
  return {
    baseUrl: address(fields.baseUrl, `${at}/baseUrl`),
    plan: optional(plan)(fields.plan, `${at}/plan`),
    rate: optional(rate)(fields.rate, `${at}/rate`),
    mode: mode(fields.mode, `${at}/mode`),
    keys: {
      sandbox: optional(keyOf('sandbox'))(keys.sandbox, `${at}/keys/sandbox`),
      live: optional(keyOf('live'))(keys.live, `${at}/keys/live`),
    },
    webhookSecret: optional(webhookSecret)(fields.webhookSecret, `${at}/webhookSecret`),
    account: optional(account)(fields.account, `${at}/account`),
    ...settingsOf((name) => optional(string)(fields[name], `${at}/${name}`)),
  };
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (!isRecord(value)) throw new Mismatch(at || 'it', 'must be an object');
  return value;
}

function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, at) => (value === undefined ? undefined : reader(value, at));
}

function address(value: unknown, at = ''): string {
  const text = string(value, at);
  try {
    return baseUrl(text);
  } catch (error) {
    if (error instanceof CliError) throw new Mismatch(at, 'must be a base URL');
    throw error;
  }
}

function plan(value: unknown, at = ''): PlanName {
  if (isPlanName(value)) return value;
  throw new Mismatch(at, `must be one of ${Object.keys(plans).join(', ')}`);
}

function rate(value: unknown, at = ''): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new Mismatch(at, 'must be a number of requests a minute');
}

function mode(value: unknown, at = ''): Mode {
  if (value === 'sandbox' || value === 'live') return value;
  throw new Mismatch(at, 'must be sandbox or live');
}

/** Refuses a live key in the place of a sandbox key, and the reverse. */
function keyOf(slot: Mode): Reader<string> {
  return (value, at = '') => {
    const key = string(value, at);
    const fault = keyFault(key);
    if (fault) throw new Mismatch(at, fault);
    if ((modeOf(key) ?? slot) !== slot) throw new Mismatch(at, `holds a ${modeOf(key)} key`);
    return key;
  };
}

function webhookSecret(value: unknown, at = ''): string {
  const text = string(value, at);
  const fault = webhookSecretFault(text);
  if (fault) throw new Mismatch(at, fault);
  return text;
}

function account(value: unknown, at = ''): string {
  const text = string(value, at);
  const fault = accountFault(text);
  if (fault) throw new Mismatch(at, fault);
  return text;
}

/** The reserved profile: the sandbox on this machine. */
export const local = 'local';

const longest = 64;

/** Reads the name of a new profile. */
export function profileName(text: string): string {
  if (text.trim() === '') throw usage('a profile needs a name');
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    throw usage(`"${text}" has control characters in it`, 'choose another name');
  if (looksLikeKey(text))
    throw usage(`the name "${shownName(text)}" looks like a key`, 'choose another name; the key itself is asked for');
  if (text.toLowerCase() === local)
    throw usage(`"${text}" is reserved for the sandbox on this machine`, 'choose another name');
  if (text.length > longest) throw usage(`"${text}" is longer than ${longest} characters`, 'choose a shorter name');
  return text;
}

function shownName(text: string): string {
  return redact(text).replace(/(sk_(?:test|live)_|whsec_).*/is, '$1…');
}

export function unknownProfile(name: string, names: readonly string[]): CliError {
  const near = nearest(name, [...names, local]);
  const offer = near ? [`did you mean ${shellQuote(near)}?`] : [];
  const known = names.length > 0 ? `the profiles are ${listed(names)}` : 'bizmsg login adds one';
  const hint = [[...offer, known].join(' '), `--profile ${local} is the sandbox on this machine`].join('; ');
  return configuration('unknown-profile', `there is no profile "${shownName(name)}"`, hint);
}

/** The most similar name, whatever its case. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  const near = suggest(
    typed.toLowerCase(),
    names.map((name) => name.toLowerCase()),
  );
  return names.find((name) => name.toLowerCase() === near);
}

export function listed(names: readonly string[]): string {
  const more = names.length > 10 ? [`and ${names.length - 10} more`] : [];
  return [...names.slice(0, 10).map((name) => shellQuote(name)), ...more].join(', ');
}
