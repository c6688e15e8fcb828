import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { deadPort } from '../client/servers.ts';

/** A PostgreSQL server of a test, in a folder of its own. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

const root = '/usr/lib/postgresql';
const bouncer = '/usr/sbin/pgbouncer';

function binFolder(): string | undefined {
  const versions = existsSync(root) ? readdirSync(root) : [];
  const folders = versions.map((version) => join(root, version, 'bin'));
  return folders.findLast((folder) => existsSync(join(folder, 'initdb')));
}

/** Another user than root, which PostgreSQL refuses. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : undefined;
}

/** Why there is no server here; undefined if there is one. */
export const missingPostgres: string | undefined =
  binFolder() === undefined
    ? 'PostgreSQL is not installed'
    : process.getuid?.() === 0 && !owner()
      ? 'there is no user postgres, and root cannot run a server'
      : undefined;

interface PostgresSettings {
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines of pg_hba.conf; by default everyone of this machine is trusted. */
  readonly access?: string;
  /** The certificate and the key of the server. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Makes a replica of this server. */
  readonly copyOf?: { readonly where: readonly string[] };
}

/** Stops the server in folder $1 once process $0 has ended. */
const cleaning = `while kill -0 $0 2>/dev/null; do sleep 1; done
  kill -INT "$(head -n 1 "$1/data/postmaster.pid")"; sleep 2; rm -rf "$1"`;

export async function startPostgres({ settings = {}, access, tls, copyOf }: PostgresSettings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-pg-'));
  const user = owner();
  const as = user ?? {};
  const bin = (name: string) => join(binFolder() ?? '', name);
  chmodSync(folder, 0o755);
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initial = ['initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C'];
  const copied = ['pg_basebackup', ...(copyOf?.where ?? []), '-D', data, '-R', '-c', 'fast'];
  const [command = '', ...words] = copyOf ? copied : initial;
  execFileSync(bin(command), words, { ...as, cwd: folder, stdio: 'pipe' });
  const port = await deadPort();
  const where = ['-h', folder, '-p', String(port), '-U', 'postgres'];
  const piped = { encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 28 } as const;
  let child: ChildProcess | undefined;
  const server = {
    port,
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    bin,
    pid: () => child?.pid ?? 0,
    /** The options with which its programs find it. */
    where,
    /** Runs statements as its superuser; returns what psql prints. */
    sql: (text: string, database = 'postgres') => {
      const args = [...where, '-d', database, '-XAtq', '-v', 'ON_ERROR_STOP=1'];
      return execFileSync(bin('psql'), args, { ...piped, input: text }).trim();
    },
    dump: (database: string) => execFileSync(bin('pg_dump'), [...where, '-n', 'bizmsg', database], piped),
    /** Replaces the tables by those of a dump. */
    restore(database: string, dump: string) {
      // It would wait for the transactions of clients.
      const others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bizmsg'";
      server.sql(`BEGIN; ${others}; DROP SCHEMA bizmsg CASCADE; ${dump}; COMMIT`, database);
    },
    /** A session of psql that stays open. */
    session(database: string, text: string) {
      const session = spawn(bin('psql'), [...where, '-d', database, '-XAtq'], { stdio: ['pipe', 'ignore', 'ignore'] });
      session.stdin?.write(`${text}\n`);
      return session;
    },
    /** Starts it again after `stop` or `kill`. */
    async start(): Promise<void> {
      const all = {
        listen_addresses: '127.0.0.1',
        unix_socket_directories: folder,
        port: String(port),
        ...(tls && { ssl: 'on' }),
        ...settings,
      };
      const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      child = spawn(bin('postgres'), ['-D', data, ...args], { ...as, cwd: folder, stdio: 'ignore' });
      for (let tries = 0; tries < 2_000; tries++) {
        try {
          server.sql('SELECT 1');
          return;
        } catch {
          await sleep(25);
        }
      }
      throw new Error('PostgreSQL does not start');
    },
    stop: () => ending('SIGINT'),
    /** `kill -9` of all its processes. */
    async kill(): Promise<void> {
      if (!child) return;
      // Stopped, it starts no more children, which would keep its memory in use.
      child.kill('SIGSTOP');
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
      for (const pid of children.trim().split(/\s+/)) tryKill(Number(pid));
      await ending('SIGKILL');
    },
  };
  if (access !== undefined) writeFileSync(join(data, 'pg_hba.conf'), access);
  for (const [name, text] of Object.entries(tls ?? {})) {
    writeFileSync(join(data, `server.${name === 'cert' ? 'crt' : name}`), text, { mode: 0o600 });
    if (user) chownSync(join(data, `server.${name === 'cert' ? 'crt' : name}`), user.uid, user.gid);
  }
  // A worker of the tests is ended without a chance to stop its servers.
  spawn('sh', ['-c', cleaning, String(process.pid), folder], { stdio: 'ignore', detached: true }).unref();
  await server.start();
  return server;

  async function ending(signal: NodeJS.Signals): Promise<void> {
    if (!child) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    await ended;
    child = undefined;
  }
}

function tryKill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

let shared: Promise<PostgresServer> | undefined;

/** One server for all tests of a worker. It loses its data with a power cut. */
export function sharedPostgres(): Promise<PostgresServer> {
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };
  return (shared ??= startPostgres({ settings }));
}

/** The URL of a new database on a server. */
export function newDatabase({ sql, url }: PostgresServer, options = ''): string {
  const name = `d${Math.random().toString(36).slice(2)}`;
  sql(`CREATE DATABASE ${name} ${options}`);
  return url.replace(/\w+$/, name);
}

/** Why there is no PgBouncer here; undefined if there is one. */
export const missingBouncer: string | undefined =
  missingPostgres ?? (existsSync(bouncer) ? undefined : 'PgBouncer is not installed');

/** Starts PgBouncer before a server, in transaction mode with two connections; returns its port. */
export async function startBouncer({ port, folder }: PostgresServer): Promise<number> {
  const listenPort = await deadPort();
  const config = join(folder, `bouncer-${listenPort}.ini`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 2,
    server_login_retry: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${port} user=postgres\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const child = spawn(bouncer, [config], { ...owner(), stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  while (!(await accepts(listenPort))) await sleep(20);
  return listenPort;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
