import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArrayReader } from '../../../src/runs/input/json.ts';
import { cut, inPieces, readText } from './rig.ts';
import { isLong } from '../../support/long-tests.ts';

const rest = '{"a":8}, {"a":9}';

describe('a JSON array', () => {
  it('yields the object in each element, with its line', async () => {
    const rows = await readText('a.json', '\n[\n  {"a":1},\n  {\n    "a": {"b": ["]}", "\\"{"]}\n  }, {"a":3}]\n');
    expect(rows).toEqual([
      { number: 1, line: 3, raw: { a: 1 }, fields: { a: 1 } },
      { number: 2, line: 4, raw: { a: { b: [']}', '"{'] } }, fields: { a: { b: [']}', '"{'] } } },
      { number: 3, line: 6, raw: { a: 3 }, fields: { a: 3 } },
    ]);
  });

  it.each(['[]', ' [ ] ', '[\n]\n'])('may be empty: %j', async (text) => {
    expect(await readText('a.json', text)).toEqual([]);
  });

  it.each([
    ['5', 'it is a number, not an object'],
    ['"a,b]"', 'it is a text, not an object'],
    ['[{"a":1}]', 'it is a list, not an object'],
    ['null', 'it is null, not an object'],
    ['{a: 1}', 'it is not JSON: '],
    ['{"a":1,}', 'it is not JSON: '],
    ['{"a":[1,2}', 'it is not JSON: '],
    ['{"a":{"b":1}', 'it is not JSON: '],
    ['{"a":"b}', 'it is not JSON: '],
    ['{"a":1,"a":2}', 'it has "a" twice'],
    ['oops', 'it is not JSON: '],
  ])('reports a damaged element and continues: %s', async (text, reason) => {
    const rows = await readText('a.json', `[{"a":1},\n${text},\n${rest}]`);
    expect(rows[1]).toMatchObject({
      line: 2,
      raw: expect.stringContaining(text),
      reason: expect.stringContaining(reason),
    });
    expect(rows.slice(-2)).toMatchObject([{ fields: { a: 8 } }, { fields: { a: 9 } }]);
  });

  it('reports extra text between its elements', async () => {
    const rows = await readText('a.json', `[{"a":1}},\n${rest}]`);
    expect(rows.map((row) => ('fields' in row ? row.fields['a'] : row.raw))).toEqual([1, '}', 8, 9]);
  });

  it.each([
    ['[{"a":1}, {"a":2', 'it is incomplete: the file may have been cut off', '{"a":2'],
    ['[{"a":1},\n', 'the array is incomplete: the file may have been cut off', ''],
    ['[{"a":1}\n', 'the array is incomplete: the file may have been cut off', ''],
    ['[{"a":1}]\n[{"a":2}]', 'text outside the array, from this line on, is not read', ''],
  ])('is not complete if it ends like this: %j', async (text, reason, raw) => {
    const rows = await readText('a.json', text);
    expect(rows).toMatchObject([{ fields: { a: 1 } }, { number: 2, raw, reason }]);
  });

  it('reports an element that is too long, without its text', async () => {
    const rows = await readText('a.json', `[{"a":["${'x'.repeat(99)}"]},\n${rest}]`, { limit: 50 });
    expect(rows).toMatchObject([
      { number: 1, line: 1, raw: '', reason: 'it is longer than 50 characters' },
      { number: 2, line: 2, fields: { a: 8 } },
      { number: 3, line: 2, fields: { a: 9 } },
    ]);
  });

  it('yields what JSON.stringify wrote, in chunks of any size', () => {
    const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue().filter(isExact)));
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 1), (expected, size, indent) => {
        const text = JSON.stringify(expected, undefined, indent);
        const kept: unknown = JSON.parse(text);
        expect(readIn(cut(text, size), 1_048_576).map(({ raw }) => raw)).toEqual(kept);
      }),
    );
  });

  it('is read the same in any chunks, however damaged it is', () => {
    const marks = ['{"a":1}', '{', '}', '[', ']', ',', '"', '\\', '\n', ' ', 'a', ':'] as const;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...marks), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 4, max: 30 }),
        (found, size, limit) => {
          const text = `[${found.join('')}`;
          expect(readIn(cut(text, size), limit)).toEqual(readIn([text], limit));
        },
      ),
      { numRuns: isLong ? 2_000 : 400 },
    );
  });

  it('survives endless brackets', () => {
    const [row, ...others] = readIn([`[${'['.repeat(3_000_000)}`], 1_048_576);
    expect(row).toMatchObject({ raw: '', reason: 'it is incomplete: the file may have been cut off' });
    expect(others).toEqual([]);
  });
});

/** Integers that are too large are reported, not returned. */
function isExact(value: unknown): boolean {
  return !/\d{16}/.test(JSON.stringify(value));
}

function readIn(pieces: readonly string[], limit: number) {
  return inPieces(pieces, (give) => createArrayReader(limit, give));
}
