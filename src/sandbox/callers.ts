import type { EndpointName } from '../contract/endpoints.ts';
import { isLocalKey, keyPrefixes, type Scope } from '../contract/keys.ts';
import type { Key } from './records.ts';
import type { State } from './state.ts';

/** The key that a request bears, and why it is refused. */
export interface Caller {
  /** Known, if perhaps no longer valid: its calls are recorded (§5.8). */
  readonly key: Key | undefined;
  readonly refusal: string | undefined;
}

// §5.1
export function callerOf(authorization: string | undefined, state: State): Caller {
  const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (text === undefined) {
    return { key: undefined, refusal: 'the key is missing: send the header Authorization: Bearer <API_KEY>' };
  }
  const key = state.keys.by.get(text);
  const refusal = !key && bearsRealLiveKey(authorization) ? realLiveKey : refusalOf(key, state);
  return { key, refusal };
}

export const realLiveKey =
  'a live key of the real service was sent to this sandbox: it was refused and not stored; look for where it came from';

/** §5.9: nothing live is done here, so a key of the real service must not even come by. */
export function bearsRealLiveKey(authorization: string | undefined): boolean {
  if (authorization?.includes(keyPrefixes.live) !== true) return false;
  return authorization.split(/\s+/).some((word) => word.startsWith(keyPrefixes.live) && !isLocalKey(word));
}

// §5.10 leaves it open
const endpointsOfScope: Readonly<Record<Scope, readonly EndpointName[] | 'all'>> = {
  'read-only': ['listContacts', 'listTemplates', 'listCampaigns'],
  'send-only': ['sendTemplate'],
  full: 'all',
};

export function isAllowed(scope: Scope, endpoint: EndpointName): boolean {
  const allowed = endpointsOfScope[scope];
  return allowed === 'all' || allowed.includes(endpoint);
}

// §5.6
function refusalOf(key: Key | undefined, state: State): string | undefined {
  if (!key) return 'the key is invalid: this sandbox has no such key';
  if (state.revoked.has(key.id)) return 'the key is revoked';
  if (key.mode === 'live' && !state.live) return 'the live key is not active yet: the account has not gone live';
  return undefined;
}
