import { createHash, randomBytes } from 'node:crypto';
import { CliError, configuration, unsafe } from '../../base/errors.ts';
import type { Later } from '../../base/host.ts';
import { heartbeatInterval, longestSilence, processStart } from '../../base/liveness.ts';
import { integer, list, text, type Redis, type Reply, type Argument } from '../../base/redis.ts';
import { checkOf } from '../identity.ts';
import { runGone } from '../ledger.ts';
import { openLastSeen } from './last-seen.ts';
import { dataVersion, ledgerScript } from './script.ts';

export interface ServerOptions {
  readonly redis: Redis;
  /** Names the account, equally on all machines of the team: each has its own data on the server. */
  readonly account: string;
  /** Keys the digests. The server gets only a check value of it. */
  readonly secret: string;
  /** The file in which this machine remembers what it last recorded on this server. */
  readonly lastSeen: string;
  /** The user accepts that the server has lost data. */
  readonly acceptLoss?: boolean | undefined;
  readonly pid: number;
  readonly later: Later;
  /** Milliseconds to add to the server's clock. Default: 0. */
  readonly ahead?: (() => number) | undefined;
  /** Milliseconds without a heartbeat after which a worker counts as dead. */
  readonly silence?: number | undefined;
}

/** Calls the script. Each reply is checked for a loss of data. */
export interface Server {
  /** The id of this process in records. 0 before it has changed anything. */
  worker(): number;
  /** Milliseconds of the server's clock, and its number of changes, as of the latest reply. */
  now(): number;
  order(): number;
  /** Milliseconds of its clock when the user last accepted that it has lost data. */
  lossAcceptedAt(): Promise<number | undefined>;
  /** Calls an operation that only reads, or that needs no worker. */
  read(operation: string, facts?: object, ...rows: readonly Uint8Array[]): Promise<readonly Reply[]>;
  /** Calls an operation that changes something. The first one makes this process a worker. */
  change(operation: string, facts?: object, ...rows: readonly Uint8Array[]): Promise<readonly Reply[]>;
  /** Calls a command on a key of the account. */
  call(command: string, key: string | Buffer, ...words: readonly Argument[]): Promise<Reply>;
  close(): Promise<void>;
}

/** The key of an account on the server, without its name. All keys with the same text in braces share a hash slot. */
export function prefixOf(account: string): string {
  return `bizmsg:{${createHash('sha256').update(account).digest('hex').slice(0, 16)}}:`;
}

/** Set by `team new`: without it, a server without data of the team is one that has lost them. */
function setUpKey(secret: string): string {
  return `bizmsg:team:${checkOf(secret)}`;
}

export async function setUpTeam(redis: Redis, secret: string): Promise<void> {
  await redis.call('SET', setUpKey(secret), Date.now(), 'NX');
}

