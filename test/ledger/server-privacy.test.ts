import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { contactRow, messageRow } from '../../src/ledger/identity.ts';
import { createInput } from '../../src/ledger/input.ts';
import type { Kind, RunPlan } from '../../src/ledger/ledger.ts';
import { noRedis, startRedis } from '../support/redis.ts';
import { contentOf, openServerLedger } from './redis-world.ts';
import { account, secret, sendAll, temporaryFolder } from './rig.ts';

const phone = fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }).map((digits) => `+${digits}`);
const word = fc.string({ minLength: 3, maxLength: 12 }).map((text) => `Zoë ${text}`);
const people = fc.array(fc.record({ phone, name: word, param: word }), { minLength: 1, maxLength: 5 });

it.skipIf(noRedis)('the server gets no phone number, name, param or secret', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  let machines = 0;
  await fc.assert(
    fc.asyncProperty(people, async (people) => {
      const folder = `${temporaryFolder()}/${++machines}`;
      const ledger = openServerLedger(server, { folder, account: `machine ${machines}` });
      const to = (one: { phone: string; param: string }) =>
        messageRow(secret, { mode: 'live', template: 'welcome', to: one.phone, params: [one.param] });
      const contact = ({ phone, name }: { phone: string; name: string }) =>
        contactRow(secret, { mode: 'live', phone, body: { phone, name } });
      await sendAll(ledger, planOf('message', people.map(to)));
      await sendAll(ledger, planOf('contact', people.map(contact)));
      const single = { account, mode: 'live', kind: 'message', template: 'welcome' } as const;
      await ledger.claim(people.map(to), { single, again: true });
      const content = (await contentOf(server.redis)).toString('latin1');
      const texts = people.flatMap(({ phone, name, param }) => [phone, phone.slice(1), name, param]);
      for (const text of [...texts, secret])
        for (const form of ['latin1', 'hex', 'base64'] as const)
          expect(content).not.toContain(Buffer.from(text).toString(form).replace(/=+$/, ''));
      // The digests are there, so the search would find what is there.
      const [first] = people.map(to);
      expect(content).toContain(Buffer.from(first?.slice(2, 12) ?? []).toString('latin1'));
      await ledger.close();
    }),
    { numRuns: 20 },
  );
});

function planOf(kind: Kind, rows: readonly Uint8Array[]): RunPlan {
  const input = createInput(kind);
  for (const row of rows) input.add(row);
  return { account, mode: 'live', kind, template: 'welcome', input, choice: {} };
}
