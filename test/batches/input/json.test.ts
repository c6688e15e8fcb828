import { describe, expect, it } from 'vitest';
import { fields, fileOf, open, read, readBytes, refusal } from './rig.ts';

describe('NDJSON', () => {
  it('has an object on each line, with its line number', async () => {
    const text = '{"a":1}\r\n\n  \n{"a":{"b":[null,true]}}\n{"a":"\u2028é"}';
    const { input, rows } = await read('people.ndjson', text);
    expect(rows).toEqual([
      { number: 1, line: 1, fields: { a: 1 } },
      { number: 2, line: 4, fields: { a: { b: [null, true] } } },
      { number: 3, line: 5, fields: { a: '\u2028é' } },
    ]);
    expect(input).toMatchObject({ columns: ['a'], isTable: false, separator: undefined, unit: 'line' });
    expect((await readBytes(text)).rows).toEqual(rows);
  });

  it.each([
    ['{"a":1', 'it is not JSON: '],
    ['oops', 'it is not JSON: '],
    ['{"a":1}{"a":2}', 'it is not JSON: '],
    [`{"a":${'['.repeat(600)}${']'.repeat(600)}}`, 'it is not JSON: it nests deeper than 500 levels'],
    ['[1,2]', 'it is not an object'],
    ['"text"', 'it is not an object'],
    ['null', 'it is not an object'],
  ])('continues after a row with a problem: %.20s', async (text, problem) => {
    const { rows } = await read('people.ndjson', `{"a":1}\n${text}\n{"a":3}\n`);
    expect(rows[1]).toEqual({ number: 2, line: 2, fields: {}, problem: expect.stringContaining(problem) });
    expect(rows[2]).toEqual({ number: 3, line: 3, fields: { a: 3 } });
  });

  it('is refused if a line is longer than 1 MB', async () => {
    const text = `{"a":1}\n{"a":"${'x'.repeat(1_200_000)}`;
    await expect(read('a.ndjson', text)).rejects.toMatchObject(refusal(/^line 2 of ".*" is longer than 1 MB$/));
  });

  it('is refused if an object spans several lines', async () => {
    await expect(open(fileOf('a.ndjson', '{\n  "a": 1\n}\n'))).rejects.toMatchObject(
      refusal(/has an object that spans several lines$/),
    );
  });
});

describe('a JSON array', () => {
  it('has rows with numbers', async () => {
    const { input, rows } = await read('a.json', '\n[\n  {"a":1},\n  {\n    "a": {"b": ["]}"]}\n  }]\n');
    expect(rows).toEqual([
      { number: 1, line: 1, fields: { a: 1 } },
      { number: 2, line: 2, fields: { a: { b: [']}'] } } },
    ]);
    expect(input).toMatchObject({ columns: ['a'], isTable: false, unit: 'row' });
  });

  it('may have elements that are not objects, which are rows with a problem', async () => {
    const { rows } = await read('a.json', '[{"a":1}, 5, null, [{"a":2}], {"a":3}]');
    const problem = 'it is not an object';
    expect(fields(rows)).toEqual([{ a: 1 }, problem, problem, problem, { a: 3 }]);
  });

  it.each([
    ['a.json', '[{"a":1},', /is not a JSON array: it is not JSON: /],
    ['a.json', '[{"a":1}] x', /is not a JSON array: it is not JSON: /],
    ['a.json', 'a,b\n1,2\n', /is not a JSON array: it is not JSON: /],
    ['a.json', '5', /is not a JSON array: it is not an array/],
  ])('is refused if it is something else: %s %j', async (name, text, message) => {
    await expect(open(fileOf(name, text))).rejects.toMatchObject(refusal(message));
  });

  it('is refused if it has more than 100 MB', async () => {
    const pieces = ['[', ...Array.from({ length: 101 }, () => ' '.repeat(1_000_000)), '{}]'];
    await expect(open('-', { stdin: pieces })).rejects.toMatchObject(
      refusal('"stdin" is a JSON array of more than 100 MB', 'write it as NDJSON, with one object a line'),
    );
  });
});
