import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import { modeOf, ownFile, ownFolder } from '../support/system.ts';
import { newWorld, type World } from '../support/world.ts';
import { access, service } from './access-rig.ts';
import { bareKey, liveKey, testKey } from './profile-store.ts';

const otherLiveKey = 'sk_live_9Tz4Xb2VmQ8pLd6K';

describe('login in a script', () => {
  const beta = 'bizmsg profiles set beta --default';

  it('adds a profile, which is in use if it is the first, in a 0600 file in a 0700 folder', async () => {
    const { login, folder, profiles } = access();
    expect(await login('acme --plan growth', `${testKey}\n`)).toMatchObject({ code: 0, stderr: '' });
    expect([modeOf(folder), modeOf(`${folder}/profiles.json`)]).toEqual([ownFolder, ownFile]);
    expect(readdirSync(folder)).toEqual(['profiles.json']);
    expect(await profiles()).toMatchObject([
      { name: 'acme', in_use: true, base_url: service, plan: 'growth', mode: 'sandbox', sandbox_key: 'sk_test_…0001' },
    ]);
  });

  it('creates the record of what was sent, if there is SQLite', async () => {
    const { home, login, run } = access();
    const words = `login --no-check --key-stdin --base-url ${service} --profile acme`;
    expect(await run(words, testKey, { sqlite: () => undefined })).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(home, '.local/state/bizmsg/ledger.db'))).toBe(false);
    await login('acme');
    expect(existsSync(join(home, '.local/state/bizmsg/ledger.db'))).toBe(true);
  });

  it.each([
    ['a second profile', 'beta --account beta', testKey, beta],
    ['a live key', 'acme', liveKey, 'bizmsg keys switch-mode live --profile acme'],
    ['its live key', 'beta --account beta', liveKey, `${beta}, then bizmsg keys switch-mode live --profile beta`],
  ])('does not use %s, and says how', async (_, words, key, how) => {
    const { run, login } = access();
    await login('acme');
    const { code, stderr } = await login(words, key);
    expect([code, stderr]).toEqual([0, `note: it is not used yet: ${how}\n`]);
    expect((await run('whoami')).stdout).toMatch(/^Profile  acme, [^]*sk_test_…0001/);
  });

  it('uses a live key with --yes', async () => {
    const { login, profiles } = access();
    await login('acme');
    expect(await login('beta --account beta --yes', liveKey)).toMatchObject({ code: 0, stderr: '' });
    expect(await profiles()).toMatchObject([{ in_use: false }, { name: 'beta', in_use: true, mode: 'live' }]);
  });

  it('renews the key of a profile, and keeps everything else', async () => {
    const { run, login, profiles } = access();
    await login('acme --plan growth');
    await run('profiles set acme --country US');
    const renewed = await run('login --no-check --key-stdin --profile acme', 'sk_test_renewedRenewed99');
    expect(renewed).toMatchObject({ code: 0 });
    expect(await profiles()).toMatchObject([{ sandbox_key: 'sk_test_…ed99', plan: 'growth', country: 'US' }]);
  });

  it.each([
    ['that was active', 'live', otherLiveKey, ['live-key-replaced']],
    ['that was not active', 'sandbox', otherLiveKey, ['not-in-use']],
  ])('notes what replaces a live key %s', async (_, mode, key, notes) => {
    const { run, login } = access();
    await login('acme', liveKey);
    await run(`keys switch-mode ${mode} --yes`);
    const { stderr } = await login('acme -o json', key);
    expect(noteCodes(stderr)).toEqual(notes);
    expect(stderr.includes('acme now uses sk_live_…Ld6K instead of sk_live_…0002')).toBe(
      notes[0] === 'live-key-replaced',
    );
  });

  it.each([
    ['for another address', '--base-url https://x.example.com', 3, 'the profile "acme" is for https://api.example.com'],
    ['for another path', '--base-url https://api.example.com/v2', 3, 'bizmsg profiles set acme --base-url changes it'],
    ['with a rate that the plan has', '--plan growth --rate 10/m', 2, '--rate is only for the plan enterprise'],
  ])('does not renew a key %s', async (_, words, code, why) => {
    const { run, login, stored } = access();
    await login('acme');
    const before = stored();
    const ran = await run(`login --no-check --key-stdin --profile acme ${words}`, testKey);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(why)]);
    expect(stored()).toBe(before);
  });

  it.each([
    ['', '--profile'],
    ['--profile acme', '--base-url'],
    ['--profile acme --base-url https://api.example.com', '--key-stdin'],
    ['--no-check --profile acme', '--base-url'],
  ])('does not prompt: login %s names %s', async (words, flag) => {
    const { run, stored } = access();
    const ran = await run(`login ${words}`.trim());
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`give it with ${flag}`) });
    expect(stored()).toBeUndefined();
  });
});

describe('an address that another profile has', () => {
  it.each([
    [service, 'https://api.example.com:443/v2'],
    [service, 'https://API.example.com.'],
    ['http://localhost:9', 'http://127.0.0.1:9'],
  ])('needs --account in a script: %s, %s', async (first, second) => {
    const { run, stored } = access();
    const login = (words: string) => run(`login --no-check --key-stdin -o json ${words}`, testKey);
    await login(`--profile acme --base-url ${first}`);
    const before = stored();
    const { code, stderr } = await login(`--profile beta --base-url ${second}`);
    expect([code, stored()]).toEqual([2, before]);
    expect(errorIn(stderr)).toMatchObject({
      message: 'the profile "acme" has this address: is it the same business, or another client?',
      hint: `add --account ${first} for the same business, or --account with another name`,
    });
  });
});

