import { join } from 'node:path';
import type { Mode } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';
import { Mismatch } from '../contract/readers.ts';
import type { CliError } from '../errors.ts';
import { configuration } from '../errors.ts';
import { fileFault } from '../file-fault.ts';
import { readRegular } from '../regular-file.ts';
import { local, unknownProfile } from './names.ts';
import { storeShape } from './store-shape.ts';

export interface Profile {
  /** With its path prefix, no slash at its end. */
  readonly baseUrl: string;
  readonly plan?: PlanName | undefined;
  /** Requests a minute, where the plan is enterprise. */
  readonly rate?: number | undefined;
  /** Which of its keys it uses. */
  readonly mode: Mode;
  readonly keys: { readonly [M in Mode]?: string | undefined };
  readonly webhookSecret?: string | undefined;
  /** Identifies the account: random, and kept when keys and address change. Profiles of older versions have none. */
  readonly account?: string | undefined;
}

export interface Store {
  readonly version: 1;
  /** The profile in use. */
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A store as found; a machine that never had a profile has no file of it. */
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

/** The profile of that name, if there is one; a name such as `__proto__` is no exception. */
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
    const fault = fileFault(error);
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
    // The parser's message quotes the text, and with it perhaps a key: it is no cause to keep.
    throw damaged(path, 'is not JSON');
  }
  try {
    return storeShape(value);
  } catch (error) {
    if (error instanceof Mismatch) throw damaged(path, `is not what bizmsg wrote: ${error.at} ${error.message}`);
    throw error;
  }
}

function damaged(path: string, how: string): CliError {
  const hint = 'repair it, or move it away and add the profiles again; bizmsg leaves it as it is';
  return configuration('store-damaged', `${path} ${how}`, hint);
}
