import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InputRow } from '../../../src/runs/input/row.ts';
import { openSource, checksumOf, verifyUnchanged } from '../../../src/runs/input/source.ts';
import { newHome } from '../../support/fake-service.ts';

const rows = Array.from({ length: 20 }, (_, at) => `row ${at + 10}`);
const text = `name\n${rows.join('\n')}`;
const signal = new AbortController().signal;

/** Chunks of eleven bytes: the first holds the header, and none a whole row. */
async function surveyed() {
  const path = join(newHome(), 'people.csv');
  writeFileSync(path, text);
  const source = await openSource(path, { chunkSize: 11 });
  const prints: number[] = [];
  for await (const _rows of source.rows(signal, (chunk) => prints.push(...checksumOf(chunk))));
  return { path, source, prints };
}

async function read({ path, source, prints }: Awaited<ReturnType<typeof surveyed>>) {
  const found: InputRow[] = [];
  try {
    for await (const batch of source.rows(signal, verifyUnchanged(prints, path))) found.push(...batch);
  } catch (error) {
    return { found, error };
  }
  return { found, error: undefined };
}

describe('an input that is read again', () => {
  it('yields its rows if it is unchanged', async () => {
    const { found, error } = await read(await surveyed());
    expect([found.length, error]).toEqual([20, undefined]);
  });

  it.each([
    ['is empty', '', 0],
    ['has a changed first row', text.replace('row 10', 'row 99'), 0],
    ['has a changed row in the middle', text.replace('row 20', 'row 99'), 10],
    ['has a changed last row', text.replace('row 29', 'row 99'), 19],
    ['lost its second half', text.slice(0, text.indexOf('row 20')), 10],
    ['ends in the middle of a row', text.slice(0, 5 + 7 * 10 + 4), 10],
    ['ends at the end of a chunk, in the middle of a row', text.slice(0, 11 * 7), 10],
    ['has a longer last row', `${text}9`, 19],
    ['has more rows', `${text}\nrow 30\nrow 31\n`, 19],
  ])('yields no changed row if it %s', async (_, now, most) => {
    const input = await surveyed();
    writeFileSync(input.path, now);
    const { found, error } = await read(input);
    expect(error).toMatchObject({
      exit: 'unsafe',
      code: 'input-changed',
      message: expect.stringContaining(input.path),
    });
    expect(found.length).toBeLessThanOrEqual(most);
    expect(found.flatMap(({ raw }) => raw)).toEqual(rows.slice(0, found.length));
  });

  it('is refused if it is truncated while it is read', async () => {
    const { path, source, prints } = await surveyed();
    const found: InputRow[] = [];
    const reading = async () => {
      for await (const batch of source.rows(signal, verifyUnchanged(prints, path))) {
        found.push(...batch);
        truncateSync(path);
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'input-changed' });
    expect(found.flatMap(({ raw }) => raw)).toEqual(rows.slice(0, 2));
  });
});
