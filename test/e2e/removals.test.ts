import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';

const address = 'https://api.example.com';
const elsewhere = 'https://other.example.com';
const sandboxKey = 'sk_test_4f9Qm2ZpL8xVt3Hd';
const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0S';
const otherLiveKey = 'sk_live_9Tz4Xb2VmQ8pLd6K';

let home = '';
const run = (line: string, input = '') => cli(line.split(' '), { home, stdin: input });

/** All stored profiles and events. */
const kept = async () => [
  readFileSync(join(home, '.config/bizmsg/profiles.json'), 'utf8'),
  (await run('webhooks history -o json')).stdout,
];
const profile = async (): Promise<unknown> => JSON.parse((await run('profiles show acme -o json')).stdout);

beforeEach(async () => {
  home = newHome();
  await run(`login --no-check --profile acme --base-url ${address} --key-stdin`, sandboxKey);
  await run('keys set --profile acme --key-stdin', liveKey);
  await (await logsIn(join(home, '.local/state/bizmsg'))).received(delivery('{"type":"message.read"}'));
});

const losing = [
  ['keys remove live', /Remove the live key sk_live_…Je0S of acme\?/],
  ['profiles remove acme', /Remove the profile acme and its keys sk_test_…t3Hd, sk_live_…Je0S\?/],
  [
    `profiles set acme --base-url ${elsewhere}`,
    /Move acme to https:\/\/other\.example\.com and remove its keys sk_test_…t3Hd, sk_live_…Je0S, which were stored for https:\/\/api\.example\.com\?/,
  ],
  ['profiles set acme --base-url https://api.example.org', /remove its keys/],
  ['webhooks history --clear', /Delete 1 recorded event\?/],
] as const;

describe('without a terminal', () => {
  it.each(losing)('%s is refused without --yes, and changes nothing', async (line, question) => {
    const before = await kept();
    const ran = await run(`${line} -o json`);
    expect(errorIn(ran.stderr)).toMatchObject({
      code: 'not-confirmed',
      message: expect.stringMatching(question),
      hint: expect.stringContaining('--yes'),
    });
    expect(ran).toMatchObject({ code: 11, stdout: '' });
    expect(await kept()).toEqual(before);
  });

  it('keys remove --yes removes the key', async () => {
    expect((await run('keys remove live --yes')).code).toBe(0);
    expect(await run('keys remove live --yes')).toMatchObject({
      code: 3,
      stderr: 'error: the profile "acme" has no live key\n  bizmsg profiles show acme shows its keys\n',
    });
    expect(await profile()).toMatchObject({ sandbox_key: 'sk_test_…t3Hd', live_key: null });
  });

  it('profiles remove --yes removes the profile', async () => {
    expect((await run('profiles remove acme --yes')).code).toBe(0);
    expect((await run('profiles list -o json')).stdout).toBe('[]\n');
  });

  it('profiles set --base-url --yes moves the profile without its keys', async () => {
    const ran = await run(`profiles set acme --base-url ${elsewhere} --yes -o json`);
    expect(ran.code).toBe(0);
    expect(noteCodes(ran.stderr)).toEqual(['keys-left']);
    expect(await profile()).toMatchObject({ base_url: elsewhere, mode: 'sandbox', sandbox_key: null, live_key: null });
    expect((await run('contacts list --profile acme')).code).toBe(3);
  });

  it('webhooks history --clear --yes removes the events', async () => {
    expect((await run('webhooks history --clear --yes')).stdout).toBe('Deleted events: 1\n');
    expect((await run('webhooks history -o json')).stdout).toBe('[]\n');
  });

  it.each([
    ['another path at the same origin', `profiles set acme --base-url ${address}/v2`],
    ['another plan', 'profiles set acme --plan scale'],
  ])('%s does not ask, and keeps the keys', async (_, line) => {
    expect((await run(line)).code).toBe(0);
    expect(await profile()).toMatchObject({ sandbox_key: 'sk_test_…t3Hd', live_key: 'sk_live_…Je0S' });
  });

  it('profiles set with another address does not ask if the profile has no keys', async () => {
    await run(`login --no-check --profile bare --base-url ${address} --key-stdin`, sandboxKey);
    await run('keys remove sandbox --profile bare --yes');
    expect((await run(`profiles set bare --base-url ${elsewhere}`)).code).toBe(0);
  });

  it.each([
    ['keys remove live --profile none', 3],
    ['profiles remove none', 3],
    ['profiles set acme --base-url nonsense', 2],
  ])('%s fails before it asks', async (line, code) => {
    const ran = await run(`${line} -o json`);
    expect(ran.code).toBe(code);
  });
});

describe('a note about the replacement of a live key', () => {
  const noted = async (key: string) => (await run('keys set --profile acme --key-stdin -o json', key)).stderr;

  it('is printed if the key was active', async () => {
    await run('keys switch-mode live --profile acme --yes');
    const stderr = await noted(otherLiveKey);
    expect(noteCodes(stderr)).toEqual(['live-key-replaced', 'not-checked']);
    expect(stderr).toMatch(/sk_live_…Je0S[^]*sk_live_…Ld6K|sk_live_…Ld6K[^]*sk_live_…Je0S/i);
    expect(await profile()).toMatchObject({ mode: 'live', live_key: 'sk_live_…Ld6K' });
  });

  it('is not printed if the key is the same', async () => {
    await run('keys switch-mode live --profile acme --yes');
    expect(noteCodes(await noted(liveKey))).toEqual(['not-checked']);
  });

  it('is not printed if the key was not active', async () => {
    expect(noteCodes(await noted(otherLiveKey))).toEqual(['not-checked']);
  });
});

describe('on a terminal', () => {
  beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

  async function asked(line: string, question: RegExp, answer: string): Promise<Terminal> {
    const terminal = openTerminal({ home, columns: 200 });
    onTestFinished(() => terminal.close());
    await terminal.enter(`bizmsg ${line}`);
    await terminal.until(question);
    await terminal.until('(y/N)');
    terminal.answer(answer);
    return terminal;
  }

  it.each(losing.slice(0, 1))('%s asks, and changes nothing without confirmation', async (line, question) => {
    const before = await kept();
    const terminal = await asked(line, question, 'n');
    expect(await terminal.ended()).toBe(11);
    expect(terminal.screen()).toContain('nothing was done');
    expect(await kept()).toEqual(before);
  });

  it.each(losing.slice(0, 1))('%s continues after confirmation', async (line, question) => {
    const before = await kept();
    const terminal = await asked(line, question, 'y');
    expect(await terminal.ended()).toBe(0);
    expect(await kept()).not.toEqual(before);
  });
});
