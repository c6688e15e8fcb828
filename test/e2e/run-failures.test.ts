import { expect, it } from 'vitest';
import * as rig from './runs-rig.ts';

it('retries rows that failed in an earlier run, and does not stop because they fail again', async () => {
  const isBad = (phone: string) => Number(phone.slice(-3)) % 2 === 0;
  const place = await rig.newPlace(({ phone }) => ({ reply: isBad(phone) ? 400 : 200 }));
  rig.writePeople(place, 60);
  const words = rig.batch('people.csv', '--job', 'welcome', '--concurrency', '1');
  const counts = { failed: 30, not_reached: 0, stopped: null };
  const first = await place.bin(words);
  expect([first.code, rig.summaryIn(first.stdout)]).toMatchObject([10, { ...counts, sent: 30 }]);
  const second = await place.bin(words);
  expect([second.code, rig.summaryIn(second.stdout)]).toMatchObject([10, { ...counts, skipped: { this_run: 30 } }]);
});
