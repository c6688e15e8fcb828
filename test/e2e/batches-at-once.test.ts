import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import * as rig from './import-rig.ts';

const pairs = isLong ? 12 : 2;
const rows = 20;

const counted = ['--at-most', String(rows), '-o', 'json'];
const [flag, stdin] = [['--allow-empty'], ['send-batch', 'welcome', '-']];

it.each([
  ['with another flag', (file: string) => [['send-batch', 'welcome', file, ...flag]]],
  ['from stdin', () => [stdin]],
])(
  `${pairs} times two concurrent batches of one file, one of them %s, send each row once`,
  { timeout: 120_000 },
  async (_, wordsOf) => {
    for (let pair = 0; pair < pairs; pair++) {
      const world = await rig.newWorld();
      world.sandbox.keys.goLive();
      const live = { home: world.home, env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } };
      const file = rig.writePeople(world, rows);
      const [words = []] = wordsOf(file);
      const one = rig.start(live, ['send-batch', 'welcome', file, ...counted]);
      const other = rig.start(live, [...words, ...counted], readFileSync(file, 'utf8'));
      const codes = [await one.ended, await other.ended];
      // If the second starts after the first has finished, the live key makes it exit 11.
      expect([codes.filter((code) => code !== 0 && code !== 11), rig.twice(world)]).toEqual([[], []]);
      expect(rig.unsentRows(world, rows)).toEqual([]);
      await world.close();
    }
  },
);
