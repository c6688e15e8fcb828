import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/runs/input/source.ts';
import { fileOf, rowsIn } from './rig.ts';
import { posixOnly } from '../../support/system.ts';

const table = 'phone,name\n+1,Ada\n+2,Bo\n';

describe('a source', () => {
  it('has a description', async () => {
    expect(await openSource(fileOf('people.csv', `\ufeff${table}`))).toMatchObject({
      format: 'csv',
      delimiter: ',',
      fields: ['phone', 'name'],
      bom: true,
      size: 27,
    });
  });

  it.each([
    ['a.csv', '', []],
    ['a.csv', '\n\n', []],
    ['a.csv', 'phone,name\n', ['phone', 'name']],
    ['a.csv', 'phone,name', ['phone', 'name']],
    ['a.tsv', '', []],
    ['a.ndjson', '', undefined],
    ['a.json', '', undefined],
    ['a.json', '[]', undefined],
  ])('may have no rows: %s %j', async (name, text, names) => {
    const source = await openSource(fileOf(name, text));
    expect(source.fields).toEqual(names);
    expect(await rowsIn(source)).toEqual([]);
  });

  it('can be read again from the start, even if it was not read to the end', async () => {
    const source = await openSource(fileOf('people.csv', table));
    for await (const batch of source.rows()) {
      expect(batch).toHaveLength(2);
      break;
    }
    expect(await rowsIn(source)).toEqual(await rowsIn(source));
  });

  it('yields batches of up to 500 rows', async () => {
    const source = await openSource(fileOf('people.csv', `phone\n${'+1\n'.repeat(1200)}`));
    const sizes: number[] = [];
    for await (const batch of source.rows()) sizes.push(batch.length);
    expect(sizes).toEqual([500, 500, 200]);
  });

  it('passes on all its bytes, each before its rows', async () => {
    const source = await openSource(fileOf('people.csv', table), { chunkSize: 7 });
    const hash = createHash('sha256');
    let bytes = 0;
    const seen: number[] = [];
    for await (const batch of source.rows(undefined, (chunk) => hash.update(chunk) && (bytes += chunk.length))) {
      seen.push(...batch.map(() => bytes));
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(table).digest('hex'));
    expect(seen).toEqual([21, 24]);
  });

  it('stops on a signal', async () => {
    const source = await openSource(fileOf('people.csv', table), { chunkSize: 7 });
    const stop = new AbortController();
    const reading = source.rows(stop.signal);
    await reading.next();
    stop.abort('SIGINT');
    await expect(reading.next()).rejects.toBe('SIGINT');
  });

  it('reports invalid bytes when they are reached', async () => {
    const text = Buffer.from(`phone,name\n${'+1,Ada\n'.repeat(20_000)}+2,Zo\xeb\n`, 'latin1');
    const source = await openSource(fileOf('people.csv', text), { name: 'people.csv' });
    await expect(rowsIn(source)).rejects.toMatchObject({
      exit: 'usage',
      message: `"people.csv" is not valid UTF-8 at byte ${text.length - 2}`,
    });
  });
});

describe('a file that cannot be read', () => {
  it('is reported as missing', async () => {
    await expect(openSource('/nowhere/people.csv')).rejects.toMatchObject({
      exit: 'usage',
      message: '"/nowhere/people.csv" cannot be read: there is no such file',
    });
  });

  it('is reported as a folder', async () => {
    const folder = dirname(fileOf('people.csv', table));
    await expect(openSource(folder)).rejects.toMatchObject({
      exit: 'usage',
      message: `"${folder}" cannot be read: it is a folder`,
    });
  });

  it('is reported as below a file', async () => {
    const opening = openSource(join(fileOf('people.csv', table), 'more.csv'));
    await expect(opening).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining('no such file') });
  });

  it('is reported as not regular, because it could be read only once', async () => {
    await expect(openSource(devNull)).rejects.toMatchObject({
      exit: 'usage',
      message: `"${devNull}" cannot be read: it is not a regular file`,
    });
  });

  it.skipIf(process.getuid?.() === 0)('is reported as not permitted', async () => {
    posixOnly('a file has no mode');
    const path = fileOf('people.csv', table);
    chmodSync(path, 0);
    await expect(openSource(path)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('permission denied'),
    });
  });

  it('is reported if it disappears in between', async () => {
    const path = fileOf('people.csv', table);
    const source = await openSource(path);
    rmSync(path);
    await expect(rowsIn(source)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('no such file'),
    });
  });
});
