import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fields, readFile } from './rig.ts';

/*
 * Written by `csv` and `json` of Python 3, `jq -c '.[]'`, `sqlite3 -header -csv`, and `ssconvert` of gnumeric after it had
 * opened python.csv, with quoting-mode=always.
 */

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
    ['python.csv', ',', world],
    ['sqlite.csv', ',', world],
    ['python.ndjson', undefined, world],
    ['jq.ndjson', undefined, world],
    ['ssconvert-tab.txt', '\t', sheet],
  ] as const)('is read: %s', async (name, separator, expected) => {
    const { input, rows } = await readFile(fixture(name));
    expect(fields(rows)).toEqual(expected);
    expect(input.separator).toBe(separator);
  });

  it.each([
    ['python-windows-1252.csv', 'windows-1252', people],
    ['ssconvert-utf16-semicolon.txt', 'utf-16le', sheet],
  ])('is read in the encoding that is given: %s', async (name, encoding, expected) => {
    const { input, rows } = await readFile(fixture(name), { encoding });
    expect(fields(rows)).toEqual(expected);
    expect(input.encoding).toBe(encoding);
  });

  it('has the line number of each row', async () => {
    const { rows } = await readFile(fixture('python.csv'));
    expect(rows.map(({ line }) => line)).toEqual([2, 3, 4, 8, 9, 10, 11, 12]);
  });
});

function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}
