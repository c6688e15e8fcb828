import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const testKey = 'sk_test_AbCdEfGhIjKl0001';
export const liveKey = 'sk_live_AbCdEfGhIjKl0002';
/** Its prefix does not tell the mode. */
export const bareKey = 'AbCdEfGhIjKlMnOp0003';

/** Stores the profile acme as the one in use. */
export function storeAcme(home: string, { baseUrl, key }: { readonly baseUrl: string; readonly key: string }): string {
  const mode = key.startsWith('sk_live_') ? 'live' : 'sandbox';
  const acme = { baseUrl, plan: 'growth', mode, keys: { [mode]: key } };
  return storeText(home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
}

/** Writes the profile store; returns its path. */
export function storeText(home: string, text: string): string {
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const path = join(folder, 'profiles.json');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
