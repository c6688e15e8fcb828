import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountKeys, openApi } from '../support/api.ts';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { blocksIn } from '../support/readme.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './readme-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [wrong = ''] = blocksIn('Find the problem', 1);
const [completed = ''] = blocksIn('Completion', 1);

describe('the README', () => {
  it('diagnoses the machine', async () => {
    const home = newHome();
    const env = await openApi(home, { scope: 'send-only' });
    const add = 'profiles add acme --base-url https://api.example.com --key-stdin';
    await bin(add.split(' '), { home, input: accountKeys.sandbox });
    chmodSync(join(home, '.config/bizmsg/profiles.json'), 0o644);
    const { follow } = openReader({ home, env, local: withoutNode });
    expect(await follow(wrong, { exit: 3 })).toEqual([]);
  });

  it('installs completion', async () => {
    const { home, follow } = openReader({ env: { SHELL: '/usr/bin/fish' } });
    expect(await follow(completed)).toEqual([]);
    expect(existsSync(join(home, '.config/fish/completions/bizmsg.fish'))).toBe(true);
  });
});

/** Removes the version of Node, and whether its support has ended. */
function withoutNode(text: string): string {
  return text.replace(/^ {2}\w+ +node .*\n(?: {10,}.*\n)*/m, '  ok    node\n').replace(/\d+ warnings/, 'N warnings');
}
