import { describe, expect, it } from 'vitest';
import {
  type Cell,
  type SheetParts,
  workbook,
  type WorkbookOptions,
  workbookParts,
  zip,
} from '../../support/workbook.ts';
import { fields, fileOf, open, read, refusal } from './rig.ts';

const header = ['phone', 'name'];
const ada = ['+12025550141', 'Ada'];

function readSheets(sheets: readonly SheetParts[], options: WorkbookOptions & { readonly sheet?: string } = {}) {
  const { sheet, ...others } = options;
  return read('people.xlsx', workbook(sheets, others), sheet === undefined ? {} : { sheet });
}

describe('a workbook', () => {
  it('has the row numbers of the sheet, also below empty rows and cells of several lines', async () => {
    const sheet = [[], header, [], ['+1', 'Ada\nAda'], ['+2'], []];
    const { rows } = await readSheets([{ rows: sheet }]);
    expect(rows).toEqual([
      { number: 1, line: 4, fields: { phone: '+1', name: 'Ada\nAda' } },
      { number: 2, line: 5, fields: { phone: '+2', name: '' } },
    ]);
  });

  it('may have 20,000 rows', async () => {
    const names = Array.from({ length: 20_000 }, (_, at) => [`+${at}`, `name ${at}`]);
    const { rows } = await readSheets([{ rows: [header, ...names] }]);
    expect(rows.map(({ fields }) => [fields['phone'], fields['name']])).toEqual(names);
  });

  it('notes hidden rows, which are read like the others', async () => {
    const { rows, notes } = await readSheets([{ rows: [header, ada, ada], hidden: [2, 3] }]);
    expect(rows).toHaveLength(2);
    expect(notes).toEqual(['hidden rows of the sheet, which are read like the others: 2']);
  });

  it('stops on a signal', async () => {
    const rows = [header, ...Array.from({ length: 20_000 }, () => ada)];
    const signal = AbortSignal.abort('SIGINT');
    const opening = open(fileOf('people.xlsx', workbook([{ rows }])), { signal });
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the sheet', () => {
  const april: SheetParts = { name: 'April', rows: [header, ada] };
  const may: SheetParts = { name: "It's May", rows: [header, ['+2', 'Bo'], [], ['+3', 'Cy']] };

  it('is the first visible one', async () => {
    const { rows, notes } = await readSheets([{ name: 'Lists', state: 'hidden', rows: [['x'], ['y']] }, april]);
    expect(fields(rows)).toEqual([{ phone: '+12025550141', name: 'Ada' }]);
    expect(notes).toEqual([]);
  });

  it.each(["It's May", "it's may"])('can be given: %s', async (sheet) => {
    const { rows, notes } = await readSheets([april, may], { sheet });
    expect(rows.map(({ fields }) => fields['name'])).toEqual(['Bo', 'Cy']);
    expect(notes).toEqual([]);
  });

  it('is noted if there are others', async () => {
    const { rows, notes } = await readSheets([april, { rows: [header] }, may, april]);
    expect(rows).toHaveLength(1);
    expect(notes).toEqual([`only the sheet "April" is read; --sheet reads another: "Sheet2", "It's May", "April"`]);
  });

  it('is refused if it is not there, with those that are', async () => {
    await expect(readSheets([april, may], { sheet: 'June' })).rejects.toMatchObject(
      refusal(/has no sheet "June"$/, `--sheet names one of its sheets: "April", "It's May"`),
    );
  });

  it('is refused for a table', async () => {
    await expect(read('people.csv', 'phone\n+1\n', { sheet: 'May' })).rejects.toMatchObject(
      refusal(/^--sheet is given, but ".*" is not an Excel workbook$/),
    );
  });
});

describe('a cell', () => {
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
    ['a time of the computer', [0.5, '[$-F400]h:mm:ss AM/PM'], '12:00:00'],
    ['a date of a Mac', [44700, 'yyyy-mm-dd'], '2026-05-20', { since1904: true }],
    ['a long date of a Mac', [44700, '[$-F800]dddd, mmmm dd, yyyy'], '2026-05-20', { since1904: true }],
    ['a date as text', { xml: '<c t="d"><v>2026-05-20T00:00:00</v></c>' }, '2026-05-20'],
    ['a format that nothing understands', [3, 'bad['], '3'],
    ['a format that is too long', [3, `0${'"x"'.repeat(100)}`], '3'],
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
    ['the empty text of a formula', { xml: '<c t="str"><f>A1</f><v></v></c>' }, ''],
    ['quotes, separators and backslashes', 'a "b", c;\td\\n', 'a "b", c;\td\\n'],
    ['an apostrophe', "'=1+1", "'=1+1"],
  ])('is read as it is shown: %s', async (_, cell, text, options) => {
    const { rows } = await readSheets(
      [
        {
          rows: [
            [...header, 'x'],
            [...ada, cell],
          ],
        },
      ],
      options,
    );
    expect(rows[0]).toMatchObject({ fields: { x: text } });
  });

  it('is read in a style whose format is long, in 20,000 cells', async () => {
    const code = `[>1]${'0.00;[<2]'.repeat(2_000)}`;
    const cells = Array.from({ length: 20_000 }, (): Cell[] => [[1.5, code]]);
    const { rows } = await readSheets([{ rows: [['x'], ...cells] }]);
    expect(rows.at(-1)?.fields).toEqual({ x: '1.5' });
  });
});

const good = () => workbookParts([{ rows: [header, ada] }]);
const sheet = 'xl/worksheets/sheet1.xml';

it('counts the rows whose number cannot be read', async () => {
  const xml = '<worksheet><row r="x"><c><v>1</v></c></row><row><c><v>2</v></c></row></worksheet>';
  const { rows } = await read('people.xlsx', zip({ ...good(), [sheet]: xml }));
  expect(rows).toMatchObject([{ line: 2, fields: { 1: '2' } }]);
});

it.each<[string, () => Buffer, string]>([
  [
    'a formula without a result',
    () => workbook([{ rows: [header, ['+1', { xml: '<c r="B2"><f>A1</f></c>' }]] }]),
    'cell B2 has a formula without a result',
  ],
  ['an archive of something else', () => zip({ 'readme.txt': 'hello' }), 'is a zip archive without an Excel workbook'],
  ['an archive that was cut off', () => workbook([{ rows: [header, ada] }]).subarray(0, 900), 'as a workbook: '],
  ['a sheet that is not XML', () => zip({ ...good(), [sheet]: '<worksheet><row' }), 'as a workbook: '],
  [
    'a sheet that unpacks to gigabytes',
    () => workbook([{ rows: [header, ada] }], { stated: 2 ** 31 }),
    'it unpacks to more than 256 MB',
  ],
  ['a sheet that is longer than stated', () => workbook([{ rows: [header, ada] }], { stated: 600 }), 'as a workbook: '],
])('refuses %s', async (_, make, message) => {
  await expect(read('people.xlsx', make())).rejects.toMatchObject(refusal(message));
});
