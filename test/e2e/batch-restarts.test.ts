import { expect, it } from 'vitest';
import * as rig from './rig.ts';

const [before, after] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const words = rig.batch('people.csv', '--rate', '600/m');

it('a batch that was killed elsewhere goes on after 90 seconds without a sign of life, if its clock was an hour ahead', async () => {
  const isHeld = (phone: string) => phone > rig.phoneOf(3) && phone < rig.phoneOf(8);
  const place = await rig.newPlace(({ phone }) => ({ reply: isHeld(phone) ? 'hang' : 200 }));
  rig.writePeople(place, 9);
  const first = place.start(words, undefined, rig.elsewhere(before, 3_600_000));
  await rig.untilAsked(place, 7, first);
  await rig.killed(first);
  const second = place.start(words, undefined, rig.elsewhere(after, 0, rig.faster(60)));
  expect(await second.ended).toBe(10);
  expect(rig.summaryIn(second.stdout())).toMatchObject({ sent: 5, unsure: 4, waiting: 0 });
  expect(rig.repeated(place.service)).toEqual([]);
});
