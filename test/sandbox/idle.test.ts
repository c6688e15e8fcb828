import { expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { watchIdle } from '../../src/sandbox/http.ts';

it('tells only after nothing went on for the whole span, however long a request takes', async () => {
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
