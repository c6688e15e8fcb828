import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  defaultData,
  locatorsIn,
  type Locator,
  locatorFolder,
  writeLocator,
} from '../../src/sandbox/remote/locator.ts';
import { serve } from '../client/servers.ts';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive, stopSandboxes } from '../support/cli.ts';

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
    loopback: 'ipv4',
    token: 'the token',
    build: 'b1',
    data: defaultData(state),
    background: false,
    words: [],
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
  const [found] = locatorsIn(state);
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
  ['--profile local', [...order, '--profile', 'local'], 0],
  ['sandbox status', ['sandbox', 'status'], 0],
  ['sandbox env', ['sandbox', 'env'], 0],
])('%s sends nothing to a server that cannot prove that it is the sandbox', async (_, argv, code) => {
  const { home, state } = newState();
  onTestFinished(() => stopSandboxes(home));
  const impostor = await serve((_, __, response) => response.end(JSON.stringify({ proof: '00', dataId: 'x' })));
  locatorFolder(state);
  writeLocator(state, locatorOf(state, impostor.port));
  const ran = await bin(argv, { home });
  expect(ran).toMatchObject({ code, stdout: expect.not.stringContaining(impostor.url) });
  for (const { method, url } of impostor.seen) expect(`${method} ${url}`).toMatch(/^GET \/__sandbox\/proof\?nonce=/);
  expect(JSON.stringify(impostor.seen)).not.toMatch(/sk_|the token|Ada/);
});
