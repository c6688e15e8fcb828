import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../src/runs/input/json.ts';
import { cut, fields, inPieces, readText } from './rig.ts';

describe('NDJSON', () => {
  it('yields the object on each line, with its line number', async () => {
    const rows = await readText('people.ndjson', '{"a":1}\r\n\n  \n{"a":{"b":[null,true]}}\n{"a":"\u2028"}');
    expect(rows).toEqual([
      { number: 1, line: 1, raw: { a: 1 }, fields: { a: 1 } },
      { number: 2, line: 4, raw: { a: { b: [null, true] } }, fields: { a: { b: [null, true] } } },
      { number: 3, line: 5, raw: { a: '\u2028' }, fields: { a: '\u2028' } },
    ]);
  });

  it.each([
    ['{"a":1', 'it is not JSON: '],
    ['oops', 'it is not JSON: '],
    ['{"a":1}{"a":2}', 'it is not JSON: '],
    ['[1,2]', 'it is a list, not an object'],
    ['"text"', 'it is a text, not an object'],
    ['12', 'it is a number, not an object'],
    ['null', 'it is null, not an object'],
    ['{"a":{"id":12345678901234567.5}}', 'is too large to be exact'],
    ['{"a":1e400}', 'the number 1e400 is too large'],
    ['{"text":"1e9","a":[-2.5E+999]}', 'the number -2.5E+999 is too large'],
    [`{"a":${'['.repeat(600)}${']'.repeat(600)}}`, 'nests deeper'],
  ])('reports a damaged line and continues: %s', async (text, reason) => {
    const rows = await readText('people.ndjson', `{"a":1}\n${text}\n{"a":3}\n`);
    expect(rows[1]).toEqual({ number: 2, line: 2, raw: text, reason: expect.stringContaining(reason) });
    expect(rows[2]).toMatchObject({ number: 3, line: 3, fields: { a: 3 } });
  });

  it.each([
    ['{"phone":"+1","phone":"+2"}', 'it has "phone" twice'],
    ['{"phone":"+1", "name":"Ada" ,\t"ph\\u006fne" : "+2"}', 'it has "phone" twice'],
    ['{"id":12345678901234567890,"id":2}', 'it has "id" twice'],
    ['{"a":{"b":[{"c d":1,"c d":1}]}}', 'it has "c d" twice'],
    ['{"":1,"":2}', 'it has "" twice'],
    ['{"__proto__":1,"__proto__":2}', 'it has "__proto__" twice'],
    ['{"a\\"b":1,"x":"\\\\","a\\"b":2}', String.raw`it has "a\"b" twice`],
  ])('refuses an object that has a field twice: %s', async (text, reason) => {
    const rows = await readText('people.ndjson', `{"a":1}\n${text}\n{"a":3}\n`);
    expect(rows[1]).toEqual({ number: 2, line: 2, raw: text, reason: expect.stringContaining(reason) });
    expect(rows[2]).toMatchObject({ number: 3, line: 3, fields: { a: 3 } });
  });

  it('accepts a field in several objects, and texts that look like fields', async () => {
    const records = [
      { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }], c: '"a":1,"a":2', 'd":': '"', e: '\\"a" :"', url: 'http://x/:1' },
      { '': { '': '":' }, a: '{"a":1}', b: '{"a":1}' },
    ];
    const text = records.map((one) => JSON.stringify(one)).join('\n');
    expect(fields(await readText('a.ndjson', text))).toEqual(records);
  });

  it('finds a repeated field in any object', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(record, fc.nat(), fc.jsonValue(), (value, at, again) => {
        fc.pre(!/\d{16}|e\+?\d{3}/.test(JSON.stringify([value, again])));
        const [whole, names] = [JSON.stringify(value), Object.keys(value)];
        const twice = `${whole.slice(0, -1)},${JSON.stringify(names[at % names.length])}:${JSON.stringify(again)}}`;
        expect(fields(readIn([whole], 1_048_576))).toEqual([JSON.parse(whole)]);
        expect(fields(readIn([twice], 1_048_576))).toEqual([expect.stringContaining('twice')]);
      }),
    );
  });

  it('accepts exact numbers of 16 digits', async () => {
    expect(await readText('a.ndjson', '{"a":1234567890123456,"b":0.1234567890123456789}')).toMatchObject([
      { fields: {} },
    ]);
  });

  it('reports a line that is too long, without its text', async () => {
    const rows = await readText('a.ndjson', `{"a":"${'x'.repeat(99)}"}\n${' '.repeat(99)}\n{"a":3}\n`, { limit: 50 });
    expect(rows).toEqual([
      { number: 1, line: 1, raw: '', reason: 'it is longer than 50 characters' },
      { number: 2, line: 2, raw: '', reason: 'it is longer than 50 characters' },
      { number: 3, line: 3, raw: { a: 3 }, fields: { a: 3 } },
    ]);
  });

  it('keeps a field with the name of an inherited property', async () => {
    const [row] = await readText('a.ndjson', '{"__proto__":{"a":1}}');
    expect(row && 'fields' in row && Object.keys(row.fields)).toEqual(['__proto__']);
  });

  it('is read the same in any chunks', () => {
    const parts = fc.array(fc.constantFrom('{"a":1}', '{', '"', '\n', '\r\n', '\r', ' ', '\\'), { maxLength: 40 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 4, max: 30 }), (found, size, limit) => {
        const text = found.join('');
        expect(readIn(cut(text, size), limit)).toEqual(readIn([text], limit));
      }),
      { numRuns: 1000 },
    );
  });
});

function readIn(pieces: readonly string[], limit: number) {
  return inPieces(pieces, (give) => createLineReader(limit, give));
}
