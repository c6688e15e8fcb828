import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCell, tsvCell } from '../../../src/base/cell-escapes.ts';
import { isLong } from '../../support/long-tests.ts';
import { fields, readFile } from './rig.ts';

const marks = ['"', '""', ',', ';', '\t', '|', '\n', '\r', '\r\n', '=1+1', "'", '\\', '\\n', '\u2028', '👋🏽', ' ', 'a'];
const cell = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...marks), { maxLength: 8 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
);
const rows = fc
  .integer({ min: 2, max: 4 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))
  .map((found) => found.filter((cells) => cells.some((text) => text.trim() !== '')))
  .filter((found) => found.length > 0);

function written(cells: readonly string[], separator: string): string {
  if (separator === '\t') return cells.map((text) => tsvCell(text)).join(separator);
  return cells.map((text) => `"${csvCell(text).replaceAll('"', '""')}"`).join(separator);
}

/** In pieces of `size` bytes, which may split a character. */
function cut(text: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('rows that bizmsg writes', () => {
  it.each([',', ';', '|', '\t'])('are read back unchanged, in any pieces, separated by %j', async (separator) => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (records, end, size) => {
          const names = records[0]?.map((_, at) => `c${at}`) ?? [];
          const text = [names, ...records].map((cells) => written(cells, separator) + end).join('');
          const read = await readFile('-', { stdin: cut(text, size) });
          const expected = records.map((cells) => Object.fromEntries(cells.map((cell, at) => [`c${at}`, cell])));
          expect(fields(read.rows)).toEqual(expected);
        },
      ),
      { numRuns: isLong ? 1_000 : 100 },
    );
  });

  it('are read back unchanged as NDJSON and as an array', async () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !/\d{16}/.test(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1 }), fc.integer({ min: 1, max: 9 }), async (records, size) => {
        const expected: unknown = JSON.parse(JSON.stringify(records));
        const lines = records.map((one) => JSON.stringify(one)).join('\n');
        expect(fields((await readFile('-', { stdin: cut(lines, size) })).rows)).toEqual(expected);
        expect(fields((await readFile('-', { stdin: cut(JSON.stringify(records), size) })).rows)).toEqual(expected);
      }),
      { numRuns: isLong ? 1_000 : 100 },
    );
  });
});
