import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCell, tsvCell, unescapeCsv, unescapeTsv } from '../../src/base/cell-escapes.ts';
import { isLong } from '../support/long-tests.ts';

const special = fc.constantFrom(
  "'", '"', '\\', '=', '+', '-', '@', '＝', ';', '|', '(', '1', '12025550101', '.5', 'e3', 'u001b', 'n', 't', '\t', '\n', '\r', '\0',
  '\u001b', '\u009b', '\u202e', '\ud800', '👋🏽', 'a', ' ',
); // prettier-ignore
const text = fc.oneof(
  fc.array(special, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const options = fc.record({ marks: fc.boolean() });

describe('a cell', () => {
  it.each([
    ['TSV', tsvCell, unescapeTsv],
    ['CSV', csvCell, unescapeCsv],
  ])('of %s is read back unchanged', (_, cell, unescape) => {
    const isUnchanged = fc.property(text, options, (value, cellOptions) => {
      expect(unescape(cell(value, cellOptions))).toBe(value);
    });
    fc.assert(isUnchanged, { numRuns: isLong ? 5_000 : 1_000 });
  });

  it('has no control characters, except tabs and line breaks in CSV', () => {
    const isPlain = fc.property(text, (value) => {
      expect(tsvCell(value)).not.toMatch(/[\0-\u001f\u007f-\u009f]/);
      expect(csvCell(value)).not.toMatch(/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    });
    fc.assert(isPlain, { numRuns: isLong ? 2_000 : 400 });
  });
});

describe('a CSV cell', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
    ['+1+cmd|x', "'+1+cmd|x"],
    ['+1-202-555-0101', "'+1-202-555-0101"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1+1', "' =1+1"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ["'=1+1", "''=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＋1+cmd|x', "'＋1+cmd|x"],
    ['－cmd|x', "'－cmd|x"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ["x;=cmd|' /C calc'!A0", "'\\x;\\u003dcmd|' /C calc'!A0"],
    ['x; "＝HYPERLINK("http://x";"y")', '\'\\x; "\\uff1dHYPERLINK("http://x";"y")'],
    ['a;-2+3+cmd|x;b\\;@SUM(A1)', "'\\a;\\u002d2+3+cmd|x;b\\\\;\\u0040SUM(A1)"],
    ['a\n=IMPORTXML(1)', "'\\a\n\\u003dIMPORTXML(1)"],
    ['=1;=cmd|x', "'\\=1;\\u003dcmd|x"],
    ['a\u001b[31m\\', "'\\a\\u001b[31m\\\\"],
  ])('gets an apostrophe if a spreadsheet or terminal would interpret it: %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
    expect(unescapeCsv(cell)).toBe(value);
  });

  const plain =
    "+12025550101|-5|+3.5|-1e9|Ada|O'Neil|'tis|C:\\temp|a=b|'-5|'\\n|a;b=(c)|a; -5;+3|Note; - item| -5|x;=y";
  it.each(plain.split('|'))('is unchanged: %s', (value) => {
    expect([csvCell(value), unescapeCsv(value)]).toEqual([value, value]);
  });
});

it('escapes a quote at the start of a TSV cell only', () => {
  expect([tsvCell('"Zo"'), tsvCell('A "a"')]).toEqual(['\\"Zo"', 'A "a"']);
});
