import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/base/errors.ts';
import { resolve } from '../../../src/session/profiles/resolve.ts';
import type { Profile } from '../../../src/session/profiles/store.ts';
import { thrown } from '../../support/thrown.ts';
import { acme, inputs, bareKey, liveKey, localKey, noStore, store, testKey } from './people.ts';

const environment = { BIZMSG_API_KEY: testKey, BIZMSG_BASE_URL: 'https://env.example.com/' };
const exec = { BIZMSG_LOCAL_ONLY: '1', BIZMSG_API_KEY: localKey, BIZMSG_BASE_URL: 'http://127.0.0.1:5000' };

describe('the caller', () => {
  it.each([
    ['--profile', { flags: { profile: 'acme' }, env: { ...environment, BIZMSG_PROFILE: 'beta' } }, testKey],
    ['BIZMSG_API_KEY', { env: environment }, testKey],
    ['BIZMSG_API_KEY', { flags: { baseUrl: 'https://x.example' }, env: { BIZMSG_API_KEY: `${testKey}\n` } }, testKey],
    ['BIZMSG_PROFILE', { flags: { mode: 'live' }, env: { BIZMSG_PROFILE: 'beta' } }, liveKey],
    ['profile in use', {}, testKey],
    ['profile in use', { terminal: true }, testKey],
  ] as const)('is decided by %s: %o', (source, given, key) => {
    expect(resolve(inputs(given))).toMatchObject({ kind: 'service', source, key });
  });

  it('includes the fields of the profile, but not its webhook secret', () => {
    const rich = { ...acme, plan: 'enterprise', rate: 900, webhookSecret: 'whsec_x' } as const;
    const loadStore = () => ({ ...store, profiles: { acme: rich } });
    expect(resolve(inputs({ loadStore }))).toEqual({
      kind: 'service',
      baseUrl: 'https://api.example.com/v1',
      key: testKey,
      mode: 'sandbox',
      source: 'profile in use',
      profile: 'acme',
      plan: 'enterprise',
      rate: 900,
    });
  });

  it.each([
    [{ flags: { profile: 'local' } }],
    [{ env: environment }],
    [{ env: { BIZMSG_PROFILE: 'local' } }],
    [{ flags: { profile: 'local' }, env: exec }],
  ])('does not open the store for %o', (given) => {
    const loadStore = () => {
      throw new Error('opened');
    };
    expect(() => resolve(inputs({ ...given, loadStore }))).not.toThrow();
  });

  it.each([
    [{ flags: { profile: 'local' } }, '--profile', 'sandbox'],
    [{ flags: { profile: 'local', mode: 'live' } }, '--profile', 'live'],
    [{ flags: { profile: 'local' }, env: { ...environment, BIZMSG_MODE: 'live' } }, '--profile', 'live'],
    [{ env: { BIZMSG_PROFILE: 'local' } }, 'BIZMSG_PROFILE', 'sandbox'],
    [{ loadStore: () => ({ ...store, current: 'local' }) }, 'profile in use', 'sandbox'],
    [{ flags: { profile: 'local' }, env: exec }, '--profile', 'sandbox'],
    [{ flags: { profile: 'local', mode: 'live' }, env: { ...exec, BIZMSG_PROFILE: 'acme' } }, '--profile', 'live'],
  ] as const)('is the sandbox on this machine for %o', (given, source, mode) => {
    expect(resolve(inputs(given))).toEqual({ kind: 'local', mode, source, newcomer: false });
  });

  it.each([[{ env: exec }], [{ env: { ...exec, BIZMSG_PROFILE: 'local' } }]])(
    "is that command's own sandbox inside `sandbox exec`: %o",
    (given) => {
      expect(resolve(inputs(given))).toMatchObject({
        baseUrl: 'http://127.0.0.1:5000',
        key: localKey,
        mode: 'sandbox',
      });
    },
  );
});

describe('a machine without profiles', () => {
  const fresh = { terminal: true, loadStore: () => noStore };

  it('uses the local sandbox on a terminal', () => {
    expect(resolve(inputs(fresh))).toEqual({ kind: 'local', mode: 'sandbox', source: 'newcomer', newcomer: true });
  });

  it.each([
    ['off a terminal', { ...fresh, terminal: false }],
    ['when it once had one', { ...fresh, loadStore: () => ({ ...noStore, exists: true }) }],
    ['when a live key is demanded', { ...fresh, flags: { mode: 'live' } }],
    ['when an address is given', { ...fresh, flags: { baseUrl: 'https://x.example' } }],
    ['when none of its profiles is in use', { ...fresh, loadStore: () => ({ ...store, current: undefined }) }],
  ] as const)('gets an error that names --profile local, %s', (_when, given) => {
    expect(thrown(() => resolve(inputs(given)))).toMatchObject({
      exit: 'configuration',
      code: 'no-profile',
      hint: expect.stringContaining('--profile local'),
    });
  });
});

