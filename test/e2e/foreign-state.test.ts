import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { serve, type Service } from '../client/servers.ts';
import { defaultData, locatorFolder, writeLocator } from '../../src/sandbox/remote/locator.ts';
import { proofOf } from '../../src/sandbox/remote/running.ts';
import { bin, cleanEnv, temporaryHome } from '../support/bin.ts';
import { cli } from '../support/cli.ts';

const otherUser = 4242;
const isRoot = userInfo().uid === 0;

interface Trap {
  readonly home: string;
  readonly state: string;
  readonly folder: string;
  readonly file: string;
  /** The server at the locator's address. */
  readonly service: Service;
}

/** A state folder whose locator names a server that is not a sandbox. */
async function trap(secret = 'whsec_x'): Promise<Trap> {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const state = join(home.path, '.local/state/bizmsg');
  const service = await serve(({ url: asked }, _, response) => {
    const nonce = /nonce=(.*)/.exec(asked)?.[1];
    if (nonce !== undefined) {
      const proof = proofOf({ url: service.url, token: 'token' }, nonce);
      return void response.end(JSON.stringify({ proof, dataId: 'x' }));
    }
    const keys = { sandbox: 'sk_test_local-0', live: 'sk_live_local-0' };
    return void response.end(JSON.stringify({ message_id: 'msg_stolen', url: service.url, keys, secret }));
  });
  const folder = locatorFolder(state);
  writeLocator(state, {
    port: service.port,
    url: service.url,
    pid: process.pid,
    loopback: 'ipv4',
    token: 'token',
    build: 'b1',
    data: defaultData(state),
    background: false,
    words: [],
    keys: { sandbox: 'sk_test_local-0', live: 'sk_live_local-0' },
  });
  chmodSync(state, 0o700);
  return { home: home.path, state, folder, file: join(folder, `${service.port}.json`), service };
}

const send = ['send-template', '+12025550101', 'order_update', '--profile', 'local'];

it.skipIf(!isRoot).each([
  ['the state folder', (place: Trap) => place.state],
  ['the folder of the locators', (place: Trap) => place.folder],
  ['a locator', (place: Trap) => place.file],
] as const)('sends nothing if another user owns %s (needs root)', async (_, pick) => {
  const place = await trap();
  chownSync(pick(place), otherUser, otherUser);
  const ran = await bin(send, place);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: ${pick(place)} belongs to another user (uid ${otherUser})\n`);
  expect(place.service.seen).toEqual([]);
});

it.each([
  ['the state folder', (place: Trap) => place.state, 0o777],
  ['the folder of the locators', (place: Trap) => place.folder, 0o777],
  ['a locator', (place: Trap) => place.file, 0o666],
] as const)('sends nothing if others can write %s', async (_, pick, mode) => {
  const place = await trap();
  chmodSync(pick(place), mode);
  const ran = await bin(send, place);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: other users can write to ${pick(place)}\n`);
  expect(ran.stderr).toContain(`chmod go-w ${pick(place)}`);
  expect(place.service.seen).toEqual([]);
});

it.skipIf(!isRoot)('sends nothing if a group with other members can write the state folder (needs root)', async () => {
  const place = await trap();
  chownSync(place.state, userInfo().uid, otherUser);
  chmodSync(place.state, 0o770);
  expect(await bin(send, place)).toMatchObject({ code: 3, stdout: '' });
  expect(place.service.seen).toEqual([]);
});

it('sandbox env quotes its output for the shell', async () => {
  const place = await trap("x'; touch stolen; echo '$(id)");
  const { stdout } = await cli(['sandbox', 'env'], place);
  const env = cleanEnv(place.home);
  const { stdout: seen } = await execa('sh', ['-c', `${stdout}\nprintf %s "$BIZMSG_WEBHOOK_SECRET"; ls`], {
    env,
    extendEnv: false,
    cwd: place.home,
  });
  expect(seen).toBe("x'; touch stolen; echo '$(id)");
  const powerShell = await cli(['sandbox', 'env', '--shell', 'powershell'], place);
  expect(powerShell.stdout).toContain("\n$env:BIZMSG_WEBHOOK_SECRET = 'x''; touch stolen; echo ''$(id)'");
});
