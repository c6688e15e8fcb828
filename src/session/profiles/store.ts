import { join } from 'node:path';
import { CliError, configuration, fsError } from '../../base/errors.ts';
import { readRegular } from '../../base/files.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import type { Mode } from '../../contract/keys.ts';
import { planNames } from '../../contract/plans.ts';
import { isRecord, Mismatch, object, oneOf, optional, type Reader, string } from '../../contract/readers.ts';
import { accountName, baseUrl, keyMode, local, readKey, readWebhookSecret, shownName, teamUrl } from './fields.ts';

export const readProfile = object({
  /** With its path prefix, without a slash at the end. */
  baseUrl: valid(baseUrl),
  /** Its messages count together with those of other profiles of the account. */
  account: optional(valid(accountName)),
  plan: optional(oneOf(planNames)),
  /** Requests per minute of an enterprise plan. */
  rate: optional(rate),
  /** The key that it uses. */
  mode: oneOf(['sandbox', 'live']),
  keys: object({ sandbox: optional(keyOf('sandbox')), live: optional(keyOf('live')) }),
  webhookSecret: optional(valid(readWebhookSecret)),
  /** The URL of the team's database, with its password. */
  team: optional(valid(teamUrl)),
  /** For later commands, as text. */
  hours: optional(string),
  excludeFrom: optional(string),
  country: optional(string),
  encoding: optional(string),
  optOutWords: optional(string),
  /** `live` if AI agents may use the live key. */
  agents: optional(string),
});

export type Profile = ReturnType<typeof readProfile>;

export interface Store {
  /** The profile in use. */
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The store of a machine that never had a profile. */
export const noStore: Store = { current: undefined, profiles: {} };

export const storeName = 'profiles';

export function storeFile(folder: string): string {
  return join(folder, `${storeName}.json`);
}

/** Reads the store without conf, which takes 25 ms to load. */
export function readStore(folder: string): Store {
  const path = storeFile(folder);
  let text: string;
  try {
    text = readRegular(path).toString();
  } catch (error) {
    const fault = fsError(error);
    if (fault?.code === 'ENOENT') return noStore;
    if (fault) throw configuration('store-unreadable', `cannot read ${path}: ${fault.reason}`, undefined, error);
    throw error;
  }
  return storeIn(path, () => JSON.parse(text));
}

/** The store that a file holds, or an error without its values: they may be keys. */
export function storeIn(path: string, read: () => unknown): Store {
  try {
    return storeShape(read());
  } catch (error) {
    const hint = 'repair it, or move it away and add the profiles again; bizmsg leaves it as it is';
    if (error instanceof SyntaxError) throw configuration('store-damaged', `${path} is not JSON`, hint);
    if (!(error instanceof Mismatch)) throw error;
    throw configuration('store-damaged', `${path} was not written by bizmsg: ${error.at} ${error.message}`, hint);
  }
}

/** The file has the store and its version. */
export const version = 1;

function storeShape(value: unknown): Store {
  const { version: written, ...store } = object({
    version: optional((number) => number),
    current: optional(string),
    profiles: record(readProfile),
  })(value, '');
  if (written !== version) throw new Mismatch('/version', `must be ${version}`);
  return store;
}

function record<T>(read: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, at = '') => {
    if (!isRecord(value)) throw new Mismatch(at, 'must be an object');
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, read(item, `${at}/${shownName(name)}`)]),
    );
  };
}

/** A text that a reader of the command line accepts. */
function valid(read: (text: string) => string): Reader<string> {
  return (value, at = '') => {
    try {
      return read(string(value, at));
    } catch (error) {
      throw error instanceof CliError ? new Mismatch(at, `is not valid: ${error.message}`) : error;
    }
  };
}

function keyOf(slot: Mode): Reader<string> {
  return valid((text) => {
    keyMode(text, slot);
    return readKey(text);
  });
}

function rate(value: unknown, at = ''): number {
  if (typeof value === 'number' && value > 0) return value;
  throw new Mismatch(at, 'must be a number of requests a minute');
}

/** The profile with a name, also for names such as `__proto__`. */
export function profileOf({ profiles }: Store, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

export function requireProfile(store: Store, name: string): Profile {
  const profile = profileOf(store, name);
  if (profile) return profile;
  if (name !== local) throw unknownProfile(name, Object.keys(store.profiles));
  const hint = 'bizmsg sandbox set changes it';
  throw configuration('reserved-profile', `"${local}" is the sandbox on this machine, not a stored profile`, hint);
}

export function requireKey(name: string, { keys, mode: active }: Pick<Profile, 'keys' | 'mode'>, mode: Mode): string {
  const key = keys[mode];
  if (key !== undefined) return key;
  const option = `--profile ${shellQuote(name)}`;
  const isInactive = mode === active && mode === 'sandbox' && keys.live !== undefined;
  const activate = isInactive ? `; bizmsg keys switch-mode live ${option} makes its live key active` : '';
  const hint = `bizmsg login ${option} stores one${activate}`;
  throw configuration('no-key', `the profile "${name}" has no ${mode} key`, hint);
}

function unknownProfile(name: string, names: readonly string[]): CliError {
  const all = [...names, local];
  const near = all.find((other) => other.toLowerCase() === name.toLowerCase()) ?? suggest(name, all);
  const hints = [
    near && `did you mean ${shellQuote(near)}?`,
    names.length > 0 ? `the profiles are ${listed(names)}` : 'bizmsg login adds one',
    `--profile ${local} is the sandbox on this machine`,
  ];
  const hint = hints.filter(Boolean).join('; ');
  return configuration('unknown-profile', `there is no profile "${shownName(name)}"`, hint);
}

export function listed(names: readonly string[]): string {
  return names.map(shellQuote).join(', ');
}
