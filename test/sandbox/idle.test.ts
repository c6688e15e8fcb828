import { expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { watchIdle } from '../../src/sandbox/http.ts';
import { served, token } from './served.ts';

it('calls onIdle only after a whole span without requests, however long a request takes', async () => {
  const clock = manualClock();
  let told = 0;
  const idle = watchIdle(clock, 1_000, () => told++);
  await clock.advance(900);
  const end = idle.begin();
  await clock.advance(5_000);
  expect(told).toBe(0);
  end();
  await clock.advance(900);
  expect(told).toBe(0);
  await clock.advance(1_200);
  expect(told).toBe(1);
});

it('counts an open page as activity, with a heartbeat every ten seconds', async () => {
  const clock = manualClock();
  let told = 0;
  await using server = await served({ clock, idle: 60_000, onIdle: () => told++ });
  const headers = { 'x-sandbox-token': token };
  const { body } = await fetch(`${server.url}/__sandbox/stream`, { headers });
  const reader = body?.getReader();
  await reader?.read();
  await clock.advance(10_000);
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n');
  await clock.advance(600_000);
  expect(told).toBe(0);
  await reader?.cancel();
  await expect
    .poll(async () => {
      await clock.advance(120_000);
      return told;
    })
    .toBeGreaterThan(0);
});
