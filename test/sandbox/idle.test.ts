import { expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { watchIdle } from '../../src/sandbox/http.ts';

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
