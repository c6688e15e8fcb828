import { describe, expect, it } from 'vitest';
import {
  addProfile,
  profileRow,
  profileRows,
  removeKey,
  removeProfile,
  requireKey,
  setKey,
  setProfile,
  switchMode,
  useProfile,
} from '../../../src/session/profiles/profiles.ts';
import { emptyStore, profileOf } from '../../../src/session/profiles/store.ts';
import { thrown } from '../../support/thrown.ts';
import { bareKey, liveKey, store, testKey } from './people.ts';

const baseUrl = 'https://api.example.com/';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('adding a profile', () => {
  it('makes only the first one the profile in use', () => {
    const one = addProfile(emptyStore, 'one', { baseUrl, key: testKey });
    const two = addProfile(one, 'two', { baseUrl });
    expect(two.current).toBe('one');
    expect(profileOf(two, 'one')).toMatchObject({ baseUrl: 'https://api.example.com', keys: { sandbox: testKey } });
  });

  it('stores a live key without activating it', () => {
    const added = addProfile(emptyStore, 'one', { baseUrl, key: liveKey, plan: 'enterprise', rate: 2000 });
    expect(profileOf(added, 'one')).toMatchObject({ mode: 'sandbox', keys: { live: liveKey }, rate: 2000 });
  });

  it.each([
    ['configuration', 'acme', { baseUrl }],
    ['usage', 'local', { baseUrl }],
    ['usage', 'one', { baseUrl: 'api.example.com' }],
    ['usage', 'one', { baseUrl, key: bareKey }],
    ['usage', 'one', { baseUrl, plan: 'growth', rate: 10 }],
    ['usage', 'one', { baseUrl, rate: 10 }],
  ] as const)('is refused (%s): %s %o', (exit, name, draft) => {
    expect(thrown(() => addProfile(store, name, draft))).toMatchObject({ exit });
  });

  it.each(['__proto__', 'constructor', 'toString'])('accepts the name %s', (name) => {
    expect(profileOf(emptyStore, name)).toBeUndefined();
    const added = addProfile(emptyStore, name, { baseUrl, key: testKey });
    expect(profileRows(added).map((row) => row.name)).toEqual([name]);
    expect(profileRows(removeProfile(added, name))).toEqual([]);
  });
});

describe('changing a profile', () => {
  it('keeps other fields', () => {
    const set = setProfile(store, 'acme', { webhookSecret: `${secret}\n` });
    expect(profileOf(set, 'acme')).toEqual({ ...store.profiles['acme'], rate: undefined, webhookSecret: secret });
  });

  it('removes the rate when the plan has its own', () => {
    const custom = setProfile(store, 'acme', { plan: 'enterprise', rate: 900 });
    expect(profileOf(setProfile(custom, 'acme', { plan: 'scale' }), 'acme')).toMatchObject({ rate: undefined });
    expect(profileOf(setProfile(custom, 'acme', { rate: 800 }), 'acme')).toMatchObject({ rate: 800 });
  });

  it('keeps the keys at their origin', () => {
    const live = switchMode(store, 'acme', 'live');
    const prefix = setProfile(live, 'acme', { baseUrl: 'https://api.example.com/v2' });
    expect(profileOf(prefix, 'acme')).toMatchObject({ mode: 'live', keys: { live: liveKey } });
    const moved = setProfile(live, 'acme', { baseUrl: 'https://other.example.com' });
    expect(profileOf(moved, 'acme')).toMatchObject({ mode: 'sandbox', keys: {} });
  });

  it('removes the keys for another host name of this machine, because another program may listen there', () => {
    const here = addProfile(emptyStore, 'one', { baseUrl: 'http://127.0.0.1:4780', key: testKey });
    const moved = setProfile(here, 'one', { baseUrl: 'http://localhost:4780' });
    expect(profileOf(moved, 'one')).toMatchObject({ keys: {} });
  });

  it('clears the profile in use when it is removed, and only then', () => {
    expect(removeProfile(store, 'acme').current).toBeUndefined();
    expect(removeProfile(store, 'beta').current).toBe('acme');
  });

  it('chooses a profile that exists, or the sandbox', () => {
    expect(useProfile(store, 'beta').current).toBe('beta');
    expect(useProfile(store, 'local').current).toBe('local');
    expect(thrown(() => useProfile(store, 'bet'))).toMatchObject({ code: 'unknown-profile' });
  });

  it('does not modify the given store', () => {
    const before = structuredClone(store);
    setKey(switchMode(store, 'acme', 'live'), 'acme', { key: bareKey, mode: 'sandbox' });
    removeKey(store, 'acme', 'live');
    expect(store).toEqual(before);
  });
});

describe('the keys of a profile', () => {
  it('are stored by mode, and the mode in use does not change', () => {
    const bare = addProfile(emptyStore, 'one', { baseUrl });
    const both = setKey(setKey(bare, 'one', { key: liveKey }), 'one', { key: testKey });
    expect(profileOf(both, 'one')).toMatchObject({ mode: 'sandbox', keys: { sandbox: testKey, live: liveKey } });
  });

  it('are switched in both directions', () => {
    const live = switchMode(store, 'acme', 'live');
    expect(profileOf(live, 'acme')?.mode).toBe('live');
    expect(profileOf(switchMode(live, 'acme', 'sandbox'), 'acme')?.mode).toBe('sandbox');
  });

  it('are needed to switch to live, but not back to the sandbox', () => {
    const { mode } = profileOf(switchMode(store, 'beta', 'sandbox'), 'beta') ?? {};
    expect(mode).toBe('sandbox');
    const bare = addProfile(emptyStore, 'one', { baseUrl });
    expect(thrown(() => switchMode(bare, 'one', 'live'))).toMatchObject({ code: 'no-key' });
  });

  it('do not fall back to the other key when one is removed', () => {
    const removed = removeKey(switchMode(store, 'acme', 'live'), 'acme', 'live');
    expect(profileOf(removed, 'acme')).toMatchObject({ mode: 'live', keys: { sandbox: testKey } });
  });

  it.each([
    ['removeKey', () => removeKey(store, 'beta', 'sandbox')],
    ['requireKey', () => requireKey(store, 'beta', 'sandbox')],
  ])('must exist for %s', (_name, act) => {
    expect(thrown(act)).toMatchObject({ code: 'no-key', hint: expect.stringContaining('bizmsg keys set') });
  });

  it('are never stored for the sandbox on this machine', () => {
    expect(thrown(() => setKey(store, 'local', { key: testKey }))).toMatchObject({
      code: 'reserved-profile',
      hint: expect.stringContaining('bizmsg sandbox plan set growth'),
    });
  });
});

describe('the rows', () => {
  it('show a profile with masked keys', () => {
    expect(profileRow(setProfile(store, 'acme', { webhookSecret: secret }), 'acme')).toEqual({
      name: 'acme',
      in_use: true,
      base_url: 'https://api.example.com/v1',
      plan: 'growth',
      rate: null,
      mode: 'sandbox',
      sandbox_key: 'sk_test_…0001',
      live_key: 'sk_live_…0002',
      webhook_secret: 'stored',
    });
  });
});
