import { createHash } from 'node:crypto';
import type { Redis as Client } from 'iovalkey';
import { CliError, configuration } from './errors.ts';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database: number;
}

export interface RedisOptions {
  readonly address: RedisAddress;
  /** Certificates in PEM format that TLS trusts instead of the usual ones. */
  readonly ca?: string | undefined;
  /** Milliseconds to wait for a connection. Default: 5 s. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds to wait for a reply. Default: 10 s. */
  readonly replyTimeout?: number | undefined;
}

export type Argument = string | number | Uint8Array;
export type Reply = Buffer | number | null | readonly Reply[];

/**
 * A connection to a Valkey or Redis server. The first call connects, and so does the next call after a connection was
 * lost; a failed call is not repeated. Errors name the server, never its password.
 */
export interface Redis {
  /** Host, port and database, for messages. */
  readonly name: string;
  call(command: string, ...words: readonly Argument[]): Promise<Reply>;
  /** Runs a script. Calls of one turn of the event loop are executed in their order. */
  run(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<Reply>;
  close(): void;
}

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function createScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

function redisName({ host, port, database }: RedisAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

export function openRedis(options: RedisOptions): Redis {
  const name = redisName(options.address);
  let current: Promise<Client> | undefined;
  let isClosed = false;

  return {
    name,
    call: (command, ...words) => send((client) => client.callBuffer(command, words.map(wordOf))),
    run: ({ text, sha1 }, keys, words) =>
      send(async (client) => {
        const rest = [keys.length, ...keys, ...words.map(wordOf)];
        try {
          return await client.callBuffer('EVALSHA', [sha1, ...rest]);
        } catch (error) {
          if (!startsWith(error, 'NOSCRIPT')) throw error;
          return await client.callBuffer('EVAL', [text, ...rest]);
        }
      }),
    close() {
      isClosed = true;
      current?.then(disconnect, () => {});
      current = undefined;
    },
  };

  async function send(act: (client: Client) => Promise<unknown>): Promise<Reply> {
    if (isClosed) throw new Error(`the connection to ${name} is closed`);
    const connection = (current ??= connect());
    let client: Client | undefined;
    try {
      client = await connection;
      return replyIn(await act(client));
    } catch (error) {
      // An error reply leaves the connection intact.
      const isBroken = !client || !isReply(error);
      // All calls under way fail, and the first one ends the connection.
      if (isBroken && current === connection) {
        current = undefined;
        if (client) disconnect(client);
      }
      throw errorOf(name, error);
    }
  }

  async function connect(): Promise<Client> {
    const { Redis } = await import('iovalkey');
    const { host, port, tls, user, password, database } = options.address;
    const client = new Redis({
      host,
      port,
      ...(tls && { tls: options.ca === undefined ? {} : { ca: options.ca } }),
      lazyConnect: true,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      connectTimeout: options.connectTimeout ?? 5_000,
      commandTimeout: options.replyTimeout ?? 10_000,
    });
    let fault: unknown;
    client.on('error', (error: unknown) => (fault = error));
    try {
      await client.connect();
      if (password !== undefined) await client.callBuffer('AUTH', user === undefined ? [password] : [user, password]);
      if (database !== 0) await client.callBuffer('SELECT', [database]);
      return client;
    } catch (error) {
      disconnect(client);
      throw isReply(error) ? error : (fault ?? error);
    }
  }
}

function disconnect(client: Client): void {
  client.disconnect();
}

function wordOf(word: Argument): string | number | Buffer {
  return typeof word === 'object' ? Buffer.from(word.buffer, word.byteOffset, word.byteLength) : word;
}

function replyIn(value: unknown): Reply {
  if (Array.isArray(value)) return value.map((one: unknown) => replyIn(one));
  return Buffer.isBuffer(value) || typeof value === 'number' ? value : null;
}

/** An error that the server sent: the client adds the command to it. The names of classes are lost in the bundle. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && 'command' in error;
}

function startsWith(error: unknown, word: string): boolean {
  return isReply(error) && error.message.startsWith(`${word} `);
}

/** Errors of a server that may accept the same call a little later. */
const passing: ReadonlySet<string> = new Set(['LOADING', 'MASTERDOWN', 'READONLY', 'BUSY', 'TRYAGAIN', 'CLUSTERDOWN']);
const refusals: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'DENIED']);

function errorOf(name: string, error: unknown): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  return isReply(error) ? refusalOf(name, error) : failureOf(name, error);
}

/** Without a cause: the client adds the command to it, and that may contain the password. */
function refusalOf(name: string, { message: answer }: Error): Error {
  const [word = ''] = answer.split(' ', 1);
  const message = `${name} answered: ${answer}`;
  if (passing.has(word)) return new CliError('network', 'unreachable', message);
  if (refusals.has(word) || /AUTH|password/.test(answer))
    return configuration('server-login', message, 'check its user and password');
  if (word === 'OOM')
    return configuration('server-full', `${name} is full`, 'raise its maxmemory, or remove other data');
  if (/\bWRONGTYPE\b/.test(answer))
    return configuration('server-refused', `the data on ${name} are damaged: ${answer}`, 'restore them from a backup');
  if (word === 'MISCONF') return configuration('server-full', message, 'check the disk of the server, and its log');
  if (word === 'MOVED') return configuration('server-refused', `${name} is part of a cluster`);
  return configuration('server-refused', message);
}

function failureOf(name: string, error: Error): Error {
  if (error.message.startsWith('Protocol error'))
    return configuration('server-refused', `${name} is not a Valkey or Redis server`, 'check its host and port');
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new CliError('network', 'unknown-host', `cannot find the host of ${name}`, { cause: error });
  if (isTls(code)) {
    const hint = 'check whether the server uses TLS (rediss://), and its certificate';
    return configuration('tls', `the TLS connection to ${name} failed: ${error.message}`, hint, error);
  }
  if (code === 'ETIMEDOUT' || error.message.includes('timed out'))
    return new CliError('network', 'timeout', `${name} did not answer in time`, { cause: error });
  const why = code === '' ? error.message : code;
  return new CliError('network', 'unreachable', `cannot reach ${name} (${why})`, { cause: error });
}

function isTls(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code);
}

/** Readers of replies. A reply of another form is a bug. */
export function text(reply: Reply | undefined): string {
  return bytes(reply).toString();
}

export function bytes(reply: Reply | undefined): Buffer {
  if (!Buffer.isBuffer(reply)) throw new Error('the server returned no text');
  return reply;
}

/** Undefined for nothing. */
export function maybeText(reply: Reply | undefined): string | undefined {
  return Buffer.isBuffer(reply) ? reply.toString() : undefined;
}

/** Servers return large numbers, and those in hashes, as text; nothing is 0. */
export function integer(reply: Reply | undefined): number {
  if (typeof reply === 'number') return reply;
  return Buffer.isBuffer(reply) ? Number(reply.toString()) : 0;
}

export function list(reply: Reply | undefined): readonly Reply[] {
  if (!Array.isArray(reply)) throw new Error('the server returned no list');
  return reply;
}
