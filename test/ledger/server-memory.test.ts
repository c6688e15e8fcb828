import { expect, it, onTestFinished } from 'vitest';
import { createInput } from '../../src/ledger/input.ts';
import type { Kind } from '../../src/ledger/ledger.ts';
import { isLong } from '../support/long-tests.ts';
import { noRedis, startRedis } from '../support/redis.ts';
import { openServerLedger } from './redis-world.ts';
import { accepted, account, secret, temporaryFolder } from './rig.ts';
import { contactRow, messageRow } from '../../src/ledger/identity.ts';

/** The rows share 65,536 hashes, so fewer rows need more memory each. */
const rows = isLong ? 1_000_000 : 16_384;

it.skipIf(noRedis).each([
  ['message', isLong ? 70 : 210],
  // Contacts also have their latest rows.
  ['contact', isLong ? 100 : 340],
] as const)('a row of kind %s needs at most %i bytes on the server', { timeout: 600_000 }, async (kind, most) => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const ledger = openServerLedger(server, { folder: temporaryFolder() });
  const before = await used();
  const input = createInput(kind);
  for (let row = 0; row < rows; row++) input.add(rowOf(kind, `+1202${row}`));
  const plan = { account, mode: 'live' as const, kind, template: 'welcome', input, choice: {} };
  const { run } = accepted(await ledger.register(plan));
  for (let from = 0; from < rows; from += 2_048) {
    const group = Array.from({ length: Math.min(2_048, rows - from) }, (_, at) => input.read(from + at));
    await ledger.claim(group, { run });
    await ledger.settle(group.map((row) => ({ run, row, outcome: 'done' })));
  }
  // The server gives back the memory of tables that have grown a little later.
  await expect.poll(async () => ((await used()) - before) / rows).toBeLessThan(most);

  async function used(): Promise<number> {
    const text = String(await server.redis.call('INFO', 'memory'));
    return Number(/used_memory:(\d+)/.exec(text)?.[1]);
  }
});

function rowOf(kind: Kind, phone: string): Uint8Array {
  return kind === 'message'
    ? messageRow(secret, { mode: 'live', template: 'welcome', to: phone, params: [] })
    : contactRow(secret, { mode: 'live', phone, body: { phone } });
}
