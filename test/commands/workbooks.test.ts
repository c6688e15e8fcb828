import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import { openWorld, type World } from '../support/world.ts';
import { type Cell, type SheetParts, workbook, type WorkbookOptions, workbookParts, zip } from '../support/workbook.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function file(sheets: readonly SheetParts[], options?: WorkbookOptions, name = 'people.xlsx'): string {
  const path = join(world.home, name);
  writeFileSync(path, workbook(sheets, options));
  return path;
}

function damaged(parts: Readonly<Record<string, string>>): string {
  const path = join(world.home, 'people.xlsx');
  writeFileSync(path, zip(parts));
  return path;
}

const batch = (path: string, ...words: readonly string[]) =>
  world.run(['send-batch', 'order_update', path, '-p', ':name', '-p', ':date', ...words]);
const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params]);

const header = ['phone', 'name', 'date'];
const ada = ['+12025550141', 'Ada', '1 May'];

it('sends to the rows of the first visible sheet', async () => {
  const notes: SheetParts = { name: 'Lists', state: 'hidden', rows: [['x']] };
  const { code } = await batch(file([notes, { rows: [header, ada] }]));
  expect([code, sent()]).toEqual([0, [ada]]);
});

it.each([['May'], ['may']])('reads the sheet %s', async (name) => {
  const { code } = await batch(file([{ rows: [['x']] }, { name: 'May', rows: [header, ada] }]), '--sheet', name);
  expect([code, sent()]).toEqual([0, [ada]]);
});

it('names the sheets if the one asked for is not there', async () => {
  const { code, stderr } = await batch(
    file([
      { name: 'April', rows: [header] },
      { name: 'May', rows: [] },
    ]),
    '--sheet',
    'Jun',
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('--sheet names one of its sheets: "April", "May"')]);
});

it('refuses --sheet for a table', async () => {
  writeFileSync(join(world.home, 'people.csv'), 'phone,name,date\n');
  const { code, stderr } = await batch(join(world.home, 'people.csv'), '--sheet', 'May');
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not an Excel workbook')]);
});

it('reads a workbook from stdin', async () => {
  const bytes = workbook([{ rows: [['phone'], ['+12025550141']] }]);
  const { code } = await world.run(['send-batch', 'welcome', '-'], { stdin: bytes });
  expect([code, sent()]).toEqual([0, [['+12025550141']]]);
});

it.each<[string, Cell, string, WorkbookOptions?]>([
  ['a number of 12 digits', 491511234567, '491511234567'],
  ['a phone that got its plus back', [491511234567, '"+"0'], '+491511234567'],
  ['a number in scientific notation', [491511234567, '0.00E+00'], '491511234567'],
  ['a number with more digits than a double', 0.1 + 0.2, '0.3'],
  ['a very small number', 1e-9, '0.000000001'],
  ['thousands and decimals', [1234.5, '#,##0.00'], '1,234.50'],
  ['leading zeros', [1234, '00000'], '01234'],
  ['a currency', [12.5, '0.00 "€"'], '12.50 €'],
  ['a percentage', [0.256, '0%'], '26%'],
  ['a date in its format', [46162, 'dd.mm.yyyy'], '20.05.2026'],
  ['a date in German', [46162, '[$-407]d. mmmm'], '20. Mai'],
  ['a date in the format of the computer', [46162, '#14'], '2026-05-20'],
  ['a date and time in the format of the computer', [46162.5, '#22'], '2026-05-20 12:00'],
  ['a long date of the computer', [46162, '[$-F800]dddd, mmmm dd, yyyy'], '2026-05-20'],
  ['a date of a Mac', [44700, 'yyyy-mm-dd'], '2026-05-20', { since1904: true }],
  ['a date as text', { xml: '<c t="d"><v>2026-05-20T00:00:00</v></c>' }, '2026-05-20'],
  ['a format that nothing understands', [3, 'bad['], '3'],
  ['a shared text', { xml: '<c t="s"><v>1</v></c>' }, 'Zoë & co', { strings: ['<t>x</t>', '<t>Zoë &amp; co</t>'] }],
  [
    'a text with formats, without its pronunciation',
    { xml: '<c t="s"><v>0</v></c>' },
    'Hello world',
    { strings: ['<r><t>Hello</t></r><r><t> world</t></r><rPh><t>x</t></rPh>'] },
  ],
  ['an escaped control character', 'a_x000D_\nb', 'a\r\nb'],
  ['a truth value', { xml: '<c t="b"><v>1</v></c>' }, 'TRUE'],
  ['the result of a formula', { xml: '<c><f>1+1</f><v>2</v></c>' }, '2'],
  ['the text of a formula', { xml: '<c t="str"><f>A1</f><v>hi</v></c>' }, 'hi'],
  ['quotes and separators', 'a "b", c;\td', 'a "b", c;\td'],
])('sends %s as it is shown', async (_, cell, text, options) => {
  const { code, stderr } = await batch(file([{ rows: [header, ['+12025550141', 'Ada', cell]] }], options));
  expect([code, stderr, sent()]).toEqual([0, expect.anything(), [['+12025550141', 'Ada', text]]]);
});

