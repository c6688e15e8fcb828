import { beforeEach, describe, expect, it } from 'vitest';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import { type Access, access, service } from './access-rig.ts';
import { liveKey, testKey } from './profile-store.ts';

const elsewhere = 'https://other.example.com';
const keys = { sandbox_key: 'sk_test_…0001', live_key: 'sk_live_…0002' };

let machine: Access;
/** A profile with both keys. */
beforeEach(async () => {
  machine = access();
  await machine.login('acme');
  await machine.login('acme', liveKey);
});

describe('profiles set', () => {
  it.each([
    ['--plan enterprise --rate 2000/m', { plan: 'enterprise', rate: 2000 }],
    ['--account shop', { account: 'shop' }],
    ['--country DE --encoding windows-1252', { country: 'DE', encoding: 'windows-1252' }],
    ['--opt-out-words ABMELDEN,AUSTRAGEN', { opt_out_words: 'ABMELDEN,AUSTRAGEN' }],
    ['--agents live', { agents: 'live' }],
    ['--base-url https://api.example.com/v2', { base_url: `${service}/v2`, ...keys }],
  ])('%s changes a setting and keeps the keys, without a question', async (words, row) => {
    expect((await machine.run(`profiles set acme ${words}`)).code).toBe(0);
    expect(await machine.profiles()).toMatchObject([{ ...keys, ...row }]);
  });

  it.each(['account shop', 'country DE', 'agents live'])('--%s is removed by none', async (words) => {
    const [name = ''] = words.split(' ');
    await machine.run(`profiles set acme --${words}`);
    await machine.run(`profiles set acme --${name} none`);
    expect(await machine.profiles()).toMatchObject([{ [name]: null }]);
  });

  it('removes the rate when the plan has its own', async () => {
    await machine.run('profiles set acme --plan enterprise --rate 900/m');
    await machine.run('profiles set acme --plan scale');
    expect(await machine.profiles()).toMatchObject([{ plan: 'scale', rate: null }]);
  });

  it('stores a webhook secret, and does not print it', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { code, stdout } = await machine.run('profiles set acme --webhook-secret-stdin', secret);
    expect([code, stdout]).toEqual([0, expect.stringContaining('webhook secret: stored')]);
    expect(stdout).not.toContain(secret);
  });

  it('--default makes a profile, or the sandbox on this machine, the one in use', async () => {
    await machine.login('beta --account beta');
    const inUse = async () => JSON.parse((await machine.run('whoami -o json')).stdout).profile;
    for (const name of ['beta', 'local', 'acme']) {
      expect((await machine.run(`profiles set ${name} --default`)).code).toBe(0);
      expect(await inUse()).toBe(name);
    }
  });

  it.each([
    [2, 'specify what to change', 'acme', ''],
    [2, 'is not an http or https address', 'acme --base-url nonsense', ''],
    [2, '--rate is only for the plan enterprise', 'acme --rate 10/m', ''],
    [3, 'the webhook secret is empty', 'acme --webhook-secret-stdin', ' \n'],
    [3, 'must decode from base64 to at least 16 bytes', 'acme --webhook-secret-stdin', 'AAAAAAAAAAAAAAAAAAAA'],
    [3, 'there is no profile "none"', 'none --default', ''],
    [3, 'is the sandbox on this machine', 'local --country DE', ''],
    [11, 'plain http', 'acme --base-url http://api.example.com --yes', ''],
  ])('is refused with %i, %s: %s', async (code, why, words, stdin) => {
    const before = machine.stored();
    const stderr: unknown = expect.stringContaining(why);
    expect(await machine.run(`profiles set ${words}`, stdin)).toMatchObject({ code, stderr });
    expect(machine.stored()).toBe(before);
  });

  it('moves the profile to another origin without its keys', async () => {
    await machine.run('keys switch-mode live --yes');
    const { code, stderr } = await machine.run(`profiles set acme --base-url ${elsewhere} --yes -o json`);
    expect([code, noteCodes(stderr)]).toEqual([0, ['keys-left']]);
    const moved = { base_url: elsewhere, mode: 'sandbox', sandbox_key: null, live_key: null };
    expect(await machine.profiles()).toMatchObject([moved]);
    expect((await machine.run('contacts list')).code).toBe(3);
  });
});

