import { expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { newWorld } from '../support/world.ts';

it.each([
  ['Asia/Tokyo', 'GMT+9', 9],
  ['Pacific/Honolulu', 'HST', -10],
])('the end of a batch shows when others can be sent to in the time zone %s', async (zone, name, hours) => {
  const world = await newWorld();
  const file = world.write('people.csv', 'phone,name\n+12025550101,Ada\n');
  world.sandbox.keys.goLive();
  const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live, TZ: zone };
  const send = (order: string) =>
    bin(`send-batch order_update ${file} -p :name -p ${order} --batch ${order} --at-most 1`.split(' '), {
      ...world,
      env,
    });
  const later = () => new Date(Date.now() + (hours + 20) * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const before = later();
  expect((await send('a-1')).code).toBe(0);
  const times = [before, later()].map((time) => `wait until ${time} ${name}`);
  const { code, stdout } = await send('a-2');
  expect([code, times.some((text) => stdout.includes(text))]).toEqual([10, true]);
});
