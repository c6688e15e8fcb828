import { afterAll, beforeAll } from 'vitest';
import { createBook } from '../../src/ledger/book.ts';
import type { Ledger, RunState } from '../../src/ledger/ledger.ts';
import { createMemoryLedger } from '../../src/ledger/memory.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { createServerWorld } from './redis-world.ts';

/** Processes with a shared ledger, and a clock that the test moves. */
export interface Machine {
  now(): number;
  wait(milliseconds: number): void;
  /** Makes a process look dead. */
  kill(pid: number): void;
  revive(pid: number): void;
  /** A new process. */
  start(): Ledger & { readonly pid: number };
}

/** The implementations that must decide alike. The one on a server is left out if none is installed. */
export const machines: readonly { readonly where: string; readonly createMachine: () => Machine }[] = [
  { where: 'in memory', createMachine: createMemoryMachine },
  ...(noRedis === undefined ? [{ where: 'on a server', createMachine: createServerMachine }] : []),
];

let server: RedisServer | undefined;
let servers = 0;

/** Starts the server of a test file. */
export function useServer(): void {
  beforeAll(async () => void (noRedis === undefined && (server = await startRedis())));
  afterAll(() => server?.stop());
}

export async function countsOf(machine: Machine, run: string): Promise<RunState['counts'] | undefined> {
  return (await machine.start().runs()).find(({ id }) => id === run)?.counts;
}

function createMemoryMachine(): Machine {
  let [pid, id, now] = [0, 0, Date.UTC(2026, 2, 4, 12)];
  const book = createBook();
  const dead = new Set<number>();
  return {
    now: () => now,
    wait: (milliseconds) => void (now += milliseconds),
    kill: (pid) => void dead.add(pid),
    revive: (pid) => void dead.delete(pid),
    start() {
      const own = ++pid;
      const isAlive = (owner: { readonly pid: number }) => !dead.has(owner.pid);
      const ledger = createMemoryLedger({ book, pid: own, start: undefined, now: () => now, isAlive, newId });
      return { ...ledger, pid: own };
    },
  };

  function newId(): string {
    return `id${++id}`;
  }
}

function createServerMachine(): Machine {
  if (!server) throw new Error('the server was not started');
  const world = createServerWorld(server.redis, server, server.folder, `machine ${++servers}`);
  let pid = 0;
  return {
    ...world,
    revive: (pid) => world.setSilent(pid, false),
    start() {
      const own = ++pid;
      return { ...world.open(own), pid: own };
    },
  };
}
