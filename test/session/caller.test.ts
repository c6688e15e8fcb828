import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { bareKey, liveKey, storeText, testKey } from '../commands/profile-store.ts';
import { cli, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';

const keys = { sandbox: testKey, live: liveKey };
const acme = { baseUrl: 'https://api.example.com/v1', plan: 'growth', mode: 'sandbox', keys };
const beta = { baseUrl: 'https://beta.example.com', mode: 'sandbox', keys: { live: liveKey } };
const profiles = { acme, beta };
const environment = { BIZMSG_API_KEY: testKey, BIZMSG_BASE_URL: 'https://env.example.com/' };

interface Place {
  readonly env?: Readonly<Record<string, string>>;
  /** Null on a machine that never had a profile. */
  readonly store?: object | null;
  readonly isTerminal?: boolean;
}

/** `bizmsg whoami` on a machine with two profiles. */
async function whoami(
  words: string,
  { env = {}, store = { current: 'acme' }, isTerminal = false }: Place = {},
): Promise<Ran> {
  const home = newHome();
  if (store) storeText(home, JSON.stringify({ version: 1, profiles, ...store }));
  const keyboard = { stdin: new PassThrough(), stderr: new PassThrough() };
  const argv = ['whoami', '-o', 'json', ...words.split(' ').filter(Boolean)];
  return cli(argv, { home, env, ...(isTerminal && { terminal: 100, keyboard }) });
}

const shown = async (...line: Parameters<typeof whoami>): Promise<unknown> =>
  JSON.parse((await whoami(...line)).stdout);

describe('the caller', () => {
  it.each<[string, string, Place, object]>([
    ['--profile', '--profile acme', { env: { BIZMSG_PROFILE: 'beta' } }, { key: 'sk_test_…0001' }],
    ['--profile', '--profile acme', { env: environment }, { address: acme.baseUrl, plan: 'growth' }],
    ['BIZMSG_API_KEY', '', { env: environment }, { address: 'https://env.example.com', profile: null, plan: null }],
    ['BIZMSG_PROFILE', '--mode live', { env: { BIZMSG_PROFILE: 'beta' } }, { key: 'sk_live_…0002' }],
    ['profile in use', '', {}, { profile: 'acme', key: 'sk_test_…0001' }],
    ['profile in use', '', { isTerminal: true }, { profile: 'acme' }],
    ['profile in use', '', { store: { current: 'local' } }, { profile: 'local' }],
    ['newcomer', '', { store: null, isTerminal: true }, { profile: 'local', mode: 'sandbox', key: null }],
  ])('is decided by %s: whoami %s %o', async (source, words, place, report) => {
    expect(await shown(words, place)).toMatchObject({ source, ...report });
  });

  it.each<[string, Place, string, string]>([
    ['', {}, 'profile', 'profile'],
    ['--base-url https://api.example.com/v2', {}, '--base-url', 'profile'],
    ['', { env: environment }, 'BIZMSG_BASE_URL', 'BIZMSG_API_KEY'],
    ['--base-url https://x.example', { env: environment }, '--base-url', 'BIZMSG_API_KEY'],
    ['--base-url https://x.example', { env: { BIZMSG_API_KEY: testKey } }, '--base-url', 'BIZMSG_API_KEY'],
    ['--profile local', {}, 'local sandbox', 'local sandbox'],
  ])('has its address and key from: whoami %s %o', async (words, place, address, key) => {
    expect(await shown(words, place)).toMatchObject({ address_source: address, key_source: key });
  });

  it.each<[string, Place, string, string]>([
    ['', { store: { current: 'acme', profiles: { acme: { ...acme, mode: 'live' } } } }, 'live', '0002'],
    ['--mode live', {}, 'live', '0002'],
    ['', { env: { BIZMSG_MODE: 'live' } }, 'live', '0002'],
    ['--mode sandbox', { env: { BIZMSG_MODE: 'live' } }, 'sandbox', '0001'],
    ['', { env: { ...environment, BIZMSG_API_KEY: bareKey } }, 'unknown', '0003'],
    ['--mode live', { env: { ...environment, BIZMSG_API_KEY: bareKey } }, 'live', '0003'],
    ['', { env: { ...environment, BIZMSG_API_KEY: liveKey, BIZMSG_MODE: 'live' } }, 'live', '0002'],
  ])('has a mode and its key: whoami %s %o', async (words, place, mode, last) => {
    expect(await shown(words, place)).toMatchObject({ mode, key: expect.stringMatching(`…${last}$`) });
  });
});

describe('no caller', () => {
  it.each<[number, string, string, Place]>([
    [3, 'empty-variable', '', { env: { BIZMSG_API_KEY: '', BIZMSG_BASE_URL: 'https://x.example' } }],
    [3, 'empty-variable', '--profile acme', { env: { BIZMSG_BASE_URL: ' ' } }],
    [3, 'empty-variable', '', { env: { BIZMSG_SOMETHING: '' } }],
    [3, 'bad-variable', '--mode live', { env: { BIZMSG_MODE: 'Live' } }],
    [3, 'bad-variable', '', { env: { BIZMSG_LOCAL_ONLY: 'yes' } }],
    [3, 'bad-variable', '', { env: { BIZMSG_ACCOUNT: 'a\tb' } }],
    [3, 'bad-variable', '', { env: { ...environment, BIZMSG_API_KEY: `Bearer ${liveKey}` } }],
    [3, 'bad-variable', '', { env: { ...environment, BIZMSG_BASE_URL: 'env.example.com' } }],
    [3, 'key-without-address', '', { env: { BIZMSG_API_KEY: testKey } }],
    [3, 'address-without-key', '', { env: { BIZMSG_BASE_URL: 'https://x.example' } }],
    [3, 'two-callers', '', { env: { ...environment, BIZMSG_PROFILE: 'acme' } }],
    [3, 'two-callers', '', { env: { ...environment, BIZMSG_PROFILE: 'local' } }],
    [3, 'unknown-profile', '--profile __proto__', {}],
    [3, 'unknown-profile', '', { env: { BIZMSG_PROFILE: 'constructor' } }],
    [3, 'unknown-profile', '', { store: { current: 'gone' } }],
    [3, 'no-key', '--profile beta', {}],
    [3, 'no-profile', '', { store: { current: undefined } }],
    [3, 'no-profile', '', { store: null }],
    [2, 'usage', '--profile local --base-url https://x.example', {}],
    [2, 'usage', '--base-url x.example', {}],
    [11, 'wrong-mode', '--mode live', { env: environment }],
    [11, 'wrong-mode', '--mode sandbox', { env: { ...environment, BIZMSG_API_KEY: liveKey } }],
    [11, 'wrong-mode', '--mode sandbox', { env: { ...environment, BIZMSG_API_KEY: bareKey } }],
    [11, 'foreign-origin', '--base-url https://other.example.com', {}],
    [11, 'foreign-origin', '--base-url http://api.example.com', {}],
    [11, 'foreign-origin', '--base-url https://api.example.com:8443', {}],
  ])('ends with %i, %s: whoami %s %o', async (code, name, words, place) => {
    const ran = await whoami(words, place);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(errorIn(ran.stderr)).toMatchObject({ code: name });
    expect(ran.stderr).not.toMatch(/AbCdEfGh/);
  });

  it.each<[string, Place]>([
    ['', { store: { current: undefined } }],
    ['--mode live', { store: null }],
    ['--base-url https://x.example', { store: null }],
  ])('is a newcomer on a terminal: whoami %s %o', async (words, place) => {
    const ran = await whoami(words, { ...place, isTerminal: true });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('or use --profile local, the sandbox') });
  });

  it.each([
    ['--profile acmee', 'did you mean acme?'],
    ['--profile ACME', 'did you mean acme?'],
    ['--profile Local', 'did you mean local?'],
    ['--profile staging', 'the profiles are acme, beta; --profile local is the sandbox on this machine'],
    ['--profile beta', 'bizmsg login --profile beta stores one; bizmsg keys switch-mode live --profile beta makes'],
  ])('prints what to type: whoami %s', async (words, hint) => {
    expect(errorIn((await whoami(words)).stderr)['hint']).toContain(hint);
  });
});

