import { expect, it } from 'vitest';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './rig.ts';

const underClock = (now: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${now}` });

it('a build knows its day, and refuses a live message while the clock is before it', async () => {
  const place = await rig.newPlace();
  const early = underClock('Date.now=()=>0');
  const running = place.start(['send-template', rig.phoneOf(1), 'welcome'], undefined, early);
  expect(await running.ended).toBe(3);
  expect(running.stderr()).toMatch(/it says 1970-01-01, and this bizmsg was built on \d{4}-\d{2}-\d{2}$/m);
  expect(place.service.asked).toEqual([]);
});

it('a live batch is refused while the clock is two days ahead of that of the service', async () => {
  const place = await rig.newPlace();
  rig.writePeople(place, 3);
  const late = underClock('const{now}=Date;Date.now=()=>now()+2*86400000');
  const running = place.start(rig.batch('people.csv'), undefined, late);
  expect(await running.ended).toBe(3);
  expect(errorIn(running.stderr())).toMatchObject({
    code: 'clock-wrong',
    message: 'the clock of this machine is 48 hours ahead of that of the service',
  });
  expect(place.service.asked).toEqual([]);
});
