import { randomBytes } from 'node:crypto';
import { CliError } from '../../base/errors.ts';
import { requireProfile, type Store } from './store.ts';

/** Identifies an account on this machine whatever its keys and its address are. */
export function newAccountId(): string {
  return randomBytes(6).toString('hex');
}

/**
 * The account id of a profile that had none when it was read; stores it. Undefined if the store cannot be written, such
 * as one that is mounted read-only.
 */
export async function storedAccount(folder: string, name: string): Promise<string | undefined> {
  const { changeStore } = await import('./write-store.ts');
  try {
    // Another process may have been first.
    return requireProfile(await changeStore(folder, (store) => withAccount(store, name)), name).account;
  } catch (error) {
    if (error instanceof CliError && unwritable.has(error.code)) return undefined;
    throw error;
  }
}

const unwritable: ReadonlySet<string> = new Set(['store-unwritable', 'store-shared']);

function withAccount(store: Store, name: string): Store {
  const profile = requireProfile(store, name);
  if (profile.account !== undefined) return store;
  return { ...store, profiles: { ...store.profiles, [name]: { ...profile, account: newAccountId() } } };
}
