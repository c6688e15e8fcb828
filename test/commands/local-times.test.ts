import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorld } from '../support/world.ts';

it.each([
  ['Asia/Tokyo', 'GMT+9', 9],
  ['Pacific/Honolulu', 'HST', -10],
  ['UTC', 'UTC', 0],
])('a refused batch shows the time of the earlier run in the time zone %s', async (zone, name, hours) => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  writeFileSync(join(world.home, 'people.csv'), 'phone\n+12025550101\n');
  world.sandbox.keys.goLive();
  const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live, TZ: zone };
  const argv = ['send-batch', 'welcome', join(world.home, 'people.csv'), '--at-most', '1'];
  const send = () => world.bin(argv, env);
  const localTime = () => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const before = localTime();
  expect((await send()).code).toBe(0);
  const times = [before, localTime()].map((time) => `last at ${time} ${name}`);
  const { code, stderr } = await send();
  expect(code).toBe(11);
  expect(times.some((text) => stderr.includes(text))).toBe(true);
});