describe('what is typed', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    [' https://API.example.com/ \n', 'https://api.example.com'],
    ['https://api.example.com:443/v1//', 'https://api.example.com/v1'],
    ['http://[::1]:4780', 'http://[::1]:4780'],
  ])('is the base URL: %j', async (typed, read) => {
    const { run, profiles } = access();
    await run(['login', '--no-check', '--key-stdin', '--profile', 'acme', '--base-url', typed], testKey);
    expect(await profiles()).toMatchObject([{ base_url: read }]);
  });

  it.each([
    ['api.example.com', 'is not an http or https address'],
    ['https://api.exa mple.com', 'white space'],
    ['https://api.example.com\\@evil.example', 'backslash'],
    ['https://api.example.com/\u0000', 'control character'],
    ['https://api.example.com/\u202e', 'control character'],
    ['https://ada:hunter2@api.example.com', 'user name or password'],
    ['https://api.example.com?key=hunter2', 'a query or a fragment'],
    ['https://api.example.com/#', 'a query or a fragment'],
    ['https://api.example.com/v1/api/public/messages/send-template', "an endpoint's path"],
  ])('is refused as the base URL: %j', async (typed, why) => {
    const { run, stored } = access();
    const argv = ['login', '--no-check', '--key-stdin', '--profile', 'acme', '--base-url', typed];
    const { code, stderr } = await run(argv, testKey);
    expect([code, stderr, stored()]).toEqual([2, expect.stringContaining(why), undefined]);
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    ['', 'is empty'],
    [`Bearer ${liveKey}`, 'white space'],
    [`${liveKey}\r\nX-Other: 1`, 'white space'],
    [`${liveKey}…`, 'not ASCII'],
    ['sk_live_', 'is only a prefix'],
    [liveKey.padEnd(513, 'x'), 'longer than 512'],
    [bareKey, 'begins with neither sk_test_ nor sk_live_'],
    [liveKey, 'it is a live key, not a sandbox key', '--mode sandbox'],
  ])('is refused as a key, and not repeated: %j', async (typed, why, words = '') => {
    const { login, stored } = access();
    const { code, stderr } = await login(`acme ${words}`.trim(), typed);
    expect([code, stderr, stored()]).toEqual([2, expect.stringContaining(why), undefined]);
    expect(stderr).not.toContain('AbCdEf');
  });

  it.each([
    ['sandbox', bareKey, { sandbox_key: '…0003' }],
    ['live', bareKey, { live_key: '…0003' }],
    ['live', liveKey, { live_key: 'sk_live_…0002' }],
  ])('is a %s key with --mode: %s', async (mode, key, shown) => {
    const { login, profiles } = access();
    await login(`acme --mode ${mode}`, key);
    expect(await profiles()).toMatchObject([{ mode: 'sandbox', ...shown }]);
  });

  it.each(['acme', 'Acme 2', '$(touch pwned)', '__proto__', 'constructor', 'größe', 'x'.repeat(100)])(
    'is the name of a profile, until logout: %j',
    async (name) => {
      const { run, profiles } = access();
      await run(['login', '--no-check', '--key-stdin', '--base-url', service, '--profile', name], testKey);
      expect(await profiles()).toMatchObject([{ name }]);
      await run(['logout', name, '--yes']);
      expect(await profiles()).toEqual([]);
    },
  );

  it.each([
    ' ',
    'a\nb',
    'a\u001b[31m',
    'a\u202eb',
    'local',
    'Local',
    'x'.repeat(101),
    testKey,
    `my ${liveKey}`,
    'SK_LIVE_7Rw1Kc5NbY6uJe0S',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ])('is refused as the name of a profile or an account: %j', async (name) => {
    const { run, stored } = access();
    const named = (...words: readonly string[]) =>
      run(['login', '--no-check', '--key-stdin', '--base-url', service, ...words], testKey);
    const ran = [await named(`--profile=${name}`)];
    if (!/local/i.test(name)) ran.push(await named('--profile=acme', `--account=${name}`));
    for (const { code, stderr } of ran) {
      expect([code, stored()]).toEqual([2, undefined]);
      expect(stderr).not.toMatch(/7Rw1Kc5N|AbCdEfGh|MfKQ9r8G/);
    }
  });
});

describe('the check of the key', () => {
  let world: World;
  beforeEach(async () => void (world = await newWorld()));

  const login = (key: string, url = world.url, words = '') =>
    world.run(`login --profile acme --base-url ${url} --key-stdin${words}`.split(' '), { env: {}, stdin: `${key}\n` });
  const hasProfile = async () => (await world.run(['profiles', 'list', '-o', 'json'], { env: {} })).stdout !== '[]\n';

  it.each([
    ['refuses the key', () => login('sk_test_local-not-of-this-one'), 4],
    ['is unreachable', async () => login(testKey, `http://127.0.0.1:${await deadPort()}`, ' --retries 0'), 9],
    ['would get the key over plain http', () => login(testKey, 'http://api.example.com'), 11],
  ])('stores nothing if the service %s', async (_, act, code) => {
    const ran = await act();
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).not.toContain('not-of-this-one');
    expect(await hasProfile()).toBe(false);
  });

  it('stores a key whose scope does not allow it, with a note', async () => {
    const { code, stderr } = await login(world.sandbox.keys.create('send-only').text);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the key is valid, but')]);
    expect(await hasProfile()).toBe(true);
  });

  it('stores a live key only after the service has activated it', async () => {
    const before = await login(world.sandbox.keys.live);
    world.sandbox.keys.goLive();
    expect([before.code, (await login(world.sandbox.keys.live)).code]).toEqual([4, 0]);
  });
});
