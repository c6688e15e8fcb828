import { chmodSync, chownSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { liveKey, storeAcme, testKey } from '../commands/profile-store.ts';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('a file has no mode');

const list = ['templates', 'list'];
const isRoot = userInfo().uid === 0;

/** A machine whose active profile has a key for a real HTTP server. */
async function machine(key: string) {
  const service = await serve((_, __, response) => response.end('{"data":[]}'));
  const home = newHome();
  const file = storeAcme(home, { baseUrl: service.url, key });
  return { home, service, file, folder: dirname(file) };
}

type Machine = Awaited<ReturnType<typeof machine>>;

it.each([
  ['its store', (place: Machine) => place.file, 0o606],
  ['the folder of its store', (place: Machine) => place.folder, 0o777],
] as const)('does not use a live key if others can write to %s', async (_, pick, mode) => {
  const place = await machine(liveKey);
  chmodSync(pick(place), mode);
  const ran = await bin(list, place);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: other users can write to ${pick(place)}\n`);
  expect(ran.stderr).toContain(`chmod go-w ${pick(place)}`);
  expect(place.service.seen).toEqual([]);
});

it.skipIf(!isRoot)('does not use a live key of a store that another user owns (needs root)', async () => {
  const place = await machine(liveKey);
  chownSync(place.file, 4242, 4242);
  const ran = await bin(list, place);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`${place.file} belongs to another user (uid 4242)`);
  expect(place.service.seen).toEqual([]);
});

it('uses a sandbox key although others can write to its store', async () => {
  const place = await machine(testKey);
  chmodSync(place.file, 0o666);
  expect((await bin(list, place)).code).toBe(0);
  expect(place.service.seen).toHaveLength(1);
});
