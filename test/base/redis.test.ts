import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { createScript, openRedis, type RedisOptions } from '../../src/base/redis.ts';
import { noRedis, startRedis } from '../support/redis.ts';

describe.skipIf(noRedis)('a connection to a server', () => {
  it('sends and returns bytes unchanged', async () => {
    const { redis } = await started();
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await redis.call('SET', 'a', bytes);
    expect(await redis.call('GET', 'a')).toEqual(Buffer.from(bytes));
    expect(await redis.call('GET', 'b')).toBeNull();
  });

  it('runs a script that the server does not know, and again after the server has forgotten it', async () => {
    const { redis } = await started();
    const script = createScript('return {KEYS[1], ARGV[1], 7}');
    const result = [Buffer.from('k'), Buffer.from([0, 255]), 7];
    expect(await redis.run(script, ['k'], [Uint8Array.of(0, 255)])).toEqual(result);
    await redis.call('SCRIPT', 'FLUSH');
    expect(await redis.run(script, ['k'], [Uint8Array.of(0, 255)])).toEqual(result);
  });

  it('reports a killed server, and connects again with the next call', async () => {
    const server = await started();
    await server.redis.call('PING');
    await server.kill();
    const unreachable = { exit: 'network', code: 'unreachable', message: expect.stringContaining(nameOf(server)) };
    await expect(server.redis.call('PING')).rejects.toMatchObject(unreachable);
    await server.start();
    expect(await server.redis.call('PING')).toEqual(Buffer.from('PONG'));
  });

  it('refuses a wrong password without printing it', async () => {
    const server = await started('--requirepass', 'right');
    const { redis } = opened({ address: { ...server.address, password: 'wrong-password' } });
    const failure = await redis.call('PING').catch((error: unknown) => error);
    expect(failure).toMatchObject({ exit: 'configuration', code: 'server-login' });
    expect(inspect(failure, { depth: 9 })).not.toContain('wrong-password');
    const missing = opened(server);
    await expect(missing.redis.call('PING')).rejects.toMatchObject({ exit: 'configuration', code: 'server-login' });
    const right = opened({ address: { ...server.address, password: 'right' } });
    expect(await right.redis.call('PING')).toEqual(Buffer.from('PONG'));
  });

  it('uses its database, and refuses one that the server does not have', async () => {
    const server = await started();
    const { redis } = opened({ address: { ...server.address, database: 2 } });
    await redis.call('SET', 'a', 1);
    expect(await server.redis.call('GET', 'a')).toBeNull();
    const wrong = opened({ address: { ...server.address, database: 99 } });
    await expect(wrong.redis.call('PING')).rejects.toMatchObject({ exit: 'configuration', code: 'server-refused' });
  });

  it('reports a full server', async () => {
    const { redis } = await started('--maxmemory', '100kb');
    const full = { exit: 'configuration', code: 'server-full' };
    await expect(redis.call('SET', 'a', 1)).rejects.toMatchObject(full);
  });

  it('does not hang with TLS to a server without it', async () => {
    const server = await started();
    const { redis } = opened({ address: { ...server.address, tls: true }, connectTimeout: 2_000 });
    await expect(redis.call('PING')).rejects.toMatchObject({ name: 'CliError' });
  });
});

it('reports a server of another kind', async () => {
  const server = createHttpServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const redis = openRedis({ address: { host: '127.0.0.1', port: portOf(server), tls: false, database: 0 } });
  onTestFinished(redis.close);
  await expect(redis.call('PING')).rejects.toMatchObject({
    exit: 'configuration',
    message: `127.0.0.1:${portOf(server)}/0 is not a Valkey or Redis server`,
  });
});

it('reports a host that is unknown', async () => {
  const { redis } = opened({ address: { host: 'nowhere.invalid', port: 6_379, tls: false, database: 0 } });
  await expect(redis.call('PING')).rejects.toMatchObject({ exit: 'network', code: 'unknown-host' });
});

describe('a server that does not answer', () => {
  it('is not waited for longer than it may take', async () => {
    const { redis } = await silent();
    await expect(redis.call('PING')).rejects.toMatchObject({ exit: 'network', code: 'timeout' });
  });

  it('causes no warning of Node, however many calls wait for it', async () => {
    const { redis } = await silent();
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const calls = Array.from({ length: 20 }, () => redis.call('PING'));
    const ended = await Promise.allSettled(calls);
    await new Promise(setImmediate);
    expect([ended.map(({ status }) => status), warnings]).toEqual([calls.map(() => 'rejected'), []]);
  });
});

async function silent() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const found = server.address();
  const port = typeof found === 'object' && found ? found.port : 0;
  return opened({ address: { host: '127.0.0.1', port, tls: false, database: 0 }, replyTimeout: 50 });
}

async function started(...settings: readonly string[]) {
  const server = await startRedis(...settings);
  onTestFinished(() => server.stop());
  return server;
}

function opened(options: RedisOptions) {
  const redis = openRedis(options);
  onTestFinished(() => redis.close());
  return { redis };
}

function nameOf({ address }: { readonly address: { readonly port: number } }): string {
  return `127.0.0.1:${address.port}/0`;
}
