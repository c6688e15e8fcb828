import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountKeys, openApi } from '../support/api.ts';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { blocksIn } from '../support/docs.ts';
import { posixOnly } from '../support/system.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

posixOnly('a file has no mode');

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [local = '', refused = ''] = blocksIn('docs/troubleshooting.md', 'Frequent errors', 2);
const [wrong = ''] = blocksIn('docs/troubleshooting.md', 'Check this machine', 1);
const [save = '', unpack = ''] = blocksIn('docs/troubleshooting.md', 'Back up, or move to another machine', 2);

describe('the page about problems', () => {
  it('diagnoses the machine', async () => {
    const home = newHome();
    const env = await openApi({ scope: 'send-only' });
    const add = 'login --no-check --profile acme --base-url https://api.example.com --key-stdin';
    await bin(add.split(' '), { home, input: accountKeys.sandbox });
    const state = join(home, '.local/state/bizmsg');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(join(state, 'ledger.db'), 'something else\n'.repeat(99));
    const { follow } = openReader({ home, env, local: withoutNode });
    expect(await follow(wrong, { exit: 3 })).toEqual([]);
  });

  it('shows frequent errors', async () => {
    const { follow } = openReader();
    expect([await follow(local), await follow(refused)]).toEqual([[], []]);
  });

  it('moves to another machine, which continues the batch', async () => {
    const [home, other] = [newHome(), newHome()];
    const env = await openApi();
    await bin('login --no-check --profile acme --base-url https://api.example.com --key-stdin'.split(' '), {
      home,
      input: accountKeys.live,
    });
    writeFileSync(join(home, 'vip.csv'), 'phone\n+12025550111\n+12025550112\n+12025550113\n');
    const old = openReader({ home, env });
    const sent = await old.enter(
      'cd; bizmsg send-batch welcome vip.csv --mode live --batch vip --first 2 --at-most 2 --yes',
    );
    expect(sent.printed).toContain('Batch vip: 2 of 3 have the message');
    expect(await old.follow(save)).toEqual([]);
    copyFileSync(join(home, 'bizmsg.tgz'), join(other, 'bizmsg.tgz'));
    const moved = openReader({ home: other, env });
    expect(await moved.follow(unpack)).toEqual([]);
    const resumed = await moved.enter('bizmsg batches resume vip --mode live --at-most 1 --yes');
    expect(resumed.printed).toMatch(/Batch vip: 3 of 3 have the message[^]*3 sent +1 now/);
  });
});

/** Removes what depends on the version of Node. */
function withoutNode(text: string): string {
  return text.replace(/^warn +node .*\n.*\n/m, '').replace(/\d checks/, 'N checks');
}
