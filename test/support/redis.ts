import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Redis, type RedisAddress, openRedis } from '../../src/base/redis.ts';

const binary = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);

/** Why tests with a server are skipped; undefined if they run. */
export const noRedis = binary === undefined ? 'redis-server is not installed, or cannot run' : undefined;

export interface RedisServer {
  readonly address: RedisAddress;
  readonly folder: string;
  /** A connection that `stop` closes. */
  readonly redis: Redis;
  /** Starts it again, after it was killed or to change its settings. */
  start(...settings: readonly string[]): Promise<void>;
  /** As `kill -9`. */
  kill(): Promise<void>;
  /** For SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a server on a free port, in a temporary folder; the settings decide whether it keeps its data. */
export async function startRedis(...settings: readonly string[]): Promise<RedisServer> {
  for (let attempt = 1; ; attempt++) {
    const server = await prepared();
    try {
      await server.start(...settings);
      return server;
    } catch (error) {
      await server.stop();
      // Another process may have taken the port.
      if (attempt === 3) throw error;
    }
  }
}

async function prepared(): Promise<RedisServer> {
  if (binary === undefined) throw new Error(noRedis);
  const program = binary;
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-redis-'));
  const address = { host: '127.0.0.1', port: await freePort(), tls: false, database: 0 };
  const redis = openRedis({ address });
  let server: ReturnType<typeof spawn> | undefined;
  let ended: Promise<unknown> | undefined;
  return {
    address,
    folder,
    redis,
    start,
    kill,
    signal: (name) => void server?.kill(name),
    async stop() {
      redis.close();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function start(...words: readonly string[]): Promise<void> {
    const options = ['--port', String(address.port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...words];
    const child = (server = spawn(program, options, { stdio: 'ignore' }));
    ended = once(child, 'exit');
    while (child.exitCode === null && !(await isReady())) await new Promise((go) => setTimeout(go, 20));
    if (child.exitCode !== null)
      throw new Error(`${program} ended: ${execFileSync(program, ['--version']).toString()}`);
  }

  async function isReady(): Promise<boolean> {
    const probe = openRedis({ address });
    try {
      await probe.call('PING');
      return true;
    } catch (error) {
      // It wants a password or TLS.
      return error instanceof Error && /NOAUTH|TLS/.test(error.message);
    } finally {
      probe.close();
    }
  }

  async function kill(): Promise<void> {
    server?.kill('SIGKILL');
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  server.close();
  await once(server, 'close');
  return typeof found === 'object' && found ? found.port : 0;
}
