import { chmodSync, chownSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { createLocatorFolder, defaultData, locatorsIn, writeLocator } from '../../src/sandbox/remote/locator.ts';
import { proofOf } from '../../src/sandbox/remote/running.ts';
import { deadPort, serve, type Service } from '../client/servers.ts';
import { bin, run, startBin } from '../support/bin.ts';
import { alive, cli } from '../support/cli.ts';
import { newHome, sandboxHome } from '../support/fake-service.ts';

const otherUser = 4242;
const isRoot = userInfo().uid === 0;
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const keys = { sandbox: 'sk_test_local-0', live: 'sk_live_local-0' };
const token = 'the token';
const order = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];
const send = [...order, '--profile', 'local'];

const stateIn = (home: string) => join(home, '.local/state/bizmsg');

/** Names a server as the sandbox of a home. */
function locate({ port, url }: Service, home = newHome()) {
  const state = stateIn(home);
  const folder = createLocatorFolder(state);
  const about = { token, build: 'b1', data: defaultData(state), background: false, words: [], keys };
  writeLocator(state, { port, url, pid: process.pid, loopback: 'ipv4', ...about });
  chmodSync(state, 0o700);
  return { home, state, folder, file: join(folder, `${port}.json`) };
}

/** A state folder whose locator names a server that knows the token, but is not a sandbox. */
async function trap(secret = 'whsec_x') {
  const service = await serve(({ url: asked }, _, response) => {
    const nonce = /nonce=(.*)/.exec(asked)?.[1];
    const stolen = { message_id: 'msg_stolen', url: service.url, keys, secret };
    const proof = nonce !== undefined && { proof: proofOf({ url: service.url, token }, nonce), dataId: 'x' };
    response.end(JSON.stringify(proof || stolen));
  });
  return { ...locate(service), service };
}

type Trap = Awaited<ReturnType<typeof trap>>;

/** Another user's server on the other loopback address. */
async function foreignServer(port: number) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(JSON.stringify(request.headers));
    response.end('{"message_id":"msg_stolen"}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host: '::1', ipv6Only: true }, resolve);
  });
  onTestFinished(() => void server.close());
  return { requests, port: portOf(server) };
}

it.skipIf(!hasIpv6)('does not start on a port whose other loopback address is in use', async () => {
  const home = newHome();
  const { port } = await foreignServer(await deadPort());
  const ran = await bin(['sandbox', 'start', '--port', String(port), '--idle', '1ms'], { home });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: port ${port} is in use on [::1]\n`);
});

it.skipIf(!hasIpv6)('uses the next port that is free on both loopback addresses', async () => {
  const home = newHome();
  // Another program may use it, and end.
  const foreign = await foreignServer(4780).catch(() => undefined);
  const sandbox = startBin(['sandbox', 'start'], { home });
  onTestFinished(async () => {
    alive(sandbox.pid, 'SIGTERM');
    await sandbox.ended;
  });
  await expect.poll(() => sandbox.stdout()).toContain('Ready');
  const [locator] = locatorsIn(stateIn(home));
  expect(locator?.port).not.toBe(foreign ? 4780 : undefined);
  const env = { BIZMSG_BASE_URL: `http://[::1]:${locator?.port}`, BIZMSG_API_KEY: locator?.keys.sandbox ?? '' };
  expect(await bin(order, { home, env })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^msg_sandbox_/) });
  expect(foreign?.requests ?? []).toEqual([]);
});

it.skipIf(!hasIpv6).each(['[::1]', 'localhost'])(
  'sends nothing to %s if the sandbox holds only 127.0.0.1',
  async (host) => {
    const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const { requests } = await foreignServer(service.port);
    const { home } = locate(service);
    const address = `http://${host}:${service.port}`;
    const env = { BIZMSG_BASE_URL: address, BIZMSG_API_KEY: keys.sandbox, BIZMSG_LOCAL_ONLY: '1' };
    const ran = await bin(order, { home, env });
    expect(ran).toMatchObject({ code: 11, stdout: '' });
    expect(ran.stderr).toContain(`BIZMSG_LOCAL_ONLY=1 refuses ${address}`);
    // It is asked whether it is a sandbox, without the key.
    expect(requests.filter((headers) => headers.includes('authorization'))).toEqual([]);
    expect(service.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  },
);

it.each([
  ['--profile local', send, 0],
  ['sandbox status', ['sandbox', 'status'], 0],
  ['sandbox env', ['sandbox', 'env'], 0],
])('%s sends nothing to a server that cannot prove that it is the sandbox', async (_, argv, code) => {
  const impostor = await serve((_, __, response) => response.end(JSON.stringify({ proof: '00', dataId: 'x' })));
  const { home } = locate(impostor, sandboxHome());
  const ran = await bin(argv, { home });
  expect(ran).toMatchObject({ code, stdout: expect.not.stringContaining(impostor.url) });
  for (const { method, url } of impostor.seen) expect(`${method} ${url}`).toMatch(/^GET \/__sandbox\/proof\?nonce=/);
  expect(JSON.stringify(impostor.seen)).not.toMatch(/sk_|the token|Ada/);
});

const places = [
  ['the state folder', (place: Trap) => place.state, 0o777],
  ['the folder of the locators', (place: Trap) => place.folder, 0o777],
  ['a locator', (place: Trap) => place.file, 0o666],
] as const;

it.skipIf(!isRoot).each(places)('sends nothing if another user owns %s (needs root)', async (_, pick) => {
  const place = await trap();
  chownSync(pick(place), otherUser, otherUser);
  const ran = await bin(send, place);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: ${pick(place)} belongs to another user (uid ${otherUser})\n`);
  expect(place.service.seen).toEqual([]);
});

it.each(places)('sends nothing if others can write %s', async (_, pick, mode) => {
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
  const script = `${stdout}\nprintf %s "$BIZMSG_WEBHOOK_SECRET"; ls`;
  const { stdout: seen } = await run(['sh', '-c', script], { home: place.home, cwd: place.home });
  expect(seen).toBe("x'; touch stolen; echo '$(id)");
  const powerShell = await cli(['sandbox', 'env', '--shell', 'powershell'], place);
  expect(powerShell.stdout).toContain("\n$env:BIZMSG_WEBHOOK_SECRET = 'x''; touch stolen; echo ''$(id)'");
});
