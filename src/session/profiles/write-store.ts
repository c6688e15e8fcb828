import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { lock } from 'proper-lockfile';
import { CliError, configuration, fsError } from '../../base/errors.ts';
import { createFolder, namesIn } from '../../base/files.ts';
import { isWindows } from '../../base/system.ts';
import { noStore, type Store, storeFile, storeIn, storeName, version } from './store.ts';

/** Reads, changes and writes the store under a lock: conf alone loses changes of other processes. */
export async function changeStore(folder: string, change: (store: Store) => Store): Promise<Store> {
  const path = storeFile(folder);
  try {
    prepare(folder);
    const release = await acquireLock(folder);
    try {
      const before = existsSync(path) ? storeIn(path, () => open(folder).store) : noStore;
      const store = change(before);
      if (store !== before) write(folder, store);
      return store;
    } finally {
      // A lock that cannot be released expires after ten seconds.
      await release().catch(() => undefined);
    }
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fsError(error);
    if (!fault) throw error;
    const hint = 'set BIZMSG_CONFIG_DIR to another folder';
    throw configuration('store-unwritable', `cannot write ${path}: ${fault.reason}`, hint, error);
  }
}

/** conf would create the folder for all to read. Others need one such as /tmp, which keeps its mode. */
function prepare(folder: string): void {
  createFolder(folder);
  const { mode } = statSync(folder);
  if (!isWindows && (mode & 0o077) !== 0 && !(mode & 0o1000)) chmodSync(folder, 0o700);
}

function open(folder: string): Conf {
  return new Conf({ cwd: folder, configName: storeName, configFileMode: 0o600, clearInvalidConfig: false });
}

function write(folder: string, store: Store): void {
  // A process that was killed while it wrote has left a draft with keys.
  for (const name of namesIn(folder))
    if (name.startsWith(`${storeName}.json.tmp-`)) rmSync(join(folder, name), { force: true });
  open(folder).store = { version, ...store };
}

/** Waits longer than the ten seconds after which a dead owner's lock expires. */
async function acquireLock(folder: string): Promise<() => Promise<void>> {
  const lockfilePath = join(folder, `${storeName}.lock`);
  // The work under the lock is synchronous, so the lock cannot expire meanwhile.
  const options = { lockfilePath, onCompromised: () => undefined };
  const retries = { retries: 150, factor: 1.2, minTimeout: 5, maxTimeout: 150, randomize: true };
  const isTaken = (error: unknown) => fsError(error)?.code === 'ELOCKED';
  try {
    // Other failures, such as a full disk, are not worth a retry.
    return await lock(folder, options).catch((error: unknown) => {
      if (isTaken(error)) return lock(folder, { ...options, retries });
      throw error;
    });
  } catch (error) {
    if (!isTaken(error)) throw error;
    const hint = `try again; if no other bizmsg is running, remove ${lockfilePath}`;
    throw configuration('store-locked', `${storeFile(folder)} is being changed by another bizmsg`, hint, error);
  }
}
