import { describe, expect, it } from 'vitest';
import { fields, fileOf, open, read, readBytes, refusal } from './rig.ts';

describe('a table', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['a lone CR', '\r'],
  ])('may end its lines with %s', async (_, end) => {
    const text = ['phone,name', '+1,Ada', '+2,"Bo', 'B"', '+3,Cy', ''].join(end);
    const { rows } = await read('people.csv', text);
    expect(fields(rows)).toEqual([
      { phone: '+1', name: 'Ada' },
      { phone: '+2', name: `Bo${end}B` },
      { phone: '+3', name: 'Cy' },
    ]);
    expect(rows.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect((await readBytes(text)).rows).toEqual(rows);
  });

  it('may have blank lines, and lines with separators only, which are not rows', async () => {
    const { rows } = await read('people.csv', '\n\nphone,name\n\n+1,Ada\n,\n"",""\r\n\r\n+2,Bo\n \n');
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 5],
      [2, 9],
    ]);
  });

  it('keeps the spaces of its cells and trims those of its header', async () => {
    const { rows } = await read('people.csv', ' phone , name\n +1 , Ada \n');
    expect(fields(rows)).toEqual([{ phone: ' +1 ', name: ' Ada ' }]);
  });

  it('may name its separator like Excel', async () => {
    const { rows } = await read('people.csv', 'sep=;\r\nlast, first;phone\r\nDoe, Jo;+1\r\n');
    expect(fields(rows)).toEqual([{ 'last, first': 'Doe, Jo', phone: '+1' }]);
    expect(rows[0]?.line).toBe(3);
  });

  it.each([
    ['a comma', 'phone,name\n+1,Ada\n', ','],
    ['a semicolon, with decimal commas', 'phone;price\n+1;1,5\n', ';'],
    ['a tab', 'phone\tname\n+1\tLovelace, Ada\n', '\t'],
    ['a vertical bar', 'phone|name\n+1|a;b\n', '|'],
    ['a semicolon, with commas in quotes', '"a, b, c";phone\n1;+2\n', ';'],
    ['a semicolon rather than a comma in a name', 'last, first;phone\nDoe;+1\n', ';'],
    ['a comma, with a quoted line break', '"a\n;;;",phone\n1,+2\n', ','],
    ['a comma in a file with one column', 'phone\n+1\n', ','],
    ['below blank lines', '\n\na|b\n1|2', '|'],
    ['the one in a sep= line', 'sep=|\na,b|c\n1|2\n', '|'],
  ])('is separated by %s', async (_, text, separator) => {
    const { input } = await open(fileOf('a.csv', text));
    expect(input).toMatchObject({ separator, unit: 'line' });
  });
});

describe('a row of a table', () => {
  it.each([
    ['too few cells', '+2,Bo', 'it has 2 cells, and the header has 3', { phone: '+2', name: 'Bo', note: '' }],
    ['one cell', '+2', 'it has 1 cell, and the header has 3', { phone: '+2', name: '', note: '' }],
    ['too many cells', '+2,Bo,x,y', 'it has 4 cells, and the header has 3', { phone: '+2', name: 'Bo', note: 'x' }],
    [
      'text after a quote',
      '+2,"Bo" B,x',
      'misplaced quote on line 3: quote the whole cell, and double the quotes in it',
      { phone: '+2', name: '"Bo" B', note: 'x' },
    ],
  ])('has a problem if it has %s, and reading continues', async (_, text, problem, fields) => {
    const { rows } = await read('people.csv', `phone,name,note\n+1,Ada,x\n${text}\n+3,Cy,x\n`);
    expect(rows[1]).toEqual({ number: 2, line: 3, fields, problem });
    expect(rows[2]).toMatchObject({ number: 3, line: 4, fields: { phone: '+3' } });
  });

  it.each([
    ['in CSV', 'people.csv', ','],
    ['in TSV', 'people.tsv', '\t'],
  ])('may have quotes inside a cell %s', async (_, name, separator) => {
    const { rows } = await read(name, `a${separator}b\n5" pipe${separator}Pat "Pi" P.\n`);
    expect(fields(rows)).toEqual([{ a: '5" pipe', b: 'Pat "Pi" P.' }]);
  });

  it('may have doubled quotes, also at the beginning and with line breaks', async () => {
    const { rows } = await read('people.csv', 'a,b\n"""Hi"" she said\nand left","say ""hi"""\n');
    expect(fields(rows)).toEqual([{ a: '"Hi" she said\nand left', b: 'say "hi"' }]);
  });
});