it.each(['sk_live_7Rw1Kc5NbY6uJe0SqMvA', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])(
  'a key in the place of a profile is not printed: %s',
  async (key) => {
    const damaged = { profiles: { [key]: { ...acme, mode: 'none' } } };
    const places = [{ env: { BIZMSG_PROFILE: key } }, { store: { current: key } }, { store: damaged }];
    const ran = await Promise.all(places.map((place) => whoami('', place)));
    for (const { code, stdout, stderr } of [await whoami(`--profile ${key}`), ...ran]) {
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).not.toMatch(/7Rw1Kc5N|MfKQ9r8G/);
    }
  },
);

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['BIZMSG_STATE_DIR', { BIZMSG_STATE_DIR: 'st' }, 'home'],
  ['XDG_STATE_HOME', { XDG_STATE_HOME: 'st' }, 'home'],
  ['BIZMSG_CONFIG_DIR', { BIZMSG_CONFIG_DIR: './c' }, 'home'],
  ['HOME', {}, 'relative'],
])('the folders must be absolute paths: %s', async (name, env, place) => {
  const home = place === 'home' ? newHome() : place;
  const words = name === 'BIZMSG_CONFIG_DIR' ? ['profiles', 'list'] : ['sandbox', 'status'];
  const { code, stderr } = await cli([...words, '-o', 'json'], { home, env });
  const error = { code: 'bad-variable', message: `${name} is not an absolute path` };
  expect([code, errorIn(stderr)]).toMatchObject([3, error]);
});
