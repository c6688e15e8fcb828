import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { access, service } from '../commands/access-rig.ts';
import { liveKey, storeText, testKey } from '../commands/profile-store.ts';
import { bin } from '../support/bin.ts';
import { modeOf, ownFile, ownFolder, posixOnly } from '../support/system.ts';

describe('the store', () => {
  it('gets its modes back when it is written', async () => {
    posixOnly('a file has no mode');
    const { login, folder } = access();
    await login('acme');
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'profiles.json'), 0o644);
    await login('acme');
    expect([modeOf(folder), modeOf(join(folder, 'profiles.json'))]).toEqual([ownFolder, ownFile]);
  });

  it('is written through a link to the file that it names', async () => {
    posixOnly('a symbolic link needs a privilege');
    const { login, home, folder } = access();
    const kept = join(home, 'kept.json');
    mkdirSync(folder, { recursive: true });
    writeFileSync(kept, '{"version":1,"profiles":{}}');
    symlinkSync(kept, join(folder, 'profiles.json'));
    await login('acme');
    expect(readFileSync(kept, 'utf8')).toContain('acme');
  });
});

describe('a damaged store', () => {
  const acme = { baseUrl: service, mode: 'sandbox', keys: { sandbox: testKey } };
  const profile = (changes: object) => JSON.stringify({ version: 1, profiles: { acme: { ...acme, ...changes } } });

  it.each([
    ['', 'is not JSON'],
    [`{"version":1,"profiles":{"acme":{"keys":{"live":"${liveKey}`, 'is not JSON'],
    ['null', 'must be an object'],
    ['[]', 'must be an object'],
    ['{}', '/profiles is missing'],
    ['{"version":2,"profiles":{}}', '/version must be 1'],
    ['{"version":1,"current":7,"profiles":{}}', '/current must be a string'],
    [profile({ baseUrl: 'api.example.com' }), '/profiles/acme/baseUrl is not valid'],
    [profile({ baseUrl: undefined }), '/profiles/acme/baseUrl is missing'],
    [profile({ plan: 'toString' }), '/profiles/acme/plan must be one of'],
    [profile({ mode: 'test' }), '/profiles/acme/mode must be'],
    [profile({ keys: undefined }), '/profiles/acme/keys is missing'],
    [profile({ keys: { sandbox: liveKey } }), '/profiles/acme/keys/sandbox is not valid'],
    [profile({ keys: { live: `${liveKey}\n!` } }), '/profiles/acme/keys/live is not valid'],
    [profile({ account: 'a\nb' }), '/profiles/acme/account is not valid'],
  ])('is reported and kept: %s', async (text, why) => {
    const { home, folder, run, stored, login } = access();
    const path = storeText(home, text);
    for (const ran of [await run('profiles list'), await run('whoami'), await login('beta')]) {
      expect([ran.code, ran.stdout, stored()]).toEqual([3, '', text]);
      expect(ran.stderr).toContain(`error: ${path} `);
      expect(ran.stderr).toContain(why);
      expect(ran.stderr).not.toContain(liveKey.slice(-8));
    }
    expect(readdirSync(folder)).toEqual(['profiles.json']);
  });

  it('does not stop a command whose key is in the environment', async () => {
    const { home, run } = access();
    storeText(home, '{');
    const env = { BIZMSG_API_KEY: testKey, BIZMSG_BASE_URL: service };
    expect((await run('contacts list --dry-run', '', { env })).code).toBe(0);
  });
});

describe('a store that cannot be reached', () => {
  it('is reported if it is a folder', async () => {
    const { folder, run } = access();
    mkdirSync(join(folder, 'profiles.json'), { recursive: true });
    expect((await run('profiles list')).stderr).toContain('profiles.json: it is a folder, not a file');
  });

  it.each([
    ['its folder is a file', (home: string) => join(home, 'a-file')],
    ['its file system is read-only', () => '/proc/bizmsg'],
  ])('is reported if %s', async (_, folderIn) => {
    posixOnly('it has no /proc');
    const { home, run } = access();
    writeFileSync(join(home, 'a-file'), '');
    const login = `login --no-check --key-stdin --profile acme --base-url ${service}`;
    const ran = await run(login, testKey, { env: { BIZMSG_CONFIG_DIR: folderIn(home) } });
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringMatching(/cannot (read|write) .*profiles\.json: /)]);
  });
});

describe('concurrent writers', () => {
  const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
  const login = (name: string) =>
    `login --no-check --key-stdin --base-url https://${name}.example.com --profile ${name}`;
  const named = (rows: unknown) => (Array.isArray(rows) ? rows.map(({ name }) => String(name)) : []);

  it('in ten processes lose nothing', async () => {
    const { home, folder, profiles } = access();
    const ran = await Promise.all(names.map((name) => bin(login(name).split(' '), { home, env: {}, input: testKey })));
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(named(await profiles())).toEqual(names);
    expect(readdirSync(folder)).toEqual(['profiles.json']);
  });

  it('wait for the lock of a killed process', async () => {
    const { folder, run, profiles } = access();
    const lock = join(folder, 'profiles.lock');
    mkdirSync(lock, { recursive: true });
    const eightSecondsAgo = Date.now() / 1000 - 8;
    utimesSync(lock, eightSecondsAgo, eightSecondsAgo);
    await run(login('p0'), testKey);
    expect(named(await profiles())).toEqual(['p0']);
    rmSync(lock, { recursive: true, force: true });
  });
});
