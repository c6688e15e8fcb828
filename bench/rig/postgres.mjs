// A PostgreSQL server in a folder of its own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const root = '/usr/lib/postgresql';

export async function startPostgres() {
  const bin = (name) => `${root}/${readdirSync(root).at(-1)}/bin/${name}`;
  const folder = mkdtempSync('/tmp/bizmsg-bench-pg-');
  // PostgreSQL refuses to run as root.
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  const user = process.getuid() === 0 ? { uid: Number(uid), gid: Number(gid) } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, stdio: 'ignore' };
  const port = String(20_000 + (process.pid % 10_000));
  execFileSync(
    bin('initdb'),
    ['-D', `${folder}/data`, '-U', 'postgres', '-A', 'trust', '--locale', 'C.UTF-8'],
    options,
  );
  const server = spawn(bin('postgres'), ['-D', `${folder}/data`, '-k', folder, '-p', port], options);
  while (spawnSync(bin('pg_isready'), ['-h', folder, '-p', port]).status !== 0) await sleep(25);
  const end = async () => {
    server.kill('SIGINT');
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  };
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, end };
}
