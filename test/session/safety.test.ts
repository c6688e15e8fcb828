import { describe, expect, it } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { bareKey, liveKey, testKey } from '../commands/profile-store.ts';
import { cli } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';
import { serveLocal } from '../support/local.ts';

const localKey = 'sk_test_local-AbCdEfGh0004';
const localLiveKey = 'sk_live_local-AbCdEfGh0005';
const service = 'https://api.example.com/v1';

/** A dry run with a key at an address, while a sandbox runs at its PORT. */
async function lists(key: string, address: string, env: Readonly<Record<string, string>> = {}) {
  const home = newHome();
  await serveLocal(home);
  const { stdout } = await cli(['sandbox', 'status', '-o', 'tsv', '--columns', 'url', '--no-header'], { home });
  const url = address.replace('PORT', new URL(stdout.trim()).port);
  const argv = ['templates', 'list', '--dry-run', '-o', 'json'];
  return cli(argv, { home, env: { ...callerOf(url, key), ...env } });
}

describe('a key', () => {
  it.each([
    ['a sandbox key', testKey, service],
    ['a live key', liveKey, service],
    ['a key of unknown mode', bareKey, service],
    ['a sandbox key', testKey, 'http://127.0.0.1:9'],
    ['a live key', liveKey, 'http://localhost:9'],
    ['the key of a sandbox', localKey, 'http://127.0.0.1:PORT'],
    ['the live key of a sandbox', localLiveKey, 'http://localhost:PORT/prefix'],
    ['the key of a sandbox', localKey, 'http://[::1]:PORT'],
    ['a sandbox key', testKey, 'http://127.0.0.1:PORT'],
  ])('may be used: %s (%s) at %s', async (_, key, address) => {
    expect(await lists(key, address)).toMatchObject({ code: 0 });
  });

  it.each([
    [localKey, service, 'local-key-elsewhere'],
    [localLiveKey, service, 'local-key-elsewhere'],
    [liveKey, 'http://127.0.0.1:PORT', 'live-key-to-sandbox'],
    [liveKey, 'http://localhost:PORT', 'live-key-to-sandbox'],
    [liveKey, 'http://[::1]:PORT/x', 'live-key-to-sandbox'],
    [bareKey, 'http://127.0.0.1:PORT', 'live-key-to-sandbox'],
    [testKey, 'http://api.example.com', 'plain-http'],
    [liveKey, 'http://0.0.0.0:PORT', 'plain-http'],
    [liveKey, 'http://localhost.evil.example', 'plain-http'],
    [liveKey, 'http://127.0.0.1.evil.example', 'plain-http'],
    [liveKey, 'http://10.0.0.1', 'plain-http'],
  ])('is refused: %s at %s (%s)', async (key, address, code) => {
    const ran = await lists(key, address);
    expect(ran).toMatchObject({ code: 11, stdout: '' });
    expect(errorIn(ran.stderr)).toMatchObject({ code });
    expect(ran.stderr).not.toContain(key);
  });

  it('of a sandbox needs one: at an address where nothing listens, the hint starts one', async () => {
    const address = `http://127.0.0.1:${await deadPort()}`;
    const env = callerOf(address, localKey);
    const stderr = `error: no sandbox runs at ${address}\n  start one: bizmsg sandbox start\n`;
    for (const line of ['templates list', 'contacts list', 'send-template +12025550141 welcome --dry-run'])
      expect(await cli(line.split(' '), { home: newHome(), env })).toEqual({ code: 3, stdout: '', stderr });
    const { code, stdout } = await cli(['doctor'], { home: newHome(), env });
    expect([code, stdout]).toEqual([3, expect.stringContaining(`no sandbox runs at ${address}`)]);
  });

  it.each([
    [testKey, service],
    [testKey, 'http://127.0.0.1:9'],
  ])('is refused under BIZMSG_LOCAL_ONLY=1: %s at %s', async (key, address) => {
    const ran = await lists(key, address, { BIZMSG_LOCAL_ONLY: '1' });
    expect([ran.code, errorIn(ran.stderr)['code']]).toEqual([11, 'only-local']);
  });
});

it.each([
  ['is printed for a live key', liveKey, 'note: LIVE environment · api.example.com · sk_live_…0002\n'],
  ['is printed for a key of unknown mode', bareKey, 'note: LIVE environment · api.example.com · …0003\n'],
  ['is not printed for a sandbox key', testKey, ''],
])('the notice of a live command %s', async (_, key, notice) => {
  const argv = ['templates', 'list', '--dry-run', '--quiet'];
  expect((await cli(argv, { home: newHome(), env: callerOf(service, key) })).stderr).toBe(notice);
});
