import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { objects } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

const preload = fileURLToPath(new URL('../support/other-boot-preload.cjs', import.meta.url));

describe('a batch that was killed', () => {
  it('by a restart of the machine has its rows in flight unsure, with the reason in a note', async () => {
    const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(3) ? 'hang' : 200 }));
    rig.writePeople(place, 6);
    const words = rig.batch('people.csv', '--concurrency', '1');
    const running = startAfter(place, words, { boot: 'aaaaaaaa-0000', ahead: 0 });
    await rig.untilAsked(place, 3, running);
    await rig.killed(running);
    // After a restart, the owner cannot be checked, so its claims have to expire.
    const early = startAfter(place, words, { boot: 'bbbbbbbb-0000', ahead: 0 });
    await expect.poll(early.stderr).toMatch(/after \d+ s without a heartbeat/);
    await rig.killed(early);
    const late = startAfter(place, words, { boot: 'bbbbbbbb-0000', ahead: 95_000 });
    expect(await late.ended).toBe(10);
    const { skipped, not_reached: left } = rig.summaryIn(late.stdout());
    expect(left).toBe(0);
    // The second process may have been sending a row, too.
    expect(skipped).toMatchObject({ unsure: expect.toSatisfy((count: number) => count === 1 || count === 2) });
    const notes = objects(late.stderr()).map(({ note }) => JSON.stringify(note));
    expect(notes).toContainEqual(
      expect.stringContaining('the machine was restarted while 1 row was in flight: it is unsure'),
    );
    expect(rig.repeated(place.service)).toEqual([]);
  });
});

describe('rows of a JSON array on one line', () => {
  it('are named by their record in runs show, in notes and in files of rejected rows', async () => {
    const place = await rig.newPlace(({ phone }) => {
      if (phone === rig.phoneOf(2)) return { reply: 400 };
      return { reply: phone === rig.phoneOf(3) ? 500 : 200 };
    });
    const rows = [1, 2, 3, 1].map((row) => ({ phone: rig.phoneOf(row), name: `P${row}` }));
    writeFileSync(join(place.home, 'people.json'), JSON.stringify([...rows, { name: 'nobody' }]));
    const words = ['send-batch', 'welcome', 'people.json', '-p', ':name', '--rate', 'none', '--at-most', '9'];
    const ran = await place.bin([...words, '--concurrency', '1']);
    expect(ran.code).toBe(10);
    expect(ran.stdout).toMatch(/\(record 2\)/);
    expect(ran.stdout).toMatch(/1 unsure.*\(record 3\)/);
    const [run] = await rig.runs(place);
    const shown = await rig.rowsShown(place, run?.['id']);
    expect(shown.map(({ line, outcome }) => [line, outcome])).toEqual([
      [1, 'sent'],
      [2, 'failed'],
      [3, 'unsure'],
      [4, 'duplicate'],
      [5, 'invalid'],
    ]);
    const unsure = rig.linesOf(join(place.home, 'people.unsure.json')).join('');
    expect(unsure).toContain('(record 3)');
    expect(rig.linesOf(join(place.home, 'people.failed.json')).join('')).toMatch(/\(record 2\).*\(record 5\)/);
    const dry = await place.bin([...words, '--dry-run']);
    expect(dry.stdout).toMatch(/record 5/);
    expect(dry.stdout).not.toMatch(/line 1\b/);
  });
});

interface Moment {
  readonly boot: string;
  /** Milliseconds. */
  readonly ahead: number;
}

function startAfter(place: Place, words: readonly string[], { boot, ahead }: Moment) {
  const env = { NODE_OPTIONS: `--require=${preload}`, BIZMSG_TEST_BOOT: boot, BIZMSG_TEST_AHEAD: String(ahead) };
  return place.start(words, undefined, env);
}
