import { randomBytes } from 'node:crypto';
import { CliError } from '../../base/errors.ts';
import { requireProfile, type Store } from './store.ts';

/** A random id of an account, independent of its keys and its address. */
export function newAccountId(): string {
  return randomBytes(6).toString('hex');
}

/**
 * Creates and stores the account id of a profile without one. Undefined if the store cannot be written, for example on
 * a read-only file system.
 */
export async function storedAccount(folder: string, name: string): Promise<string | undefined> {
  const { changeStore } = await import('./write-store.ts');
  try {
    // Another process may have created one meanwhile.
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
