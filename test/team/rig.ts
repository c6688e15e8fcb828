import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { prefixOf, setUpTeam } from '../../src/ledger/redis/server.ts';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, cli, type Ran } from '../support/cli.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { type Answering, type Asked, envOf, openService, type Service } from '../support/service.ts';

export const secret = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
export const otherSecret = 'ZbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdZ';

/** The file in a machine's home whose rows it sends. */
const people = 'people.csv';

/** A machine of a team: its own home, with its own state. */
export interface Machine {
  readonly home: string;
  bin(argv: readonly string[], more?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The same in this process, which takes a tenth of the time. */
  run(argv: readonly string[], more?: Readonly<Record<string, string>>, stdin?: string): Promise<Ran>;
  start(argv: readonly string[], more?: Readonly<Record<string, string>>): Running;
}

export interface Team {
  readonly server: RedisServer;
  readonly service: Service;
  readonly url: string;
  newMachine(url?: string): Machine;
}

/** Loses nothing that a killed process has written: what the server accepted is in its file. */
export const persistent = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];

/** A service with a live key, and a server that machines share. */
export async function newTeam(
  decide?: (asked: Omit<Asked, 'reply'>) => Answering,
  settings: readonly string[] = persistent,
): Promise<Team> {
  const server = await startRedis(...settings);
  const service = await openService(decide);
  onTestFinished(async () => {
    service.close();
    await server.stop();
  });
  // A full server refuses it.
  await setUpTeam(server.redis, secret).catch(() => {});
  const url = `redis://127.0.0.1:${server.address.port}#${secret}`;
  return { server, service, url, newMachine: (given = url) => newMachine(service, given) };
}

function newMachine(service: Service, url: string): Machine {
  const { path: home, remove } = temporaryHome();
  onTestFinished(remove);
  mkdirSync(join(home, '.config'));
  const env = { ...envOf(service), ...(url !== '' && { BIZMSG_TEAM: url }) };
  return {
    home,
    bin: (argv, more = {}) => bin(argv, { home, env: { ...env, ...more }, cwd: home }),
    run: (argv, more = {}, stdin = '') => {
      const words = argv.map((word) => (word === people ? join(home, people) : word));
      return cli(words, { home, env: { ...env, ...more }, stdin });
    },
    start(argv, more = {}) {
      const running = startBin(argv, { home, env: { ...env, ...more }, cwd: home });
      onTestFinished(() => void alive(running.pid, 'SIGKILL'));
      return running;
    },
  };
}

/** A proxy to a server, which can be cut: connections stay open and nothing passes. */
export interface Cable {
  readonly url: string;
  cut(): void;
  mend(): void;
}

export async function newCable(to: string): Promise<Cable> {
  const port = Number(new URL(to).port);
  const sockets = new Set<Socket>();
  let isCut = false;
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => sockets.delete(one));
      if (isCut) one.pause();
    }
    near.pipe(far);
    far.pipe(near);
    if (isCut) [near, far].forEach((one) => one.unpipe().pause());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  return {
    url: to.replace(`:${port}`, `:${address.port}`),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    // Packets that were dropped are lost, so connections from before do not continue.
    mend() {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Makes the server think that 90 s have passed since this process last sent a heartbeat. */
export async function silenced(team: Team, { pid }: Pick<Running, 'pid'>): Promise<void> {
  const { redis } = team.server;
  // The connection may be one to a server that was killed since.
  await redis.call('PING').catch(() => {});
  const prefix = prefixOf(`${team.service.url} team`);
  const found = await redis.call('ZRANGE', `${prefix}active`, 0, -1);
  for (const worker of Array.isArray(found) ? found.map(String) : []) {
    const owner = await redis.call('HGET', `${prefix}worker:${worker}`, 'pid');
    if (Number(String(owner)) === pid) await redis.call('ZADD', `${prefix}active`, 1, worker);
  }
}

/** Phones that were asked for more than once. */
export function twice({ asked }: Service): readonly string[] {
  const seen = new Set<string>();
  return asked.flatMap(({ phone }) => (seen.size === seen.add(phone).size ? [phone] : []));
}

/** Whether a request at this moment is within a limit for any window of this length, which starts with a request. */
export function strictWindow(limit: number, window: number): () => boolean {
  const taken: number[] = [];
  return () => {
    const now = performance.now();
    while ((taken[0] ?? Infinity) <= now - window) taken.shift();
    if (taken.length >= limit) return false;
    taken.push(now);
    return true;
  };
}
