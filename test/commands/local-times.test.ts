import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorld } from '../support/world.ts';

it.each([
  ['Asia/Tokyo', 'GMT+9', 9],
  ['Pacific/Honolulu', 'HST', -10],
  ['UTC', 'UTC', 0],
])('a message tells when a run was finished by the clock of %s', async (zone, name, hours) => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  writeFileSync(join(world.home, 'people.csv'), 'phone\n+12025550101\n');
  const send = () => world.bin(['send-batch', 'welcome', join(world.home, 'people.csv')], { ...world.env, TZ: zone });
  const localTime = () => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const before = localTime();
  expect((await send()).code).toBe(0);
  const times = [before, localTime()].map((time) => `was finished on ${time} ${name}: run `);
  const { code, stderr } = await send();
  expect(code).toBe(11);
  expect(times.some((text) => stderr.includes(text))).toBe(true);
});
