import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import type { Ran } from '../support/cli.ts';
import { modeOf, ownFile, ownFolder } from '../support/system.ts';
import { openWorld, type World } from '../support/world.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { some } from '../support/long-tests.ts';

const service = 'https://api.example.com';
const sandboxKey = 'sk_test_4f9Qm2ZpL8xVt3Hd';
const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0S';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const folder = () => join(world.home, '.config/bizmsg');
const storePath = () => join(folder(), 'profiles.json');
const stored = () => readFileSync(storePath(), 'utf8');
const hasStore = () => {
  try {
    return stored() !== '';
  } catch {
    return false;
  }
};

/** Runs a command without credentials in its environment. */
const run = (line: string, input?: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  world.run(line.split(' '), { env, stdin: input ?? '' });

const add = (name: string, key = sandboxKey, url = service) =>
  run(`login --no-check --profile ${name} --base-url ${url} --key-stdin`, `${key}\n`);

/** The profile in use. */
const shownProfile = async (): Promise<unknown> => JSON.parse((await run('profiles show -o json')).stdout);

/** Replaces the default world with one of another kind. */
async function reopen(options: SandboxOptions): Promise<void> {
  await world.close();
  world = await openWorld(options);
}

describe('profiles', () => {
  it('adds a profile with its key from stdin, in a 0600 file in a 0700 folder', async () => {
    const { code, stdout, stderr } = await add('acme');
    const modes = [folder(), storePath()].map((path) => modeOf(path));
    expect([code, stderr, modes]).toEqual([0, '', [ownFolder, ownFile]]);
    expect(stdout).toContain('Logged in as acme');
    expect(readdirSync(folder())).toEqual(['profiles.json']);
  });

  it('uses the first profile until another is selected', async () => {
    await add('acme');
    await add('beta');
    const inUse = async () => (await run('whoami -o json')).stdout;
    const first = JSON.parse(await inUse());
    const chosen = await run('profiles use beta');
    expect([first, chosen.stdout, JSON.parse(await inUse())]).toEqual([
      expect.objectContaining({ profile: 'acme', source: 'profile in use' }),
      'Using beta\n',
      expect.objectContaining({ profile: 'beta' }),
    ]);
  });

  it('lists profiles as rows, with the prefix and last four characters of keys', async () => {
    await add('acme');
    const { stdout } = await run('profiles list --no-header --columns name,in_use,sandbox_key');
    expect(stdout).toBe('acme\ttrue\tsk_test_…t3Hd\n');
  });

  it('shows and changes a profile', async () => {
    await add('acme');
    const changed = await run('profiles set acme --plan enterprise --rate 2000/m');
    const shown = await run('profiles show acme -o json');
    expect(changed.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({ base_url: service, plan: 'enterprise', rate: 2000 });
  });

  it('removes a profile, and warns that its keys are still valid at the service', async () => {
    await add('acme');
    const { code, stdout, stderr } = await run('profiles remove acme --yes');
    expect([code, stdout]).toEqual([0, 'Removed acme\n']);
    expect(stderr).toContain('still valid at the service; revoke them in the dashboard');
    expect((await run('profiles list -o json')).stdout).toBe('[]\n');
  });

  it('warns before it removes a profile with a live key that messages could be sent again', async () => {
    await add('acme');
    await run('keys set --profile acme --key-stdin', liveKey);
    const { code, stderr } = await run('profiles remove acme');
    expect(code).toBe(11);
    expect(stderr).toMatch(/^note: if you add acme again with another key, it is another account, .*\nerror: /);
  });

  it('removes a profile without keys, and does not mention keys', async () => {
    await add('acme');
    await run('keys remove sandbox --yes');
    const { code, stdout, stderr } = await run('profiles remove acme --yes');
    expect([code, stdout, stderr]).toEqual([0, 'Removed acme\n', '']);
  });

  it('does not say that a profile was changed if no change was given', async () => {
    await add('acme');
    const { code, stdout, stderr } = await run('profiles set acme');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('specify what to change');
  });

  it('names the command that chooses another profile after the one in use was removed', async () => {
    await add('acme');
    await add('beta');
    await run('profiles remove acme --yes');
    expect((await run('contacts list')).stderr).toContain('bizmsg profiles use beta makes it the one in use');
  });

  it('refuses a second profile of the same name, and leaves the first unchanged', async () => {
    await add('acme');
    const before = stored();
    const { code, stdout, stderr } = await add('acme', liveKey);
    expect([code, stdout, stored()]).toEqual([3, '', before]);
    expect(stderr).toContain('there is a profile "acme" already');
  });

  it('keeps the path prefix of the base URL in its requests', async () => {
    await add('acme', sandboxKey, `${service}/eu/v2/`);
    const { stdout } = await run('templates list --profile acme --dry-run');
    expect(JSON.parse(stdout)).toMatchObject({ url: `${service}/eu/v2/api/public/templates` });
  });

  it('never sends a stored key to another origin', async () => {
    await add('acme');
    const { code, stdout, stderr } = await run(`contacts list --profile acme --base-url ${world.url}`);
    expect([code, stdout]).toEqual([11, '']);
    expect(stderr).toContain(`are only sent to ${service},`);
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toEqual([]);
  });

  it.each(
    some([sandboxKey, liveKey, `my ${liveKey}`, 'SK_LIVE_7Rw1Kc5NbY6uJe0S', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']),
  )('refuses a name that looks like a key: %s', async (name) => {
    const { code, stdout, stderr } = await world.bin(
      ['login', '--no-check', `--profile=${name}`, '--key-stdin', '--base-url', service],
      {},
      sandboxKey,
    );
    expect([code, stdout, hasStore()]).toEqual([2, '', false]);
    expect(stderr).toContain('looks like a key');
    expect(stderr).not.toMatch(/7Rw1Kc5N|4f9Qm2Zp|MfKQ9r8G/);
  });

  it.each(['Zt5hWq8LpXc2Vn9BdK4m', 'x'])('refuses its own key as a name: %s', async (key) => {
    const argv = ['login', '--no-check', '--profile', key, '--base-url', service, '--mode', 'live', '--key-stdin'];
    const { code, stdout, stderr } = await world.bin(argv, {}, key);
    expect([code, stdout, hasStore()]).toEqual([2, '', false]);
    expect(stderr).not.toContain('Zt5hWq8LpXc2Vn9BdK4m');
  });

  it('login refuses a name that looks like a key before it prompts for a key', async () => {
    const argv = ['login', '--profile', liveKey, '--base-url', service, '--key-stdin'];
    const { code, stderr } = await world.bin(argv, {}, sandboxKey);
    expect([code, stderr.includes('7Rw1Kc5N'), hasStore()]).toEqual([2, false, false]);
  });

  it.each([
    ['acme; touch pwned', "'acme; touch pwned'"],
    ["o'clock $(id)", String.raw`'o'\''clock $(id)'`],
  ])('quotes the name %s for the shell in its hints', async (name, quoted) => {
    await world.bin(['login', '--no-check', '--profile', name, '--base-url', service, '--key-stdin'], {}, sandboxKey);
    const { stdout } = await world.bin(['keys', 'set', '--profile', name, '--key-stdin'], {}, liveKey);
    expect(stdout).toContain(`bizmsg keys switch-mode live --profile ${quoted}`);
  });
});

describe('keys', () => {
  /** A profile for the world's sandbox with a sandbox key and a live key. */
  async function addBoth(): Promise<void> {
    await add('acme', world.sandbox.keys.sandbox, world.url);
    await run('keys set --profile acme --key-stdin', world.sandbox.keys.live);
  }
  const calls = () => ({
    sandbox: world.sandbox.audit(world.sandbox.keys.sandbox).length,
    live: world.sandbox.audit(world.sandbox.keys.live).length,
  });

  it('stores a live key without activating it', async () => {
    await add('acme');
    const { code, stdout, stderr } = await run('keys set --profile acme --key-stdin', liveKey);
    expect(stderr).toContain('not checked at the service; bizmsg doctor --profile acme --mode live does');
    expect(code).toBe(0);
    expect(await shownProfile()).toMatchObject({ sandbox_key: 'sk_test_…t3Hd', live_key: 'sk_live_…Je0S' });
    expect(stdout).toContain('To activate it: bizmsg keys switch-mode live --profile acme');
    expect(JSON.parse((await run('whoami -o json')).stdout)).toMatchObject({ mode: 'sandbox', key: 'sk_test_…t3Hd' });
  });

  it('does not switch to live without a terminal or --yes, and changes nothing', async () => {
    await addBoth();
    const before = stored();
    const { code, stdout, stderr } = await run('keys switch-mode live');
    expect([code, stdout, stored()]).toEqual([11, '', before]);
    expect(stderr).toContain('add --yes to confirm');
  });

  it('uses the live key after switch-mode live --yes, and the sandbox key after switch-mode sandbox', async () => {
    await addBoth();
    world.sandbox.keys.goLive();
    const switched = await run('keys switch-mode live --yes');
    const live = await run('contacts list');
    expect([switched.code, live.code, calls()]).toEqual([0, 0, { sandbox: 0, live: 1 }]);
    expect(switched.stderr).toMatch(/affects all shells and scripts [^]*BIZMSG_API_KEY\) takes precedence/);
    expect(live.stderr).toContain(`LIVE acme · ${new URL(world.url).host} · sk_live_…`);
    await run('keys switch-mode sandbox');
    await run('contacts list');
    expect(calls()).toEqual({ sandbox: 1, live: 1 });
  });

  it('never sends a real live key to a sandbox on this machine', async () => {
    await add('acme', liveKey, world.url);
    await run('keys switch-mode live --yes');
    const { code, stdout, stderr } = await run('contacts list');
    expect([code, stdout]).toEqual([11, '']);
    expect(stderr).toContain('refusing to send a live key to');
  });

  it('switches to sandbox without a sandbox key: then nothing is active, and commands name the missing key', async () => {
    await add('acme', liveKey);
    await run('keys switch-mode live --yes');
    const { code, stdout } = await run('keys switch-mode sandbox');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Switched acme to sandbox: it has no key of this mode'),
    ]);
    const called = await run('contacts list');
    expect([called.code, called.stderr]).toEqual([3, expect.stringContaining('has no sandbox key')]);
  });

  it('removes a key, and warns that it is still valid at the service', async () => {
    await addBoth();
    const { code, stdout, stderr } = await run('keys remove live --yes');
    expect([code, stdout]).toEqual([0, 'Removed the live key of acme\n']);
    expect(stderr).toContain('still valid at the service; revoke it in the dashboard');
    expect(await shownProfile()).toMatchObject({ sandbox_key: expect.any(String), live_key: null });
  });
});

it('whoami prints the columns of its JSON as TSV', async () => {
  await add('acme');
  const { stdout } = await run('whoami -o json');
  const [header] = (await run('whoami -o tsv')).stdout.split('\n');
  expect(header).toBe(Object.keys(JSON.parse(stdout)).join('\t'));
});

it('whoami says what to do if there is no key', async () => {
  const { code, stdout, stderr } = await run('whoami');
  expect([code, stdout, stderr]).toEqual([
    3,
    '',
    'error: no profile is in use\n  add one with bizmsg login, or use --profile local, the sandbox on this machine\n',
  ]);
});

it.each([
  ['', {}, 'acme, the one in use', 'from the profile', 'from the profile'],
  ['--profile acme', {}, 'acme, from --profile', 'from the profile', 'from the profile'],
  ['', { BIZMSG_PROFILE: 'acme' }, 'acme, from BIZMSG_PROFILE', 'from the profile', 'from the profile'],
  ['--base-url https://api.example.com/v2', {}, 'acme, the one in use', 'from --base-url', 'from the profile'],
  [
    '',
    { BIZMSG_API_KEY: 'sk_test_0123456789abcdef', BIZMSG_BASE_URL: 'https://other.example' },
    'none, since BIZMSG_API_KEY is set',
    'from BIZMSG_BASE_URL',
    'from BIZMSG_API_KEY',
  ],
])('whoami %s with %o says where each part comes from', async (words, env, profile, address, key) => {
  await add('acme');
  const { code, stdout } = await run(`whoami ${words}`.trim(), '', env);
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      `Profile  ${profile}`,
      'Mode     sandbox',
      expect.stringMatching(new RegExp(`^Address  https://\\S+, ${address}$`)),
      expect.stringMatching(new RegExp(`^Key      sk_test_…\\w{4}, ${key}$`)),
      '',
    ],
  ]);
});

