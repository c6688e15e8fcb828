// Eight machines of a team with one job and one file: each row is sent by one of them, at the rate of the plan.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bizmsg, end, freePort, launch, launchAny, newPath } from '../rig/processes.mjs';
import { openAccount, rowsOf } from './account.mjs';

const machines = 8;
const secret = 'bench'.padEnd(43, '-');

export async function team(isQuick) {
  const what = `${machines} machines of a team, one job`;
  const server = ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error);
  if (!server) return [{ what, value: 'redis-server is not installed' }];
  const rows = isQuick ? 48 : 112;
  const account = await openAccount();
  const port = String(await freePort());
  const folder = newPath('redis');
  mkdirSync(folder);
  const redis = launchAny([server, '--port', port, '--dir', folder, '--appendonly', 'yes'], 'ignore', {});
  await listening(port);
  const file = newPath('people.csv');
  const phones = Array.from({ length: rows }, (_, row) => `+1202555${String(row).padStart(4, '0')}\n`);
  writeFileSync(file, `phone\n${phones.join('')}`);
  const children = Array.from({ length: machines }, () => {
    const words = [bizmsg, 'send-batch', 'order_update', file, '--quiet', '--rate', '100%', '--job', 'bench'];
    const variables = { BIZMSG_STATE_DIR: newPath('state'), BIZMSG_TEAM: `redis://127.0.0.1:${port}#${secret}` };
    return launch(words, 'ignore', { ...account.variables, ...variables });
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  await end(redis);
  if (codes.some((code) => code !== 0)) throw new Error(`the batches exited with ${codes.join(', ')}`);
  // Each requests the templates first.
  return rowsOf(account, `${what} of ${rows} rows, 60/m`, rows + machines);
}

async function listening(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(Number(port), '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('the server of the team did not start');
}
