import { keyPrefixes, scopes } from '../../contract/keys.ts';
import type { Sandbox as Service } from '../sandbox.ts';
import { checkGiven, oneOf } from './argument-checks.ts';
import type { SandboxKeys } from './types.ts';

const parts = { scope: oneOf(scopes), mode: oneOf(Object.keys(keyPrefixes)) } as const;

export function keysOf({ keys }: Service): SandboxKeys {
  return {
    sandbox: keys.sandbox,
    live: keys.live,
    create(scope = 'full', mode = 'sandbox') {
      checkGiven('keys.create', { scope, mode }, parts);
      return keys.create(scope, mode).text;
    },
    revoke(key) {
      if (!keys.revoke(key)) throw new Error('keys.revoke: this sandbox has no such key');
    },
    goLive: () => keys.goLive(),
  };
}
