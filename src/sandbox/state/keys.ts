import { randomBytes } from 'node:crypto';
import { keyPrefixes, localMark, type Mode, type Scope } from '../../contract/keys.ts';
import { Refusal } from '../refusal.ts';
import type { Key } from './records.ts';
import type { Core, State } from './state.ts';

/** The text of the first key of a mode, which every sandbox has. */
export function initialKey({ keys }: State, mode: Mode): string {
  return keys.all().find((key) => key.mode === mode)?.text ?? '';
}

export function createKey(core: Core, scope: Scope, mode: Mode = 'sandbox'): Key {
  // It does not depend on the seed: anyone who knows that could use it.
  const text = keyPrefixes[mode] + localMark + randomBytes(16).toString('hex');
  return put(core, { id: core.ids.id('key'), text, mode, scope, createdAt: core.clock.now() });
}

/** Takes a key or its id. */
export function revokeKey(core: Core, name: string): void {
  put(core, { ...keyNamed(core.store.state, name), revoked: true });
}

/** §3: makes live keys valid. No key changes its prefix. */
export function goLive({ store }: Core): void {
  store.state.live = true;
  store.happened({ type: 'keys' });
}

export function keyRows(state: State) {
  return state.keys.all().map(({ revoked, ...key }) => {
    const isActive = key.mode === 'sandbox' || state.live;
    return { ...key, state: revoked ? ('revoked' as const) : isActive ? ('active' as const) : ('inactive' as const) };
  });
}

function put({ store }: Core, key: Key): Key {
  store.state.keys.put(key);
  store.happened({ type: 'keys' });
  return key;
}

/** By its text or id. */
export function keyNamed({ keys }: State, name: string): Key {
  const key = keys.get(name) ?? keys.all().find(({ id }) => id === name);
  if (key) return key;
  throw new Refusal(404, 'there is no such key');
}