describe('the mode', () => {
  const switched: Profile = { ...acme, mode: 'live' };

  it.each([
    [{ flags: { mode: 'live' } }, 'live', liveKey],
    [{ env: { BIZMSG_MODE: 'live' } }, 'live', liveKey],
    [{ flags: { mode: 'sandbox' }, env: { BIZMSG_MODE: 'live' } }, 'sandbox', testKey],
    [{ loadStore: () => ({ ...store, profiles: { acme: switched } }) }, 'live', liveKey],
    [{ env: { ...environment, BIZMSG_API_KEY: bareKey } }, 'unknown', bareKey],
    [{ env: { ...environment, BIZMSG_API_KEY: bareKey }, flags: { mode: 'live' } }, 'live', bareKey],
    [{ env: { ...environment, BIZMSG_API_KEY: liveKey, BIZMSG_MODE: 'live' } }, 'live', liveKey],
  ] as const)('and the key follow %o', (given, mode, key) => {
    expect(resolve(inputs(given))).toMatchObject({ mode, key });
  });

  it.each([
    [testKey, 'live'],
    [liveKey, 'sandbox'],
    [bareKey, 'sandbox'],
    [localKey, 'live'],
  ] as const)('of the environment’s key %s cannot be %s', (key, mode) => {
    const error = thrown(() => resolve(inputs({ env: { ...environment, BIZMSG_API_KEY: key }, flags: { mode } })));
    expect(error).toMatchObject({ exit: 'unsafe', code: 'wrong-mode' });
    expect(String(error)).not.toContain(key);
  });
});

describe('another address', () => {
  it.each([
    ['https://api.example.com/v2/', 'https://api.example.com/v2'],
    ['https://api.example.com:443', 'https://api.example.com'],
  ])('of the same origin is accepted: %s', (typed, baseUrl) => {
    expect(resolve(inputs({ flags: { baseUrl: typed } }))).toMatchObject({ baseUrl, profile: 'acme' });
  });

  it.each(['https://other.example.com', 'http://api.example.com', 'https://api.example.com:8443'])(
    'never gets a stored key: %s',
    (baseUrl) => {
      const error = thrown(() => resolve(inputs({ flags: { baseUrl } })));
      expect(error).toMatchObject({ exit: 'unsafe', code: 'foreign-origin' });
    },
  );

  it("takes precedence over the environment's", () => {
    const given = { flags: { baseUrl: 'https://flag.example.com' }, env: environment };
    expect(resolve(inputs(given))).toMatchObject({ baseUrl: 'https://flag.example.com', key: testKey });
  });
});

describe('an unknown caller', () => {
  it.each([
    ['empty-variable', { env: { BIZMSG_API_KEY: '', BIZMSG_BASE_URL: 'https://x.example' } }],
    ['empty-variable', { env: { BIZMSG_PROFILE: '' } }],
    ['empty-variable', { env: { BIZMSG_BASE_URL: ' ' }, flags: { profile: 'acme' } }],
    ['empty-variable', { env: { BIZMSG_SOMETHING: '' } }],
    ['bad-variable', { env: { BIZMSG_MODE: 'test' } }],
    ['bad-variable', { env: { BIZMSG_MODE: 'Live' }, flags: { mode: 'live' } }],
    ['bad-variable', { env: { BIZMSG_LOCAL_ONLY: 'yes' } }],
    ['bad-variable', { env: { ...environment, BIZMSG_API_KEY: `Bearer ${testKey}` } }],
    ['bad-variable', { env: { ...environment, BIZMSG_BASE_URL: 'env.example.com' } }],
    ['key-without-address', { env: { BIZMSG_API_KEY: testKey } }],
    ['address-without-key', { env: { BIZMSG_BASE_URL: 'https://x.example' } }],
    ['two-callers', { env: { ...environment, BIZMSG_PROFILE: 'acme' } }],
    ['two-callers', { env: { ...environment, BIZMSG_PROFILE: 'local' } }],
    ['two-callers', { env: { ...exec, BIZMSG_PROFILE: 'acme' } }],
    ['unknown-profile', { flags: { profile: 'acm' } }],
    ['unknown-profile', { flags: { profile: '' } }],
    ['unknown-profile', { flags: { profile: '__proto__' } }],
    ['unknown-profile', { env: { BIZMSG_PROFILE: 'constructor' } }],
    ['unknown-profile', { loadStore: () => ({ ...store, current: 'gone' }) }],
    ['no-key', { flags: { profile: 'beta' } }],
  ] as const)('is a configuration error, %s: %o', (code, given) => {
    const error = thrown(() => resolve(inputs(given)));
    expect(error).toMatchObject({ exit: 'configuration', code });
    expect(error instanceof CliError ? [error.message, error.hint] : []).not.toContain(testKey);
  });

  it('names the commands that store and activate a missing key', () => {
    expect(thrown(() => resolve(inputs({ flags: { profile: 'beta' } })))).toMatchObject({
      message: 'the profile "beta" has no sandbox key',
      hint: 'store one with bizmsg keys set --profile beta; its live key becomes active with bizmsg keys switch-mode live --profile beta',
    });
  });

  it.each([
    [{ flags: { profile: 'local', baseUrl: 'https://x.example' } }],
    [{ flags: { baseUrl: 'x.example' } }],
    [{ flags: { profile: 'local', baseUrl: 'http://127.0.0.1:5000' }, env: exec }],
  ])('is a usage error: %o', (given) => {
    expect(thrown(() => resolve(inputs(given)))).toMatchObject({ exit: 'usage' });
  });
});
