// Starts a server for a team's ledger.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bizmsg, end, environment, freePort, launchAny, newPath } from './processes.mjs';

const program = ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error);

/** The reason why there is no server, if any. */
export const noRedis = program ? undefined : { unmeasured: 'redis-server is not installed' };

/** `url` is the URL of a team. */
export async function startRedis() {
  const port = await freePort();
  const folder = newPath('redis');
  mkdirSync(folder);
  const settings = ['--port', String(port), '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'];
  const child = launchAny([program, ...settings], 'ignore', {});
  await listening(port);
  const words = ['team', 'new', `redis://127.0.0.1:${port}`, '--quiet'];
  const { stdout } = spawnSync(process.execPath, [bizmsg, ...words], { env: environment(), encoding: 'utf8' });
  return { url: stdout.trim(), end: () => end(child) };
}

async function listening(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('the server of the team did not start');
}
