// Eight machines of a team with one job and one file: each row is sent by one of them, at the rate of the plan.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { bizmsg, launch, newPath } from '../rig/processes.mjs';
import { noRedis, startRedis } from '../rig/redis.mjs';
import { openAccount, rowsOf } from './account.mjs';

const machines = 8;

export async function team(isQuick) {
  if (noRedis) return [{ what: 'one job on several machines', ...noRedis }];
  const rows = isQuick ? 48 : 112;
  const account = await openAccount();
  const redis = await startRedis();
  const file = newPath('people.csv');
  const phones = Array.from({ length: rows }, (_, row) => `+1202555${String(row).padStart(4, '0')}\n`);
  writeFileSync(file, `phone\n${phones.join('')}`);
  const children = Array.from({ length: machines }, () => {
    const words = [bizmsg, 'send-batch', 'order_update', file, '--quiet', '--rate', '100%', '--job', 'bench'];
    const variables = { BIZMSG_STATE_DIR: newPath('state'), BIZMSG_TEAM: redis.url };
    return launch(words, 'ignore', { ...account.variables, ...variables });
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  await redis.end();
  if (codes.some((code) => code !== 0)) throw new Error(`the batches exited with ${codes.join(', ')}`);
  // Each requests the templates first.
  return rowsOf(account, `one job of ${rows} rows, ${machines} machines of a team`, rows + machines);
}
