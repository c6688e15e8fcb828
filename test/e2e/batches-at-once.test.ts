import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as rig from './import-rig.ts';

const pairs = 12;
const rows = 20;

const [flag, stdin] = [['--allow-same-recipient'], ['send-batch', 'welcome', '-']];

it.each([
  ['with another flag', (file: string) => [['send-batch', 'welcome', file, ...flag]]],
  ['from stdin', () => [stdin]],
])(
  `of ${pairs} pairs of batches of one file that start at once, one %s, one of each sends, and nobody gets two`,
  { timeout: 120_000 },
  async (_, wordsOf) => {
    for (let pair = 0; pair < pairs; pair++) {
      const world = await rig.newWorld();
      const file = rig.writePeople(world, rows);
      const [words = []] = wordsOf(file);
      const one = rig.start(world, ['send-batch', 'welcome', file, '-o', 'json']);
      const other = rig.start(world, [...words, '-o', 'json'], readFileSync(file, 'utf8'));
      const codes = [await one.ended, await other.ended];
      const said = `${one.stderr()}${other.stderr()}`;
      expect([codes.filter((code) => code === 0), rig.twice(world), said]).toEqual([
        [0],
        [],
        expect.stringMatching(/run-busy|rows-repeated|run-repeated/),
      ]);
      expect(rig.unsentRows(world, rows)).toEqual([]);
      await world.close();
    }
  },
);