describe('logout', () => {
  it.each([
    ['logout acme --live --yes', 'Removed the live key of acme\n', { ...keys, live_key: null }],
    ['logout --sandbox --yes', 'Removed the sandbox key of acme\n', { ...keys, sandbox_key: null }],
  ])('%s removes a key, which the service still accepts', async (line, text, row) => {
    const { code, stdout, stderr } = await machine.run(line);
    expect([code, stdout]).toEqual([0, text]);
    expect(stderr).toBe('note: the service still accepts what was removed; revoke it in the dashboard\n');
    expect(await machine.profiles()).toMatchObject([row]);
  });

  it('removes a profile with its keys', async () => {
    expect(await machine.run('logout acme --yes')).toMatchObject({ code: 0, stdout: 'Removed acme\n' });
    expect(await machine.profiles()).toEqual([]);
  });

  it.each([
    [2, '--live and --sandbox are given', '--live --sandbox'],
    [2, 'the profile is given twice', 'acme --profile acme'],
    [3, 'there is no profile "none"', 'none'],
    [3, 'is the sandbox on this machine', 'local'],
  ])('is refused with %i, %s: %s', async (code, why, words) => {
    expect(await machine.run(`logout ${words}`)).toMatchObject({ code, stderr: expect.stringContaining(why) });
  });
});

describe('keys switch-mode', () => {
  it('changes the key that is used, in both directions', async () => {
    const used = async () => JSON.parse((await machine.run('whoami -o json')).stdout).key;
    const live = await machine.run('keys switch-mode live --yes');
    expect(live).toMatchObject({ code: 0, stdout: 'Switched acme to live: sk_live_…0002\n' });
    expect(live.stderr).toBe('note: this affects all shells and scripts that use the profile acme\n');
    expect(await used()).toBe(keys.live_key);
    await machine.run('keys switch-mode sandbox');
    expect(await used()).toBe(keys.sandbox_key);
  });

  it('to sandbox needs no key: then nothing is active, and commands say which key is missing', async () => {
    await machine.run('keys switch-mode live --yes');
    await machine.run('logout --sandbox --yes');
    const { code, stdout } = await machine.run('keys switch-mode sandbox');
    expect([code, stdout]).toEqual([0, expect.stringContaining('it has no key of this mode, so nothing is active')]);
    const called = await machine.run('contacts list');
    expect([called.code, called.stderr]).toEqual([3, expect.stringContaining('has no sandbox key')]);
  });

  it('to live needs the key', async () => {
    await machine.run('logout --live --yes');
    const stderr = 'error: the profile "acme" has no live key\n  bizmsg login --profile acme stores one\n';
    expect(await machine.run('keys switch-mode live --yes')).toMatchObject({ code: 3, stderr });
  });

  it('says that a key in the environment comes first', async () => {
    const env = { BIZMSG_API_KEY: testKey, BIZMSG_BASE_URL: service };
    const { stderr } = await machine.run('keys switch-mode sandbox --profile acme', '', { env });
    expect(stderr).toContain('BIZMSG_API_KEY is set, and comes before the profile in use');
  });
});

it.each([
  ['logout --live', /Remove the live key sk_live_…0002 of acme\?/],
  ['logout acme', /Remove the profile acme and its keys sk_test_…0001, sk_live_…0002\?/],
  [`profiles set acme --base-url ${elsewhere}`, /Move acme to .*other.* its keys sk_test_…0001, sk_live_…0002, .*api/],
  ['keys switch-mode live', /Real messages will be sent\. Use the live key of acme\?/],
])('what loses something needs --yes in a script: %s', async (line, question) => {
  const before = machine.stored();
  const { code, stdout, stderr } = await machine.run(`${line} -o json`);
  expect([code, stdout, machine.stored()]).toEqual([11, '', before]);
  const [message, hint] = [expect.stringMatching(question), expect.stringContaining('--yes')];
  expect(errorIn(stderr)).toMatchObject({ code: 'not-confirmed', message, hint });
});