it('imports contacts, with phones that were stored as numbers', async () => {
  const path = file([
    {
      rows: [
        ['phone', 'name'],
        [15112345678, 'Jörg'],
      ],
    },
  ]);
  const { code } = await world.run(['contacts', 'import', path, '--country', 'DE']);
  const { stdout } = await world.run(['contacts', 'list', '--columns', 'name,phone']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Jörg\t+4915112345678\n')]);
});

it('does not guess whether a number lost its "+" or its zero', async () => {
  const { code, stdout } = await batch(file([{ rows: [header, [4915112345678, 'Jörg', 'x']] }]), '--country', 'DE');
  expect([code, sent()]).toEqual([10, []]);
  expect(stdout).toContain('"4915112345678" may be +4915112345678 or +494915112345678; write it with its "+"');
});

it('names the row of the sheet, below empty rows and cells of several lines, and writes failed rows as CSV', async () => {
  const rows = [[], header, [], ['+12025550141', 'Ada\nAda', 'x'], ['12', 'Bo', 'y'], []];
  const { code, stdout } = await batch(file([{ rows }]));
  expect([code, stdout]).toEqual([10, expect.stringMatching(/line 5\b/)]);
  const failed = readFileSync(join(world.home, 'people.failed.csv'), 'utf8');
  expect(failed).toMatch(/^\ufeffphone,name,date,bizmsg_error\n12,Bo,y,.*\(line 5\)"?\n$/);
});

it('leaves no copy of the workbook', async () => {
  await batch(file([{ rows: [header, ada] }]));
  const copies = readdirSync(join(world.home, '.local/state/bizmsg/runs')).filter((name) => name.endsWith('.new'));
  expect(copies).toEqual([]);
});

it('continues with the rest when the command is repeated', async () => {
  const path = file([{ rows: [header, ada, ['+12025550142', 'Bo', '2 May']] }]);
  await batch(path, '--first', '1');
  await batch(path);
  expect(sent().map(([to]) => to)).toEqual(['+12025550141', '+12025550142']);
});

it('refuses an empty sheet, which is likely to be the wrong one', async () => {
  const { code, stderr } = await batch(file([{ rows: [] }, { rows: [header, ada] }]));
  expect([code, stderr]).toEqual([2, expect.stringContaining('--sheet names another sheet')]);
});

it('says that hidden rows count', async () => {
  const { stderr } = await batch(file([{ rows: [header, ada], hidden: [2] }]));
  expect(stderr).toContain('1 row of the sheet is hidden');
});

it('excludes the phones of a workbook', async () => {
  const path = file([{ rows: [header, ada, ['+12025550142', 'Bo', 'x']] }]);
  const out = file([{ rows: [['Phone'], ['+12025550141']] }], {}, 'out.xlsx');
  await batch(path, '--exclude-from', out);
  expect(sent()).toEqual([['+12025550142', 'Bo', 'x']]);
});

const good = () => workbookParts([{ rows: [header, ada] }]);
const sheet = 'xl/worksheets/sheet1.xml';

/** Writes 512 MB. */
const repeated: Refused = [
  'a small sheet that repeats a large text',
  () =>
    damaged({
      ...workbookParts([{ rows: [] }], { strings: [`<t>${'x'.repeat(1_000_000)}</t>`] }),
      [sheet]: `<worksheet>${'<row><c t="s"><v>0</v></c></row>'.repeat(600)}</worksheet>`,
    }),
  'unpacks to more than 512 MB',
];

type Refused = [string, () => string, string];

it.each<Refused>([
  [
    'a formula without a result',
    () => file([{ rows: [header, ['+1', 'Ada', { xml: '<c r="C2"><f>A1</f></c>' }]] }]),
    'in cell C2',
  ],
  [
    'an archive of something else',
    () => damaged({ 'readme.txt': 'hello' }),
    'is a zip archive without an Excel workbook',
  ],
  ['a sheet that is not XML', () => damaged({ ...good(), [sheet]: '<worksheet><row' }), 'cannot be read as a workbook'],
  ['a sheet that unpacks to a gigabyte', () => file([{ rows: [header] }], { stated: 2 ** 31 }), 'unpacks to more than'],
  [
    'a sheet that is longer than stated',
    () => file([{ rows: [header, ada] }], { stated: 600 }),
    'cannot be read as a workbook',
  ],
  [
    'a small sheet with a huge text',
    () =>
      damaged({
        ...good(),
        [sheet]: `<worksheet><row><c t="str"><v>${'x'.repeat(2_000_000)}</v></c></row></worksheet>`,
      }),
    'a cell has more than a million characters',
  ],
  [
    'a cell of many long texts',
    () =>
      damaged({
        ...good(),
        [sheet]: `<worksheet><row><c t="inlineStr"><is>${`<t>${'x'.repeat(600_000)}</t>`.repeat(2)}</is></c></row></worksheet>`,
      }),
    'a cell has more than a million characters',
  ],
  [
    'tags that nest deeply',
    () => damaged({ ...good(), [sheet]: `<worksheet>${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}</worksheet>` }),
    'tags nest deeper than 200 levels',
  ],
  [
    'a tag with many attributes',
    () => {
      const attributes = Array.from({ length: 1_000 }, (_, at) => `a${at}="1"`).join(' ');
      return damaged({ ...good(), [sheet]: `<worksheet><row ${attributes}/></worksheet>` });
    },
    'a tag has more than 200 attributes',
  ],
  [
    'a cell far to the right',
    () => file([{ rows: [header, [...ada, { xml: '<c r="ZZZ2"><v>1</v></c>' }]] }]),
    'a value in cell ZZZ2, and only the first 1000 columns are read',
  ],
  [
    'a row that comes twice',
    () => damaged({ ...good(), [sheet]: '<worksheet><row r="5"/><row r="5"/></worksheet>' }),
    'row 5 follows row 5',
  ],
  ...(isLong ? [repeated] : []),
])('refuses %s, and sends nothing', async (_, make, message) => {
  const { code, stderr } = await batch(make());
  expect([code, stderr, sent()]).toEqual([2, expect.stringContaining(message), []]);
  expect(existsSync(join(world.home, 'people.failed.csv'))).toBe(false);
});
