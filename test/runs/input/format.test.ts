import { describe, expect, it } from 'vitest';
import { type Format, openSource } from '../../../src/runs/input/source.ts';
import { fileOf } from './rig.ts';

describe('the format', () => {
  it.each<[string, string, Format]>([
    ['a.csv', 'a;b\n', 'csv'],
    ['a.CSV', 'a\tb\n', 'csv'],
    ['a.tsv', 'a,b\tc\n', 'tsv'],
    ['a.tab', 'a\tb\n', 'tsv'],
    ['a.ndjson', '{"a":1}\n', 'ndjson'],
    ['a.jsonl', 'oops\n{"a":1}\n', 'ndjson'],
    ['a.json', ' [{"a":1}]', 'json'],
    ['a.json', '[]', 'json'],
    ['a.json', '[5, {"a":1}]', 'json'],
    ['a.txt', 'a\tb\n', 'tsv'],
    ['a', 'a,b\n', 'csv'],
    ['a', '\n [\n {"a":1}]', 'json'],
    ['a', '[]', 'json'],
    ['a', '{"a":1}\n{"a":2}\n', 'ndjson'],
    ['a.csv', '[id],name\n', 'csv'],
    ['a', '', 'csv'],
    ['a.json', '', 'json'],
    ['a.csv', '{"a":1}\n', 'ndjson'],
    ['a.tsv', '[{"a":1}]', 'json'],
    ['a.ndjson', '[\n{"a":1}]', 'json'],
    ['a.json', '{"a":1}\n', 'ndjson'],
  ])('follows from the content, or from the file name: %s %j', async (name, text, format) => {
    expect(await openSource(fileOf(name, text))).toMatchObject({ format });
  });

  it('can be given by name', async () => {
    expect(await openSource(fileOf('stdin', 'a\n'), { name: 'people.ndjson' })).toMatchObject({ format: 'ndjson' });
  });

  it.each([
    ['a.json', 'a,b\n', '"a.json" is not a JSON array', 'the file must contain only the array of records'],
    ['a.jsonl', '{\n  "a": 1\n}\n', 'contains an object that spans several lines', 'one line'],
  ])('is refused if the content is not what its name or beginning tells: %s %j', async (name, text, message, hint) => {
    await expect(openSource(fileOf(name, text), { name })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    ['an HTML page', 'x.csv', '<!DOCTYPE html>'],
    ['an HTML page', 'x.ndjson', '\ufeff\n <html lang="en">\n<body>Please sign in</body>\n'],
    ['an HTML page', 'x.json', '<!-- gone --><title>404</title>'],
    ['XML', 'x.csv', '<?xml version="1.0"?>\n<rows/>'],
    ['a Parquet file', 'x.csv', 'PAR1\u0015\u0004'],
    ['an SQLite database', 'x.csv', 'SQLite format 3\u0000'],
    ['a PDF', 'x.tsv', '%PDF-1.7\n'],
  ])('is refused if the content looks like %s: %s', async (what, name, text) => {
    await expect(openSource(fileOf(name, text), { name })).rejects.toMatchObject({
      exit: 'usage',
      message: `"${name}" is ${what}, not a table or JSON`,
    });
  });

  it('is refused if the content is binary', async () => {
    const bytes = Buffer.from('id,name\n\u0000\u0001\xff\xfe\u0000\n', 'latin1');
    await expect(openSource(fileOf('a.csv', bytes))).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringMatching(/a\.csv" is binary data, not a table or JSON$/),
    });
  });

  it('may be a table whose header starts with an angle bracket', async () => {
    expect(await openSource(fileOf('a.csv', '<id>,name\n'))).toMatchObject({ fields: ['<id>', 'name'] });
  });

  it.each([
    ['a workbook', 'PK\u0003\u0004xl'],
    ['compressed', '\u001f\u008b'],
  ])('is refused if the content is not text: %s', async (what, bytes) => {
    const opening = openSource(fileOf('people.csv', Buffer.from(bytes, 'latin1')));
    await expect(opening).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(what) });
  });
});
