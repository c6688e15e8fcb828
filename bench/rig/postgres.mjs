// A PostgreSQL server in a folder of its own, and a proxy that makes it distant.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = '/usr/lib/postgresql';

/** Starts a server; undefined if there is none on this machine. */
export async function startPostgres(settings = {}) {
  const version = existsSync(root)
    ? readdirSync(root).findLast((name) => existsSync(join(root, name, 'bin/initdb')))
    : '';
  if (!version) return undefined;
  const bin = (name) => join(root, version, 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-bench-pg-'));
  // PostgreSQL refuses to run as root.
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  const as = process.getuid() === 0 ? { uid: Number(uid), gid: Number(gid) } : {};
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const options = { ...as, cwd: folder, stdio: 'ignore' };
  execFileSync(bin('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C'], options);
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, port, ...settings };
  const words = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child;
  const server = { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, kill, sql, end };
  await start();
  return server;

  async function start() {
    child = spawn(bin('postgres'), ['-D', data, ...words], options);
    for (;;) {
      try {
        return void sql('SELECT 1');
      } catch {
        await sleep(25);
      }
    }
  }

  function sql(text) {
    const where = ['-h', folder, '-p', String(port), '-U', 'postgres', '-XAtq'];
    return execFileSync(bin('psql'), [...where, '-c', text], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }

  /** `kill -9` of all its processes. */
  async function kill() {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGSTOP');
    const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
    for (const pid of pids.trim().split(/\s+/)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    child.kill('SIGKILL');
    await ended;
  }

  async function end() {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Forwards to a port, with this round trip in milliseconds. */
export async function startDistance(target, roundTrip) {
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.setNoDelay(true);
      from.on('data', (part) => {
        later(roundTrip / 2, () => to.write(part));
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, end: () => server.close() };
}

/** Timers of Node are a millisecond late, so it looks again and again. */
function later(milliseconds, act) {
  const due = performance.now() + milliseconds;
  const look = () => (performance.now() >= due ? act() : setImmediate(look));
  look();
}