describe('a damaged store', () => {
  const damages = ['', '{"version":1,"profiles":{"acme":', '[]', '{"version":2,"profiles":{}}', '\u0000\u0000'];
  const commands = [
    'contacts list',
    'profiles list',
    'whoami',
    'login --no-check --profile beta --base-url https://api.example.com --key-stdin',
    'profiles use local',
    'keys switch-mode sandbox',
    'login --profile beta --base-url https://api.example.com --key-stdin',
  ];

  it.each(commands)('stops %s with exit 3 and an error that names the file, and is not changed', async (line) => {
    await add('acme');
    for (const damage of damages) {
      writeFileSync(storePath(), damage);
      const { code, stdout, stderr } = await run(line, sandboxKey);
      expect([damage, code, stdout, stored()]).toEqual([damage, 3, '', damage]);
      expect(stderr).toContain(storePath());
    }
  });

  it('does not affect a command that gets its key from the environment', async () => {
    await add('acme');
    writeFileSync(storePath(), '{');
    expect((await run('contacts list', '', world.env)).code).toBe(0);
  });
});

describe('login without a terminal', () => {
  const login = (key: string, url = world.url) =>
    run(`login --profile acme --base-url ${url} --plan growth --key-stdin`, `${key}\n`);

  it('checks the key with one call and stores the profile', async () => {
    const { code, stdout, stderr } = await login(world.sandbox.keys.sandbox);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'Logged in as acme']);
    expect(stderr).not.toContain('account settings');
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toHaveLength(1);
    expect(JSON.parse((await run('whoami -o json')).stdout)).toMatchObject({ profile: 'acme', plan: 'growth' });
  });

  it('stores nothing if the service refuses the key', async () => {
    const { code, stdout, stderr } = await login('sk_test_local-not-of-this-one');
    expect([code, stdout, hasStore()]).toEqual([4, '', false]);
    expect(stderr).not.toContain('sk_test_local-not-of-this-one');
  });

  it('stores nothing if the service is unreachable', async () => {
    const { code, stdout, stderr } = await run(
      'login --profile acme --base-url http://127.0.0.1:9 --key-stdin --retries 0',
      sandboxKey,
    );
    expect([code, stdout, hasStore()]).toEqual([9, '', false]);
    expect(stderr).toContain('127.0.0.1:9');
  });

  it('stores a key whose scope does not allow the check, with a note', async () => {
    const { code, stderr } = await login(world.sandbox.keys.create('send-only').text);
    expect([code, hasStore()]).toEqual([0, true]);
    expect(stderr).toContain('the key is valid, but');
  });

  it('stores a key whose plan does not allow the check, with a note', async () => {
    await reopen({ without: ['listTemplates'] });
    const { code, stderr } = await login(world.sandbox.keys.sandbox);
    expect([code, hasStore()]).toEqual([0, true]);
    expect(stderr).toContain('the key is valid, but');
  });

  it('stores a live key only after the service has activated it', async () => {
    const before = await login(world.sandbox.keys.live);
    world.sandbox.keys.goLive();
    const after = await login(world.sandbox.keys.live);
    expect([before.code, after.code]).toEqual([4, 0]);
    expect(await shownProfile()).toMatchObject({ mode: 'sandbox', sandbox_key: null, live_key: expect.any(String) });
  });

  it.each(
    some([
      ['login', '--profile'],
      ['login --profile acme', '--base-url'],
      ['login --profile acme --base-url https://api.example.com', '--key-stdin'],
      ['login --no-check --profile acme', '--base-url'],
      ['login --no-check --profile acme --base-url https://api.example.com', '--key-stdin'],
    ]),
  )('%s does not prompt, and names %s', async (line, flag) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout, hasStore()]).toEqual([2, '', false]);
    expect(stderr).toContain(`give it with ${flag}`);
  });

  it('sends no key over plain http to another machine', async () => {
    const { code, stdout, stderr } = await login(sandboxKey, 'http://api.example.com');
    expect([code, stdout, hasStore()]).toEqual([11, '', false]);
    expect(stderr).toContain('plain http');
  });
});

