import { join } from 'node:path';
import { heartbeatInterval } from '../../src/base/liveness.ts';
import { createScript, openRedis, type Redis, type Reply } from '../../src/base/redis.ts';
import { openRedisLedger, type RedisLedger, type RedisLedgerOptions } from '../../src/ledger/redis/redis-ledger.ts';
import { prefixOf, setUpTeam } from '../../src/ledger/redis/server.ts';
import type { RedisServer } from '../support/redis.ts';
import { later } from '../support/cli.ts';
import { manualTimers } from '../support/timers.ts';
import { secret } from './rig.ts';

export interface ServerLedgerOptions extends Partial<RedisLedgerOptions> {
  /** The folder of this machine. */
  readonly folder: string;
}

/** A ledger on a server; each has a connection of its own, unless one is passed. */
export function openServerLedger(server: RedisServer, { folder, ...options }: ServerLedgerOptions): RedisLedger {
  const redis = options.redis ?? openRedis({ address: server.address });
  // Calls are executed in their order.
  setUpTeam(redis, options.secret ?? secret).catch(() => {});
  return openRedisLedger({
    redis,
    account: 'acme',
    secret,
    lastSeen: join(folder, 'team.json'),
    pid: process.pid,
    now: Date.now,
    steady: () => performance.now(),
    later,
    ...options,
  });
}

/** Makes the server think that a process has been silent for long. */
const silence = createScript(`
for _, one in ipairs(redis.call('ZRANGE', KEYS[1] .. 'active', 0, -1)) do
  if redis.call('HGET', KEYS[1] .. 'worker:' .. one, 'pid') == ARGV[1] then redis.call('ZADD', KEYS[1] .. 'active', 0, one) end
end
`);

/** Processes that share one connection, so that all calls have one order, and a clock that the test moves. */
export function createServerWorld(redis: Redis, server: RedisServer, folder: string, account: string) {
  let shift = 0;
  const silent = new Set<number>();
  const timers = new Map<number, ReturnType<typeof manualTimers>>();
  let copied: readonly Reply[] = [];
  const beat = () => {
    for (const [pid, own] of timers) if (!silent.has(pid)) own.fire(heartbeatInterval);
  };
  const kill = (pid: number) => {
    silent.add(pid);
    void redis.run(silence, [prefixOf(account)], [pid]);
  };
  return {
    open(pid: number, acceptLoss = false): RedisLedger {
      const own = manualTimers();
      timers.set(pid, own);
      const lastSeen = join(folder, `${account}.json`);
      return openServerLedger(server, {
        folder,
        redis,
        account,
        pid,
        lastSeen,
        acceptLoss,
        later: own.later,
        ahead: () => shift,
      });
    },
    kill,
    setSilent: (pid: number, isSilent: boolean) => void (isSilent ? kill(pid) : silent.delete(pid)),
    /** The living send heartbeats meanwhile. */
    wait(milliseconds: number): void {
      shift += milliseconds;
      beat();
    },
    now: () => Date.now() + shift,
    end: async () => {},
    copies: {
      async make(): Promise<void> {
        const found = await redis.run(copy, [prefixOf(account)], []);
        copied = Array.isArray(found) ? found : [];
      },
      /** Copies are older than a heartbeat, and the living notice the loss with their next one. */
      async restore(): Promise<void> {
        beat();
        // The living have the answers, so they know more than the copy.
        await redis.call('PING');
        await new Promise(setImmediate);
        await redis.run(
          restore,
          [prefixOf(account)],
          copied.map((one) => (Buffer.isBuffer(one) ? one : '')),
        );
        // In the copy, they have just sent a heartbeat.
        for (const pid of silent) await redis.run(silence, [prefixOf(account)], [pid]);
        beat();
      },
    },
  };
}

const copy = createScript(`
local all = {}
for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do
  all[#all + 1] = key
  all[#all + 1] = redis.call('DUMP', key)
end
return all
`);

const restore = createScript(`
for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do redis.call('DEL', key) end
for at = 1, #ARGV, 2 do redis.call('RESTORE', ARGV[at], 0, ARGV[at + 1]) end
`);

const dump = createScript(`
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = key
  local kind = redis.call('TYPE', key).ok
  local found = kind == 'string' and { redis.call('GET', key) } or kind == 'hash' and redis.call('HGETALL', key)
    or kind == 'set' and redis.call('SMEMBERS', key) or redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for _, one in ipairs(found) do all[#all + 1] = one end
end
return table.concat(all, '|')
`);

/** All keys, fields and values. */
export async function contentOf(redis: Redis): Promise<Buffer> {
  const content = await redis.run(dump, [], []);
  if (!Buffer.isBuffer(content)) throw new Error('the server has no data');
  return content;
}
