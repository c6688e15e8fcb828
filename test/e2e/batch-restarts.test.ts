import { describe, expect, it } from 'vitest';
import * as rig from './rig.ts';

const [before, after] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const words = rig.batch('people.csv', '--rate', '600/m');

describe('a batch whose process was killed elsewhere, or before a restart of the machine,', () => {
  it('goes on 90 seconds after it was found without a sign of life, if its clock was an hour ahead', async () => {
    const place = await killedElsewhere(3_600_000);
    expect(await goOn(place, rig.elsewhere(after, 0, rig.faster(60)))).toMatchObject(rest);
  });
});

/** A place whose first process has sent three of nine rows, and had four in flight. */
async function killedElsewhere(ahead: number): Promise<rig.Place> {
  const place = await rig.newPlace(({ phone }) => ({ reply: isHeld(phone) ? 'hang' : 200 }));
  rig.writePeople(place, 9);
  const running = place.start(words, undefined, rig.elsewhere(before, ahead));
  await rig.untilAsked(place, 7, running);
  await rig.killed(running);
  return place;
}

function isHeld(phone: string): boolean {
  return phone > rig.phoneOf(3) && phone < rig.phoneOf(8);
}

/** Starts the same command, and returns how it ended. */
async function goOn(place: rig.Place, env: Readonly<Record<string, string>>) {
  const running = place.start(words, undefined, env);
  const code = await running.ended;
  return { code, summary: rig.summaryIn(running.stdout()), repeated: rig.repeated(place.service) };
}

const rest = { code: 10, summary: { sent: 5, unsure: 4, waiting: 0 }, repeated: [] };
