import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

const rows = 600;
/** Makes the file longer than one read. */
const name = 'P'.repeat(200);

const batch = (file: string, ...more: readonly string[]) => ['send-batch', 'welcome', file, '-o', 'json', ...more];

describe('a file that changes while its rows are sent', () => {
  it.each([
    ['truncating it', (file: string) => truncateSync(file)],
    ['inserting a row at its start', shiftRows],
    ['appending rows', (file: string) => appendFileSync(file, `${rig.phoneOf(rows + 1)},More\n`)],
  ])(
    'stops the run after %s: no row is lost or sent twice, and the run is unfinished',
    { timeout: 60_000 },
    async (_, change) => {
      const world = await rig.newWorld();
      rig.slow(world, 10);
      const file = writeLong(world);
      const before = readFileSync(file);
      const running = rig.start(world, batch(file, '--at-most', String(rows)));
      await rig.untilSent(world, 200, running);
      change(file);
      expect(await running.ended).toBe(11);
      expect(errorIn(running.stderr())).toMatchObject({
        code: 'input-changed',
        hint: expect.stringContaining('run the same command again to send the rest'),
      });
      expect(noteCodes(running.stderr())).not.toContain('files');
      const sent = world.sandbox.counts().messages;
      const summary = { sent, not_reached: rows - sent, stopped: { code: 'input-changed' } };
      expect(rig.summaryIn(running.stdout())).toMatchObject(summary);
      writeFileSync(file, before);
      world.sandbox.faults.clear();
      const rest = await world.run(batch(file));
      expect([rest.code, rig.summaryIn(rest.stdout)]).toMatchObject([0, { sent: rows - sent, not_reached: 0 }]);
      expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
    },
  );
});

it('lists failed rows that it has not reached once the same command runs again, and says so', async () => {
  const world = await rig.newWorld();
  rig.slow(world, 10);
  const file = writeLong(world);
  appendFileSync(file, 'not-a-phone,Eve\n');
  const running = rig.start(world, batch(file));
  await rig.untilSent(world, 200, running);
  shiftRows(file);
  expect(await running.ended).toBe(11);
  expect(running.stderr()).toContain('the same command reads it again and writes them');
  expect(running.stderr()).not.toContain('runs show');
  world.sandbox.faults.clear();
  expect((await world.run(batch(file))).code).toBe(10);
  expect(rig.linesOf(join(world.home, 'people.failed.csv'))).toContainEqual(expect.stringContaining('not-a-phone'));
});

function writeLong(world: World): string {
  const file = join(world.home, 'people.csv');
  const lines = Array.from({ length: rows }, (_, at) => `${rig.phoneOf(at + 1)},${name}\n`);
  writeFileSync(file, `phone,name\n${lines.join('')}`);
  return file;
}

/** Inserts a row at the start, in place; the rest only moves. */
function shiftRows(file: string): void {
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [header, `${rig.phoneOf(rows + 1)},New`, ...lines].join('\n'));
}