describe('an unclosed quote', () => {
  it.each([
    ['to the end of the file', '+1,"Ada\n+2,Bo\n+3,Cy\n', 2],
    ['below cells with line breaks', '"+1\n\n1","Ada\n+2,Bo\n', 4],
    ['with doubled quotes after it', '+1,"""Ada"" A\n+2,Bo\n', 2],
    ['to the next quote', '+1,"Ada\n+2,"Bo, B"\n+3,Cy\n', 2],
    ['in a later row', '+1,Ada\n+2,"Bo\n+3,"Cy"\n', 3],
  ])('is refused with the line where it is opened: %s', async (_, text, line) => {
    await expect(read('people.csv', `phone,name\n${text}`)).rejects.toMatchObject(
      refusal(new RegExp(`^a quote is opened on line ${line} of ".*" and not closed$`)),
    );
  });

  it('is refused after a megabyte', async () => {
    await expect(read('people.csv', `phone,name\n+1,"Ada\n${'+2,Bo\n'.repeat(200_000)}`)).rejects.toMatchObject({
      message: expect.stringMatching(/^line 2 of ".*" is longer than 1 MB$/),
    });
  });
});

describe('the header of a table', () => {
  it.each([
    ['phone,name,phone\n', /^"phone" appears twice in the header of ".*people.csv" \(line 1\)$/],
    ['\n\nphone, phone\n', /\(line 3\)/],
    ['phone,,name\n', /column 2 has no name in the header/],
    ['phone,,name,\n', /column 2 has no name in the header/],
    ['phone,"na"me\n', /the header of ".*" \(line 1\) cannot be read: misplaced quote on line 1/],
    ['+12029000001,Ada\n+12029000002,Bo\n', /^line 1 of ".*" has a phone number, \+1202…01, so it is not a header$/],
    ['Ada;+1 202 900 0001\n', /has a phone number, \+1 20…01/],
    ['0170 1234567;Ada\n', /has a phone number/],
    ['(0170) 1234567,Ada\n', /has a phone number/],
    ['4917012345678\n', /has a phone number/],
    ['0049 170 12345,Ada\n', /has a phone number/],
    ['+٤٩١٧٠١٢٣٤٥٦٧,Ada\n', /has a phone number/],
  ])('is refused if it cannot name the columns: %j', async (text, message) => {
    await expect(read('people.csv', `${text}1,2,3\n`)).rejects.toMatchObject(refusal(message));
  });

  it.each(['+1', '2024', '2024-01-31', '31.01.2024', '01/31/2024', '+12025550101 (old)', '__proto__', 'toString'])(
    'may have the name %s',
    async (name) => {
      const { rows } = await read('people.csv', `${name},a\n1,2\n`);
      expect(Object.entries(rows[0]?.fields ?? {})).toEqual([
        [name, '1'],
        ['a', '2'],
      ]);
    },
  );

  it('may have unnamed columns at its end, which are ignored with a note', async () => {
    const { input, rows, notes } = await read('people.csv', 'phone,name,,\n+1,Ada,,\n+2,Bo,x,\n');
    expect(input.columns).toEqual(['phone', 'name']);
    expect(fields(rows)).toEqual([
      { phone: '+1', name: 'Ada' },
      { phone: '+2', name: 'Bo' },
    ]);
    expect(notes).toEqual(['columns without a name at the end, which are ignored: 2']);
  });
});

describe('TSV', () => {
  it.each([
    ['a backslash that begins no escape', 'C:\\new', 'C:\\x'],
    ['a quoted cell', 'C:\\new', '"a, b"'],
  ])('keeps its backslashes if it has %s', async (_, path, foreign) => {
    const { rows, notes } = await read('a.tsv', `phone\tpath\n+1\t${path}\n+2\t${foreign}\n`);
    expect(rows[0]?.fields['path']).toBe(path);
    expect(notes).toEqual([]);
  });

  it('is detected by the name if the header has one column', async () => {
    expect((await open(fileOf('a.tsv', 'name, first\nAda\n'))).input.separator).toBe('\t');
  });
});
