import type { CallerInputs } from '../../../src/session/profiles/resolve.ts';
import type { FoundStore, Profile } from '../../../src/session/profiles/store.ts';

export const testKey = 'sk_test_AbCdEfGhIjKl0001';
export const liveKey = 'sk_live_AbCdEfGhIjKl0002';
export const bareKey = 'AbCdEfGhIjKlMnOp0003';
export const localKey = 'sk_test_local-AbCdEfGh0004';
export const localLiveKey = 'sk_live_local-AbCdEfGh0005';

export const acme: Profile = {
  baseUrl: 'https://api.example.com/v1',
  plan: 'growth',
  mode: 'sandbox',
  keys: { sandbox: testKey, live: liveKey },
};
const beta: Profile = { baseUrl: 'https://beta.example.com', mode: 'sandbox', keys: { live: liveKey } };

export const noStore: FoundStore = { version: 1, profiles: {}, exists: false };
export const store: FoundStore = { version: 1, current: 'acme', profiles: { acme, beta }, exists: true };

/** A command line off a terminal, on a machine with two profiles. */
export function inputs(changes: Partial<CallerInputs> = {}): CallerInputs {
  return { flags: {}, env: {}, terminal: false, loadStore: () => store, ...changes };
}
