import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountKeys, openApi } from '../support/api.ts';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { blocksIn } from '../support/docs.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [local = '', refused = ''] = blocksIn('docs/troubleshooting.md', 'Frequent errors', 2);
const [wrong = ''] = blocksIn('docs/troubleshooting.md', 'Check this machine', 1);
const [contract = ''] = blocksIn('docs/troubleshooting.md', 'Check a service against its document', 1);

describe('the page about problems', () => {
  it('diagnoses the machine', async () => {
    const home = newHome();
    const env = await openApi(home, { scope: 'send-only' });
    const add = 'profiles add acme --base-url https://api.example.com --key-stdin';
    await bin(add.split(' '), { home, input: accountKeys.sandbox });
    chmodSync(join(home, '.config/bizmsg/profiles.json'), 0o644);
    const { follow } = openReader({ home, env, local: withoutNode });
    expect(await follow(wrong, { exit: 3 })).toEqual([]);
  });

  it('shows frequent errors', async () => {
    const { follow } = openReader();
    expect([await follow(local), await follow(refused)]).toEqual([[], []]);
  });

  it('checks the service against its document', async () => {
    const home = newHome();
    const page = { headers: { 'content-type': 'text/html' }, body: '<h1>Who is it?</h1>' };
    const api = await openApi(home, { answer: (reply) => (reply.status === 401 ? { ...reply, ...page } : reply) });
    const caller = { BIZMSG_BASE_URL: 'https://api.example.com', BIZMSG_API_KEY: accountKeys.sandbox };
    const { follow } = openReader({ home, env: { ...api, ...caller }, columns: 80 });
    expect(await follow(contract, { exit: 12 })).toEqual([]);
  });
});

/** Removes the version of Node, and whether its support has ended. */
function withoutNode(text: string): string {
  return text.replace(/^ {2}\w+ +node .*\n(?: {10,}.*\n)*/m, '  ok    node\n').replace(/\d+ warnings/, 'N warnings');
}
