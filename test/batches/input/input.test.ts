import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { posixOnly } from '../../support/system.ts';
import { fields, fileOf, open, read, readFile, refusal, rowsOf } from './rig.ts';

const table = 'phone,name\n+1,Ada\n+2,Bo\n';

describe('an input', () => {
  it('is a file with a name, a path and columns', async () => {
    const path = fileOf('people.csv', table);
    const { input } = await open(path);
    expect(input).toMatchObject({ name: path, path, columns: ['phone', 'name'], encoding: undefined, unit: 'line' });
    expect(fields(await rowsOf(input))).toHaveLength(2);
  });

  it('is stdin, in any pieces', async () => {
    const { input, rows } = await readFile('-', { stdin: ['phone,na', 'me\n+1,"A', 'da"\r', '\n+2,', 'Bo'] });
    expect(input).toMatchObject({ name: 'stdin', path: undefined, columns: ['phone', 'name'] });
    expect(fields(rows)).toEqual([
      { phone: '+1', name: 'Ada' },
      { phone: '+2', name: 'Bo' },
    ]);
  });

  it('shows its first 100 rows before they are read', async () => {
    const lines = Array.from({ length: 250 }, (_, at) => `+${at}`);
    const { input } = await open(fileOf('people.csv', `phone\n${lines.join('\n')}\n`));
    expect(input.first.map(({ fields }) => fields['phone'])).toEqual(lines.slice(0, 100));
    expect((await rowsOf(input)).map(({ fields }) => fields['phone'])).toEqual(lines);
  });

  it('is read only to the row that is needed', async () => {
    const begun = `phone,note\n${`+1,${'x'.repeat(96)}\n`.repeat(20_000)}`;
    const { input } = await open(fileOf('people.csv', Buffer.concat([Buffer.from(begun), Buffer.of(0xff)])));
    expect(input.first).toHaveLength(100);
    await expect(rowsOf(input)).rejects.toMatchObject({ message: expect.stringContaining('is not UTF-8') });
  });

  it('stops on a signal', async () => {
    const stop = new AbortController();
    const path = fileOf('people.csv', `phone,note\n${`+1,${'x'.repeat(96)}\n`.repeat(20_000)}`);
    const { input } = await open(path, { signal: stop.signal });
    stop.abort('SIGINT');
    await expect(rowsOf(input)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('an input without rows', () => {
  it.each([
    ['a.csv', ''],
    ['a.csv', '\n\n'],
    ['a.csv', '\ufeff'],
    ['a.csv', 'phone,name\n'],
    ['a.csv', 'phone,name\n,\n\n'],
    ['a.tsv', 'phone'],
    ['a.ndjson', ''],
    ['a.ndjson', '\n \n'],
    ['a.json', '[]'],
    ['a', ' [ ] '],
  ])('is refused: %s %j', async (name, text) => {
    await expect(open(fileOf(name, text))).rejects.toMatchObject(refusal(/^".*" has no rows$/));
  });
});

it('without a row that can be read is refused', async () => {
  await expect(open(fileOf('a.json', '[5]'))).rejects.toMatchObject(
    refusal(/^no row of ".*" can be read: it is not an object$/),
  );
});

describe('the format', () => {
  it.each([
    ['a.csv', '{"a":1}\n', [{ a: 1 }]],
    ['a.tsv', '[{"a":1}]', [{ a: 1 }]],
    ['a.json', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['a.ndjson', '\ufeff[\n{"a":1}]', [{ a: 1 }]],
    ['a.ndjson', 'phone\n{"a":1}', ['it is not JSON', { a: 1 }]],
    ['a.jsonl', 'oops\n{"a":1}\n', ['it is not JSON', { a: 1 }]],
    ['a.json', '[5,{"a":1}]', ['it is not an object', { a: 1 }]],
    ['a.xlsx', 'a\n1\n', [{ a: '1' }]],
    ['a', 'a,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['a.csv', '[id],name\n1,2\n', [{ '[id]': '1', name: '2' }]],
    ['a.csv', '<id>,name\n1,2\n', [{ '<id>': '1', name: '2' }]],
  ])('follows from the content, or else from the name: %s %j', async (name, text, expected) => {
    const { rows } = await read(name, text);
    expect(fields(rows).map((row) => (typeof row === 'string' ? row.split(':')[0] : row))).toEqual(expected);
  });

  it.each([
    ['a web page or XML', '<!DOCTYPE html>'],
    ['a web page or XML', '\ufeff\n <html lang="en">\n<body>Please sign in</body>\n'],
    ['a web page or XML', '<?xml version="1.0"?>\n<rows/>'],
    ['binary data', 'id,name\n\u0000\u0001\n'],
    ['an old or encrypted Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ])('is refused if the content is %s', async (what, content) => {
    await expect(open(fileOf('x.csv', content))).rejects.toMatchObject(refusal(`x.csv" is ${what}`));
  });
});

describe('a file that cannot be read', () => {
  it.each([
    ['is missing', '/nowhere/people.csv', 'there is no such file'],
    ['is a folder', dirname(fileOf('people.csv', table)), 'it is a folder'],
    ['is below a file', join(fileOf('people.csv', table), 'more.csv'), 'there is no such file'],
  ])('is refused if it %s', async (_, path, reason) => {
    await expect(open(path)).rejects.toMatchObject(refusal(`"${path}" cannot be read: ${reason}`));
  });

  it.skipIf(process.getuid?.() === 0)('is refused if it is not permitted', async () => {
    posixOnly('a file has no mode');
    const path = fileOf('people.csv', table);
    chmodSync(path, 0);
    await expect(open(path)).rejects.toMatchObject({ message: expect.stringContaining('permission denied') });
  });

  it('does not change what was opened if it is replaced', async () => {
    const path = fileOf('people.csv', table);
    const { input } = await open(path);
    writeFileSync(path, 'phone\n+3\n');
    expect(fields(await rowsOf(input))).toHaveLength(2);
  });
});
