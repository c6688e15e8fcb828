import { CliError } from '../../base/errors.ts';
import type { Env } from '../../base/host.ts';
import type { Store } from './store.ts';

/** Shorter ones may be part of a word by chance. */
const shortest = 8;

/** The keys and webhook secrets that the environment and the stored profiles hold. */
export function knownKeys({ BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET }: Env, loadStore: () => Store): readonly string[] {
  const stored = profilesIn(loadStore).flatMap(({ keys, webhookSecret }) => [keys.sandbox, keys.live, webhookSecret]);
  return [BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, ...stored].flatMap((text) => {
    const key = text?.trim() ?? '';
    return key.length < shortest ? [] : [key];
  });
}

/** A damaged store does not stop a command that names its caller otherwise. */
function profilesIn(loadStore: () => Store) {
  try {
    return Object.values(loadStore().profiles);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
