import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  defaultData,
  liveLocators,
  type Locator,
  locatorFolder,
  writeLocator,
} from '../../src/sandbox/remote/locator.ts';
import { serve } from '../client/servers.ts';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { serveLocal } from '../support/local.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const keys = { sandbox: 'sk_test_local-0', live: 'sk_live_local-0' };
const order = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];

function newState() {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return { home: home.path, state: join(home.path, '.local/state/bizmsg') };
}

/** Another user's server on the other loopback address. */
async function foreignServer(port: number) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(JSON.stringify(request.headers));
    response.end('{"message_id":"msg_stolen"}');
  });
  await listening(server, port);
  onTestFinished(() => void server.close());
  return { requests, port: portOf(server) };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '::1', ipv6Only: true }, resolve);
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function locatorOf(state: string, port: number): Locator {
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: process.pid,
    startedAt: 1,
    token: 'the token',
    build: 'b1',
    data: defaultData(state),
    background: false,
    keys,
  };
}

it.skipIf(!hasIpv6)('does not start on a port whose other loopback address is in use', async () => {
  const { home } = newState();
  const { port } = await foreignServer(0);
  const ran = await bin(['sandbox', 'start', '--port', String(port), '--idle', '1ms'], { home });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: port ${port} is in use on [::1]\n`);
});

it.skipIf(!hasIpv6)('uses the next port that is free on both loopback addresses', async () => {
  const { home, state } = newState();
  // Another program may use it.
  const { requests } = await foreignServer(4780).catch(() => ({ requests: [] }));
  const sandbox = startBin(['sandbox', 'start'], { home });
  onTestFinished(async () => {
    alive(sandbox.pid, 'SIGTERM');
    await sandbox.ended;
  });
  await expect.poll(() => sandbox.stdout()).toContain('Ready');
  const [found] = liveLocators(state, alive);
  expect(found?.port).not.toBe(4780);
  const env = { BIZMSG_BASE_URL: `http://[::1]:${found?.port}`, BIZMSG_API_KEY: found?.keys.sandbox ?? '' };
  expect(await bin(order, { home, env })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^msg_sandbox_/) });
  expect(requests).toEqual([]);
});

it.skipIf(!hasIpv6).each(['[::1]', 'localhost'])(
  'sends nothing to %s if the sandbox holds only 127.0.0.1',
  async (host) => {
    const { home, state } = newState();
    const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const { requests } = await foreignServer(service.port);
    locatorFolder(state);
    writeLocator(state, locatorOf(state, service.port));
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
  ['--profile local', [...order, '--profile', 'local']],
  ['sandbox status', ['sandbox', 'status']],
  ['sandbox env', ['sandbox', 'env']],
])('%s sends nothing to a server that cannot prove that it is the sandbox', async (_, argv) => {
  const { home, state } = newState();
  const impostor = await serve((_, __, response) => response.end('{"proof":"00","message_id":"msg_1"}'));
  const path = join(locatorFolder(state), `${impostor.port}.json`);
  // A process in another network, such as a container that shares the folder.
  writeFileSync(path, JSON.stringify({ ...locatorOf(state, impostor.port), network: 'net:[1]' }), { mode: 0o600 });
  const ran = await bin(argv, { home });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain(`error: the server at ${impostor.url} is not the sandbox`);
  expect(ran.stderr).toContain(`rm ${path}`);
  expect(impostor.seen.map(({ method, url }) => `${method} ${url.replace(/[0-9a-f]{32}$/, 'NONCE')}`)).toEqual([
    'GET /__sandbox/proof?nonce=NONCE',
  ]);
  expect(JSON.stringify(impostor.seen)).not.toMatch(/sk_|the token|Ada/);
});

it('uses a sandbox that the kernel cannot confirm after it has proved its identity', async () => {
  const { home, state } = newState();
  const sandbox = await serveLocal(home);
  const [found] = liveLocators(state, alive);
  const path = join(state, 'sandboxes', `${found?.port}.json`);
  const { start, network, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(rest), { mode: 0o600 });
  expect(await bin([...order, '--profile', 'local'], { home })).toMatchObject({ code: 0 });
  expect(sandbox.messages()).toHaveLength(1);
  expect([typeof start, typeof network]).toEqual(['string', 'string']);
});

it('asks for no proof if the kernel confirms the owner of the address', async () => {
  const { home, state } = newState();
  const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
  locatorFolder(state);
  writeLocator(state, locatorOf(state, service.port));
  expect(await bin([...order, '--profile', 'local'], { home })).toMatchObject({ code: 0, stdout: 'msg_1\n' });
  expect(service.seen.map(({ url }) => url)).toEqual(['/api/public/messages/send-template']);
});
