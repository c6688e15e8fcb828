import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCell, tsvCell, undoCsv, undoTsv } from '../../src/base/cell-escapes.ts';

const telling = fc.constantFrom(
  "'", '"', '\\', '=', '+', '-', '@', '1', '12025550101', '.5', 'e3', 'u001b', 'n', 't', '\t', '\n', '\r', '\0',
  '\u001b', '\u009b', '\u202e', '\ud800', '👋🏽', 'a', ' ',
); // prettier-ignore
const text = fc.oneof(
  fc.array(telling, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const options = fc.record({ marks: fc.boolean() });

describe('a cell', () => {
  it('of TSV is read as it was', () => {
    fc.assert(
      fc.property(text, options, (value, given) => {
        expect(undoTsv(tsvCell(value, given))).toBe(value);
      }),
      { numRuns: 5_000 },
    );
  });

  it('of CSV is read as it was', () => {
    fc.assert(
      fc.property(text, options, (value, given) => {
        expect(undoCsv(csvCell(value, given))).toBe(value);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has no control character, but for tabs and line breaks in CSV', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(tsvCell(value)).not.toMatch(/[\0-\u001f\u007f-\u009f]/);
        expect(csvCell(value)).not.toMatch(/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a cell of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
    ['+1+cmd|x', "'+1+cmd|x"],
    ['+1-202-555-0101', "'+1-202-555-0101"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ["'=1+1", "''=1+1"],
    ['a\u001b[31m\\', "'\\a\\u001b[31m\\\\"],
  ])('that a spreadsheet or a terminal would act on gets an apostrophe: %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
    expect(undoCsv(cell)).toBe(value);
  });

  it.each(['+12025550101', '-5', '+3.5', '-1e9', 'Ada', "O'Neil", "'tis", 'C:\\temp', 'a=b', "'-5", "'\\n"])(
    'is left as it is: %s',
    (value) => {
      expect([csvCell(value), undoCsv(value)]).toEqual([value, value]);
    },
  );

  it('keeps its formula where that is asked for, but no control', () => {
    expect([csvCell('=1', { rawFormulas: true }), csvCell('\u001b', { rawFormulas: true })]).toEqual([
      '=1',
      "'\\\\u001b",
    ]);
  });
});

it('escapes a quote that begins a cell of TSV, and no other', () => {
  expect([tsvCell('"Zo"'), tsvCell('A "a"')]).toEqual(['\\"Zo"', 'A "a"']);
});
