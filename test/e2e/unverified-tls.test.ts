import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve, type Service } from '../client/servers.ts';
import { accountKeys } from '../support/api.ts';
import { bin } from '../support/bin.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';

/** A server whose certificate is signed by an unknown authority. */
const impostor = (): Promise<Service> => serve((_, __, response) => response.end('{"data":[],"id":"1"}'), 'https');

const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const list = ['contacts', 'list', '-o', 'json'];

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it.each([
    ['contacts list', list],
    ['send-template', ['send-template', '+12025550101', 'welcome', '-o', 'json']],
    ['api', ['api', '/api/public/contacts', '-o', 'json']],
    ['contacts import', ['contacts', 'import', 'rows.csv', '--at-most', '1', '-o', 'json']],
  ])('%s does not send a live key to an https server', async (_, argv) => {
    const home = newHome();
    const file = join(home, 'rows.csv');
    writeFileSync(file, 'phone\n+12025550142\n');
    const service = await impostor();
    const env = { ...callerOf(service.url, accountKeys.live), ...unverified };
    const ran = await bin(
      argv.map((word) => (word === 'rows.csv' ? file : word)),
      { home, env },
    );
    expect(errorIn(ran.stderr)).toMatchObject({ code: 'unverified-tls' });
    expect(ran).toMatchObject({ code: 11, stdout: '' });
    expect(service.seen).toEqual([]);
  });

  it('a key of unknown mode is not sent either', async () => {
    const service = await impostor();
    const env = { ...callerOf(service.url, 'neither-prefix-0123'), ...unverified };
    const ran = await bin(list, { home: newHome(), env });
    expect(ran.code).toBe(11);
    expect(service.seen).toEqual([]);
  });

  it('login does not check a live key, and stores nothing', async () => {
    const home = newHome();
    const service = await impostor();
    const argv = ['login', '--profile', 'acme', '--base-url', service.url, '--key-stdin'];
    const ran = await bin(argv, { home, env: unverified, input: accountKeys.live });
    expect(ran.code).toBe(11);
    expect(service.seen).toEqual([]);
    expect((await bin(['profiles', 'list', '-o', 'json'], { home })).stdout.trim()).toBe('[]');
  });

  it('doctor reports that the live key may not be sent there', async () => {
    const service = await impostor();
    const env = { ...callerOf(service.url, accountKeys.live), ...unverified };
    const ran = await bin(['doctor'], { home: newHome(), env });
    expect(ran).toMatchObject({ code: 11, stdout: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED') });
    expect(service.seen).toEqual([]);
  });

  it('a sandbox key is still sent', async () => {
    const service = await impostor();
    const env = { ...callerOf(service.url, accountKeys.sandbox), ...unverified };
    expect((await bin(list, { home: newHome(), env })).code).toBe(0);
    expect(service.seen).toHaveLength(1);
  });

  it('a live key is still sent over plain http to this machine, which has no certificate', async () => {
    const service = await serve((_, __, response) => response.end('{"data":[]}'));
    const env = { ...callerOf(service.url, accountKeys.live), ...unverified };
    expect((await bin(list, { home: newHome(), env })).code).toBe(0);
    expect(service.seen).toHaveLength(1);
  });
});
