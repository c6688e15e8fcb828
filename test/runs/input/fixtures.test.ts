import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/runs/input/source.ts';
import { fields, read } from './rig.ts';

const people = [
  { phone: '+12025550101', name: 'Ada Lovelace', note: '' },
  { phone: '+12025550102', name: 'Zoë "Zo" Öztürk', note: 'says "hi", often' },
  { phone: '+12025550103', name: 'Núñez, María', note: 'first line\nsecond line\n\nfourth' },
  { phone: '+12025550104', name: '=1+1', note: '  kept spaces  ' },
  { phone: '+12025550105', name: "O'Brien; Pat|tab\there", note: '5" pipe' },
  { phone: '+12025550106', name: 'Grüße', note: 'a,b;c|d' },
];
const world = [
  ...people,
  { phone: '+12025550107', name: '李小龙 👋🏽', note: 'emoji 🎉 \u2028 separator' },
  { phone: '+12025550108', name: 'Ирина', note: '' },
];
/** Their content after a spreadsheet read phones as numbers, and a name as a formula. */
const sheet = world.map((person) => ({
  ...person,
  phone: person.phone.slice(1),
  name: person.name === '=1+1' ? '2' : person.name,
}));

describe('a file of another program', () => {
  it.each([
    ['python.csv', 'csv', ',', world],
    ['python-bom.csv', 'csv', ',', world],
    ['python-unix.csv', 'csv', ',', world],
    ['python-semicolon.csv', 'csv', ';', world],
    ['python-pipe.txt', 'csv', '|', world],
    ['python-old-mac.csv', 'csv', ',', world],
    ['python.tsv', 'tsv', '\t', world],
    ['python-utf16.csv', 'csv', ',', world],
    ['python-utf16le-no-mark.tsv', 'tsv', '\t', world],
    ['python-utf16be-no-mark.csv', 'csv', ',', world],
    ['sqlite.csv', 'csv', ',', world],
    ['sqlite-pipe.csv', 'csv', '|', world],
    ['python.ndjson', 'ndjson', undefined, world],
    ['jq.ndjson', 'ndjson', undefined, world],
    ['python.json', 'json', undefined, world],
    ['python-indent.json', 'json', undefined, world],
    ['ssconvert.csv', 'csv', ',', sheet],
    ['ssconvert-tab.txt', 'tsv', '\t', sheet],
    ['ssconvert-utf16-semicolon.txt', 'csv', ';', sheet],
  ] as const)('is read: %s', async (name, format, delimiter, expected) => {
    const path = fixture(name);
    expect(await openSource(path)).toMatchObject({ format, delimiter });
    expect(fields(await read(path))).toEqual(expected);
  });

  it('is read in the given encoding', async () => {
    const rows = await read(fixture('python-windows-1252.csv'), { encoding: 'windows-1252' });
    expect(fields(rows)).toEqual(people);
  });

  it('is refused if its encoding must be given', async () => {
    await expect(openSource(fixture('python-windows-1252.csv'))).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('is not valid UTF-8 at byte 61'),
      hint: expect.stringContaining('--encoding windows-1252'),
    });
  });

  it('has the line number of each row', async () => {
    const rows = await read(fixture('python.csv'));
    expect(rows.map(({ line, number }) => [number, line])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 8],
      [5, 9],
      [6, 10],
      [7, 11],
      [8, 12],
    ]);
  });
});

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}
