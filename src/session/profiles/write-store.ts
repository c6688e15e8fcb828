import { accessSync, chmodSync, constants, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { lock } from 'proper-lockfile';
import { CliError, configuration, fsError } from '../../base/errors.ts';
import { createFolder, isPrivate, namesIn } from '../../base/files.ts';
import { readStore, type Store, storeFile, storeName } from './store.ts';

/** Reads, changes and writes the store under a lock. Writes nothing if unchanged. */
export async function changeStore(folder: string, change: (store: Store) => Store): Promise<Store> {
  onDisk(folder, () => prepare(folder));
  const release = await acquireLock(folder);
  try {
    const before = readStore(folder);
    const store = change(before);
    if (store !== before) onDisk(storeFile(folder), () => write(folder, store));
    return store;
  } finally {
    // A lock that cannot be released is stale after ten seconds.
    await release().catch(() => undefined);
  }
}

function prepare(folder: string): void {
  createFolder(folder);
  const { mode } = statSync(folder);
  // Other users need a folder such as /tmp, so its mode must not change.
  if (mode & 0o1000)
    throw configuration(
      'store-shared',
      `${folder} is shared with others`,
      'set BIZMSG_CONFIG_DIR to a separate folder',
    );
  if (!isPrivate(mode)) chmodSync(folder, 0o700);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

/** Waits for the lock, longer than the ten seconds after which a dead owner's lock expires. */
async function acquireLock(folder: string): Promise<() => Promise<void>> {
  const lockfilePath = join(folder, `${storeName}.lock`);
  // The work under the lock is synchronous, so the lock cannot expire meanwhile.
  const options = { lockfilePath, onCompromised: () => undefined };
  const retries = { retries: 150, factor: 1.2, minTimeout: 5, maxTimeout: 150, randomize: true };
  try {
    // Only a lock is worth a retry, not other failures such as a full disk.
    return await lock(folder, options).catch((error: unknown) => {
      if (fsError(error)?.code === 'ELOCKED') return lock(folder, { ...options, retries: retries });
      throw error;
    });
  } catch (error) {
    if (fsError(error)?.code !== 'ELOCKED') throw failure(folder, error);
    const hint = `try again; if no other bizmsg is running, remove ${lockfilePath}`;
    throw configuration('store-locked', `${storeFile(folder)} is being changed by another bizmsg`, hint, error);
  }
}

function write(folder: string, { version, current, profiles }: Store): void {
  // A process that was killed while it wrote has left a draft with keys. The lock keeps all others from writing.
  for (const name of namesIn(folder))
    if (name.startsWith(`${storeName}.json.tmp-`)) rmSync(join(folder, name), { force: true });
  const conf = new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: storeName,
    configFileMode: 0o600,
    clearInvalidConfig: false,
  });
  conf.store = { version, current, profiles };
}

function onDisk(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, error: unknown): unknown {
  const fault = error instanceof CliError ? undefined : fsError(error);
  if (!fault) return error;
  const hint = 'set BIZMSG_CONFIG_DIR to another folder';
  return configuration('store-unwritable', `cannot write ${path}: ${fault.reason}`, hint, error);
}
