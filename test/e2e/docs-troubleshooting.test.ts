import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
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
const [contract = ''] = blocksIn('docs/troubleshooting.md', 'Check a service against its document', 1);

describe('the page about problems', () => {
  it('diagnoses the machine', async () => {
    const home = newHome();
    const env = await openApi(home, { scope: 'send-only' });
    const add = 'login --no-check --profile acme --base-url https://api.example.com --key-stdin';
    await bin(add.split(' '), { home, input: accountKeys.sandbox });
    chmodSync(join(home, '.config/bizmsg/profiles.json'), 0o644);
    const { follow } = openReader({ home, env, local: withoutNode });
    expect(await follow(wrong, { exit: 3 })).toEqual([]);
  });

  it('shows frequent errors', async () => {
    const { follow } = openReader();
    expect([await follow(local), await follow(refused)]).toEqual([[], []]);
  });

  it('moves to another machine, which continues the batch', async () => {
    const [home, other] = [newHome(), newHome()];
    const env = await openApi(home);
    await bin('login --no-check --profile acme --base-url https://api.example.com --key-stdin'.split(' '), {
      home,
      input: accountKeys.live,
    });
    const send = 'cd && bizmsg send-batch welcome vip.csv --mode live --at-most 3 --yes';
    writeFileSync(join(home, 'vip.csv'), 'phone\n+12025550111\n+12025550112\n+12025550113\n');
    const old = openReader({ home, env });
    expect((await old.enter(`${send} --first 2`)).printed).toContain('Done: 2 of 3 rows sent');
    expect(await old.follow(save)).toEqual([]);
    for (const file of ['bizmsg.tgz', 'vip.csv']) copyFileSync(join(home, file), join(other, file));
    const moved = openReader({ home: other, env });
    expect(await moved.follow(unpack)).toEqual([]);
    expect((await moved.enter(send)).printed).toMatch(/Done: 1 of 3 rows sent[^]*2 skipped: sent earlier by this run/);
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
