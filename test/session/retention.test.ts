import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { openStore } from '../commands/batches-rig.ts';
import { authorityFile } from '../client/servers.ts';
import { accountKeys, openApi } from '../support/api.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

const day = 86_400_000;
const login = 'login --no-check --profile acme --base-url https://api.example.com --key-stdin'.split(' ');
let home: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  home = newHome();
  env = await openApi();
  await cli(login, { home, stdin: accountKeys.live });
});

function send(phone: string, now = Date.now) {
  const words = ['send-template', phone, 'welcome', '--profile', 'acme', '--mode', 'live', '--ca-file', authorityFile];
  return cli(words, { home, env, now });
}

/** Sends two messages, the first 31 days ago; resolves to whether their texts are kept. */
async function sendTwo(now?: () => number): Promise<readonly boolean[]> {
  expect(await send('+12025550101')).toMatchObject({ code: 0 });
  const ledger = await openStore(join(home, '.local/state/bizmsg/ledger.db'));
  await ledger.write(() => query('UPDATE item SET at = at - $1', 31 * day));
  await ledger.write(() => query('UPDATE meta SET expired_at = 0'));
  expect(await send('+12025550102', now)).toMatchObject({ code: 0 });
  const rows = await ledger.read(() => query('SELECT body FROM item ORDER BY n'));
  return rows.map(({ body }) => body !== null);
}

it('a single message erases texts that are 30 days old', async () => {
  expect(await sendTwo()).toEqual([false, true]);
});

it('nothing is erased by a clock that differs from that of the service', async () => {
  expect(await sendTwo(() => Date.now() + 2 * day)).toEqual([true, true]);
});
