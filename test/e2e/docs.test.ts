import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { accountKeys, openApi } from '../support/api.ts';
import { cli } from '../support/cli.ts';
import { blocksIn, stepsIn } from '../support/docs.ts';
import { newHome, sandboxHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';
import { openReader, sh, withoutTimes } from './docs-rig.ts';

posixOnly('they run a POSIX shell');

const root = fileURLToPath(new URL('../..', import.meta.url));
const sent = expect.stringMatching(/^msg_sandbox_\w+$/);
const add = 'login --no-check --profile acme --base-url https://api.example.com --key-stdin'.split(' ');

describe('the page about accounts', () => {
  const [loggedIn = '', unasked = ''] = blocksIn('docs/accounts-and-live-keys.md', 'Log in', 2);
  const [other = ''] = blocksIn('docs/accounts-and-live-keys.md', 'One business, several profiles', 1);
  const [live = ''] = blocksIn('docs/accounts-and-live-keys.md', 'Live keys', 1);
  const practised = blocksIn('docs/accounts-and-live-keys.md', 'Practice with the sandbox', 3);
  const [unsure = ''] = blocksIn('docs/accounts-and-live-keys.md', 'When it is not known what was sent', 1);

  it('logs in, renews a key, adds a live key and activates it', async () => {
    const answers = {
      'bizmsg login': [
        ['Name of the profile', 'acme'],
        ['Base URL of the API', 'https://api.example.com'],
        ['API key', accountKeys.sandbox],
        ['Plan of the account', ''],
      ],
      'bizmsg login --profile acme': [
        ['API key', accountKeys.live],
        ['Use it now?', 'n'],
      ],
      'bizmsg keys switch-mode live --profile acme': [['(y/N)', 'y']],
    } as const;
    const home = newHome();
    writeFileSync(join(home, 'key.txt'), accountKeys.sandbox);
    const { enter, follow } = openReader({ home, env: await openApi() });
    for (const block of [loggedIn, unasked, other, live]) expect(await follow(block, { answers })).toEqual([]);
    const commands = stepsIn(loggedIn + live).map(({ command }) => command);
    expect(commands).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect((await enter('bizmsg whoami')).printed).toContain('Mode     live');
  });

  it('practices with keys of the sandbox, prompts before it repeats a live message, and switches back', async () => {
    // Sent twice; only the second time prompts.
    const repeated =
      'bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile practice; echo "exit $?"';
    const { enter, follow } = openReader({ local: withoutTimes });
    for (const block of practised)
      expect(await follow(block, { answers: { [repeated]: [['(y/N)', 'n']] } })).toEqual([]);
    expect((await enter('bizmsg profiles list')).printed).toContain('No profiles');
  });

  it('refuses to send a message twice that may have been sent', async () => {
    expect(await openReader({ local: withoutTimes }).follow(unsure)).toEqual([]);
  });
});

describe('the page about scripts', () => {
  const [loop = ''] = blocksIn('docs/scripting.md', 'Scripting', 1);
  const [template = ''] = blocksIn('docs/scripting.md', 'Send a message', 1);
  const [lists = ''] = blocksIn('docs/scripting.md', 'Lists, and any other request', 1);

  it('loops over a file', async () => {
    const home = sandboxHome();
    writeFileSync(join(home, 'phones.txt'), '+12025550101\n+12025550111\n');
    const stdout = expect.stringMatching(/^msg_sandbox_\w+\nmsg_sandbox_\w+$/);
    expect(await sh(loop, home)).toMatchObject({ code: 0, stdout });
  });

  it('works with contacts, templates and campaigns', async () => {
    expect(await openReader().follow(template + lists)).toEqual([]);
  });
});

describe('the page about tests', () => {
  const [plain = ''] = blocksIn('docs/testing.md', 'In plain JavaScript', 1);
  const [script = ''] = blocksIn('docs/testing.md', 'In CI', 1);

  it('uses the library in plain JavaScript', async () => {
    const home = newHome();
    mkdirSync(join(home, 'node_modules'));
    symlinkSync(root, join(home, 'node_modules/bizmsg'));
    writeFileSync(join(home, 'contacts.mjs'), plain);
    expect((await execa(process.execPath, ['contacts.mjs'], { cwd: home })).stdout).toBe('200 1');
  });

  it('runs a command against its own sandbox', async () => {
    expect(await sh(script.replace(/^npx /, ''), newHome())).toMatchObject({ code: 0, stdout: sent });
  });
});

describe('the page about problems', () => {
  const [local = '', refused = ''] = blocksIn('docs/troubleshooting.md', 'Frequent errors', 2);
  const [wrong = ''] = blocksIn('docs/troubleshooting.md', 'Check this machine', 1);
  const [save = '', unpack = ''] = blocksIn('docs/troubleshooting.md', 'Back up, or move to another machine', 2);

  it('diagnoses the machine', async () => {
    const home = newHome();
    const env = await openApi({ scope: 'send-only' });
    await cli(add, { home, stdin: accountKeys.sandbox });
    const state = join(home, '.local/state/bizmsg');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(join(state, 'ledger.db'), 'something else\n'.repeat(99));
    // The version of Node may cause a warning.
    const withoutNode = (text: string) => text.replace(/^warn +node .*\n.*\n/m, '').replace(/\d checks/, 'N checks');
    expect(await openReader({ home, env, local: withoutNode }).follow(wrong, { exit: 3 })).toEqual([]);
  });

  it('shows frequent errors', async () => {
    const { follow } = openReader();
    expect([await follow(local), await follow(refused)]).toEqual([[], []]);
  });

  it('moves to another machine, which continues the batch', async () => {
    const [home, other] = [newHome(), newHome()];
    const env = await openApi();
    await cli(add, { home, stdin: accountKeys.live });
    writeFileSync(join(home, 'vip.csv'), 'phone\n+12025550111\n+12025550112\n+12025550113\n');
    const old = openReader({ home, env });
    const first = 'cd; bizmsg send-batch welcome vip.csv --mode live --batch vip --first 2 --at-most 2 --yes';
    expect((await old.enter(first)).printed).toContain('Batch vip: 2 of 3 have the message');
    expect(await old.follow(save)).toEqual([]);
    copyFileSync(join(home, 'bizmsg.tgz'), join(other, 'bizmsg.tgz'));
    const moved = openReader({ home: other, env });
    expect(await moved.follow(unpack)).toEqual([]);
    const resumed = await moved.enter('bizmsg batches resume vip --mode live --at-most 1 --yes');
    expect(resumed.printed).toMatch(/Batch vip: 3 of 3 have the message[^]*3 sent +1 now/);
  });
});
