import { expect, it } from 'vitest';
import * as rig from './runs-rig.ts';

it('a build knows its day, and refuses a live message while the clock is before it', async () => {
  const place = await rig.newPlace();
  const early = { NODE_OPTIONS: '--import=data:text/javascript,Date.now=()=>0' };
  const running = place.start(['send-template', rig.phoneOf(1), 'welcome'], undefined, early);
  expect(await running.ended).toBe(3);
  expect(running.stderr()).toMatch(/it says 1970-01-01, and this bizmsg was built on \d{4}-\d{2}-\d{2}$/m);
  expect(place.service.asked).toEqual([]);
});
