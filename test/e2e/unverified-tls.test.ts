import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serve, type Service } from '../client/servers.ts';
import { accountKeys } from '../support/api.ts';
import { bin, temporaryHome } from '../support/bin.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';

/** A server whose certificate is signed by an unknown authority. */
const impostor = (): Promise<Service> => serve((_, __, response) => response.end('{"data":[],"id":"1"}'), 'https');

const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const list = ['contacts', 'list', '-o', 'json'];
const folder = temporaryHome();
afterAll(() => folder.remove());
const rows = join(folder.path, 'rows.csv');
writeFileSync(rows, 'phone\n+12025550142\n');

/** Runs a command that would send this key, and returns what reached the server. */
async function sending(key: string, argv: readonly string[], service: Promise<Service> = impostor()) {
  const { url, seen } = await service;
  const ran = await bin(argv, { home: newHome(), env: { ...callerOf(url, key), ...unverified } });
  return { ...ran, seen };
}

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it.each([
    ['contacts list', accountKeys.live, list],
    ['send-template', accountKeys.live, ['send-template', '+12025550101', 'welcome', '-o', 'json']],
    ['api', accountKeys.live, ['api', '/api/public/contacts', '-o', 'json']],
    ['contacts import', accountKeys.live, ['contacts', 'import', rows, '--at-most', '1', '-o', 'json']],
    ['send-batch', accountKeys.live, ['send-batch', 'welcome', rows, '--batch', 'b', '--at-most', '1', '-o', 'json']],
    ['contacts list with a key of unknown mode', 'neither-prefix-0123', list],
  ])('%s does not send a live key to an https server', async (_, key, argv) => {
    const ran = await sending(key, argv);
    expect(errorIn(ran.stderr)).toMatchObject({ code: 'unverified-tls' });
    expect(ran).toMatchObject({ code: 11, stdout: '', seen: [] });
  });

  it('login does not check a live key, and stores nothing', async () => {
    const home = newHome();
    const service = await impostor();
    const argv = ['login', '--profile', 'acme', '--base-url', service.url, '--key-stdin'];
    const ran = await bin(argv, { home, env: unverified, input: accountKeys.live });
    expect([ran.code, service.seen]).toEqual([11, []]);
    expect((await bin(['profiles', 'list', '-o', 'json'], { home })).stdout.trim()).toBe('[]');
  });

  it('a sandbox key is still sent', async () => {
    expect(await sending(accountKeys.sandbox, list)).toMatchObject({ code: 0, seen: [{ method: 'GET' }] });
  });

  it('a live key is still sent over plain http to this machine, which has no certificate', async () => {
    const service = serve((_, __, response) => response.end('{"data":[]}'));
    expect(await sending(accountKeys.live, list, service)).toMatchObject({ code: 0, seen: [{ method: 'GET' }] });
  });
});