describe('an unusual environment', () => {
  const shell = (script: string, env: Readonly<Record<string, string>> = world.binEnv) =>
    execa('sh', ['-c', script], {
      env: { ...env, NODE: process.execPath, BIZMSG: binary },
      extendEnv: false,
      reject: false,
      cwd: world.home,
    });
  const bizmsg = '"$NODE" "$BIZMSG"';
  const send = `${bizmsg} send-template +12025550101 welcome`;

  it.each(
    some([
      ['whose stderr is full', `${send} 2> /dev/full`],
      ['whose stderr is closed', `${send} 2>&-`],
      ['whose stderr has no reader', `{ ${send} 2>&1 >&3 | true; } 3>&1`],
      ['whose stdin is closed', `${send} <&-`],
    ]),
  )('does not prevent a send %s', async (_, script) => {
    const { stdout } = await shell(script);
    expect(stdout).toBe(world.sandbox.messages()[0]?.id);
  });

  it.each(['', 'relative'])('starts the sandbox on demand with HOME="%s"', async (HOME) => {
    const env = cleanEnv(HOME, { BIZMSG_STATE_DIR: 'st äö 名 dir' });
    const sent = await shell(`${send} --profile local`, env);
    const stopped = await shell(`${bizmsg} sandbox stop`, env);
    expect([sent.exitCode, stopped.stdout]).toEqual([0, expect.stringMatching(/^Stopped http/)]);
    expect(readdirSync(join(world.home, 'st äö 名 dir'))).toContain('sandboxes');
  });

  it.each([
    ['that never ends', 'yes |', 'stdin is longer than 32 MB'],
    ['that is not text', String.raw`printf '{"name":"\377"}' |`, 'stdin is not UTF-8 text'],
    ['that is closed', '<&-', 'is not JSON'],
  ])('refuses stdin %s, and sends nothing', async (_, from, why) => {
    const create = `${bizmsg} contacts create --input -`;
    const { exitCode, stderr } = await shell(from.endsWith('|') ? `${from} ${create}` : `${create} ${from}`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(world.sandbox.contacts()).toHaveLength(5);
  });

  it('accepts a body that starts with a byte order mark', async () => {
    const { exitCode } = await shell(
      String.raw`printf '\357\273\277{"phone":"+12025550142"}' | ${bizmsg} contacts create --input -`,
    );
    expect([exitCode, world.sandbox.contacts()]).toEqual([
      0,
      expect.arrayContaining([expect.objectContaining({ phone: '+12025550142' })]),
    ]);
  });

  it('reads -p=Ada as Ada', async () => {
    await shell(`${bizmsg} send-template +12025550101 order_update -p=Ada -p 1`);
    expect(world.sandbox.messages()).toMatchObject([{ params: ['Ada', '1'] }]);
  });
});
