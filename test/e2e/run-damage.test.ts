import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

const words = rig.batch('people.csv', '--job', 'welcome');

describe('a batch refuses to send, and names the file,', () => {
  it.each<[string, string, (file: string) => void]>([
    ['the ledger is another file', 'old-ledger.db', (file) => writeFileSync(file, 'x\n'.repeat(9_999))],
    ['the secret is missing', 'ledger.secret', (file) => rmSync(file)],
  ])('if %s', async (_, name, damage) => {
    const place = await sentPlace();
    damage(join(place.state, name));
    rig.writePeople(place, 6);
    const ran = await place.bin(words);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(errorIn(ran.stderr)['message']).toContain(join(place.state, 'ledger'));
    expect(place.service.asked).toHaveLength(4);
  });

  it('or stops, if the ledger is removed meanwhile, without advice that would send rows twice', async () => {
    let answer = () => {};
    const until = new Promise<void>((resolve) => (answer = resolve));
    const place = await rig.newPlace(() => ({ reply: 200, until }));
    rig.writePeople(place, 100);
    const same = rig.batch('people.csv', '--concurrency', '4');
    const running = place.start(same);
    await rig.untilAsked(place, 4, running);
    rmSync(join(place.state, 'old-ledger.db'));
    answer();
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([3, 'database-removed']);
    expect(place.service.asked).toHaveLength(4);
    expect(running.stderr()).toContain('--accept-loss starts from the beginning');
    expect(running.stdout() + running.stderr()).not.toMatch(/run the same command|--retry-unsure|runs resolve/);
    const again = await place.bin(same);
    expect([again.code, errorIn(again.stderr)['code'], place.service.asked.length]).toEqual([11, 'ledger-older', 4]);
  });
});

async function sentPlace(): Promise<Place> {
  const place = await rig.newPlace();
  rig.writePeople(place, 4);
  expect((await place.bin(words)).code).toBe(0);
  return place;
}