export function createServer(options: ServerOptions): Server {
  const { redis, account, secret, acceptLoss = false, pid, later, ahead = () => 0, silence = longestSilence } = options;
  const [prefix, check] = [prefixOf(account), checkOf(secret)];
  const lastSeen = openLastSeen(options.lastSeen);
  const start = processStart(pid) ?? '';
  let [epoch, worker, now, order, count] = ['', 0, 0, 0, 0];
  /** Calls that failed. The server refuses a call from before the last one that arrives late, from a broken connection. */
  let failures = 0;
  let lossAcceptedAt: number | undefined;
  /** A process that has joined need not open. */
  const opened = keepingSuccess(async () => void (worker === 0 && (await open(false))));
  const joined = keepingSuccess(() => open(true));
  let stopBeat: (() => void) | undefined;

  return {
    worker: () => worker,
    now: () => now,
    order: () => order,
    async lossAcceptedAt() {
      await opened();
      return lossAcceptedAt;
    },
    async read(operation, facts, ...rows) {
      await opened();
      return run(operation, facts, rows);
    },
    async change(operation, facts, ...rows) {
      if (worker === 0) await joined();
      return run(operation, facts, rows);
    },
    call: (command, key, ...words) =>
      redis.call(command, Buffer.concat([Buffer.from(prefix), Buffer.from(key)]), ...words),
    async close() {
      stopBeat?.();
      try {
        if (worker > 0) await run('end', {}, []);
      } finally {
        lastSeen.close();
      }
    },
  };

  async function open(join: boolean): Promise<void> {
    const fresh = randomBytes(8).toString('hex');
    const facts = { join, accept: acceptLoss, fresh, known: lastSeen.known(), setUp: setUpKey(secret) };
    const [, number, acceptedAt] = await run('open', facts, []);
    lossAcceptedAt = integer(acceptedAt) || undefined;
    if (!join) return;
    worker = integer(number);
    beat();
  }

  /** Replies of calls that were sent together come in their order. */
  async function run(operation: string, facts: object = {}, rows: readonly Uint8Array[]): Promise<readonly Reply[]> {
    const { machine } = lastSeen;
    const common = {
      check,
      epoch,
      order,
      count,
      failures,
      worker,
      machine,
      pid,
      start,
      silence,
      ahead: ahead(),
    };
    const [status, ...rest] = list(await call([operation, JSON.stringify({ ...common, ...facts }), ...rows]));
    if (text(status) !== 'ok') throw refusal(text(status), rest);
    const [time, changes, own, ofMachine, ...result] = rest;
    [now, order] = [Math.max(now, integer(time)), Math.max(order, integer(changes))];
    count = Math.max(count, integer(own));
    if (operation === 'open') epoch = text(result[0]);
    if (integer(ofMachine) > 0) lastSeen.note({ epoch, count: integer(ofMachine), order, at: now });
    return result;
  }

  async function call(words: readonly Argument[]): Promise<Reply> {
    try {
      return await redis.run(ledgerScript, [prefix], words);
    } catch (error) {
      failures += 1;
      throw error;
    }
  }

  /** Between two commands of this machine, the server may lose data, too. */
  function beat(): void {
    const cancel = later(heartbeatInterval, () => {
      run('beat', {}, []).catch(() => {});
      beat();
    });
    stopBeat = cancel;
  }

  function refusal(status: string, [detail]: readonly Reply[]): Error {
    const where = redis.name;
    switch (status) {
      case 'version':
        return configuration(
          'team-version',
          `the data of the team on ${where} is of version ${text(detail)}; this bizmsg reads version ${dataVersion}`,
          'update bizmsg on this machine',
        );
      case 'secret':
        return configuration(
          'team-secret',
          `the data on ${where} was written with another secret`,
          'use the same team URL on all machines',
        );
      case 'unknown':
        return unsafe(
          'team-data-lost',
          `${where} does not know this team: it has lost its data, or the team was never set up there`,
          'check the address, and what was sent; then repeat the command once with --accept-loss',
        );
      case 'lost':
        return lost(integer(detail));
      case 'late':
        return new CliError('network', 'unreachable', `${where} got a call too late`);
      case 'run':
        return runGone(text(detail));
      default:
        return unsafe(
          'run-active',
          `run ${text(detail)} is still running`,
          'stop it first, or wait until it has ended',
        );
    }
  }

  function lost(last: number): CliError {
    const at = Math.max(last, lastSeen.known()?.at ?? 0);
    const when = at === 0 ? '' : `; the last known change was at ${new Date(at).toISOString()}`;
    return unsafe(
      'team-data-lost',
      `${redis.name} has lost data of the team: messages that were sent may be missing${when}`,
      'check what was sent since; then repeat the command once with --accept-loss',
    );
  }
}

/** A failed attempt is not kept: the server may be back with the next call. */
function keepingSuccess(act: () => Promise<void>): () => Promise<void> {
  let acting: Promise<void> | undefined;
  return async () => {
    acting ??= act();
    try {
      await acting;
    } catch (error) {
      acting = undefined;
      throw error;
    }
  };
}
