import { CliError, configuration } from '../../base/errors.ts';
import { list, text, type Redis } from '../../base/redis.ts';

/** The settings of a server that decide whether it may forget what was sent. Undefined if the server does not say. */
export interface Health {
  /** Of Redis, which Valkey reports, too. */
  readonly version: string | undefined;
  /** Whether each change is appended to a file. */
  readonly keepsChanges: boolean | undefined;
  /** When that file is synced to the disk: `always`, `everysec` or `no`. */
  readonly sync: string | undefined;
  /** Its rule for removing data when it is full. */
  readonly eviction: string | undefined;
  readonly isFull: boolean;
}

export async function readHealth(redis: Redis): Promise<Health> {
  const [, server, persistence, memory, config] = await Promise.all([
    // Fails while the server loads its data: until then, INFO reports that it keeps none.
    unlessRefused(redis.call('PING')),
    info(redis, 'server'),
    info(redis, 'persistence'),
    info(redis, 'memory'),
    setting(redis, 'appendfsync'),
  ]);
  const [most, used] = [Number(memory.get('maxmemory') ?? 0), Number(memory.get('used_memory') ?? 0)];
  const isAppending = persistence.get('aof_enabled');
  return {
    version: server.get('valkey_version') ?? server.get('redis_version'),
    keepsChanges: isAppending === undefined ? undefined : isAppending === '1',
    sync: config,
    eviction: memory.get('maxmemory_policy'),
    isFull: most > 0 && used >= most,
  };
}

export interface Unfitness {
  readonly what: string;
  /** The setting to change. */
  readonly hint: string;
}

/** Why the server may forget what was sent, or cannot record it. */
export function unfitnessOf({ keepsChanges, eviction, isFull }: Health): readonly Unfitness[] {
  const found: Unfitness[] = [];
  if (keepsChanges === false)
    found.push({ what: 'forgets what was sent when it restarts', hint: 'set appendonly yes on the server' });
  if (eviction !== undefined && eviction !== 'noeviction')
    found.push({ what: `may remove data when it is full (${eviction})`, hint: 'set maxmemory-policy noeviction' });
  if (isFull) found.push({ what: 'is full', hint: 'raise its maxmemory, or remove other data' });
  return found;
}

/** Throws if the server is unfit for live messages; returns the reason for others. */
export async function checkFitness(redis: Redis, isLive: boolean): Promise<string | undefined> {
  const [first] = unfitnessOf(await readHealth(redis));
  if (!first) return undefined;
  const message = `the server of the team, ${redis.name}, ${first.what}`;
  if (isLive) throw configuration('team-unfit', message, first.hint);
  return `${message}; live messages need: ${first.hint}`;
}

/** Managed servers may forbid it. */
async function info(redis: Redis, section: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await unlessRefused(redis.call('INFO', section).then(text))) ?? '';
  return new Map(Array.from(lines.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name = '', value = '']) => [name, value]));
}

async function setting(redis: Redis, name: string): Promise<string | undefined> {
  return unlessRefused(redis.call('CONFIG', 'GET', name).then((found) => text(list(found)[1])));
}

async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CliError && error.exit === 'configuration') return undefined;
    throw error;
  }
}
