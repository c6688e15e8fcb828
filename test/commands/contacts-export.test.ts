import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/hostile.ts';

/** A service whose pages these are; a cursor is the next one's number. */
async function exported(pages: readonly string[], ...argv: readonly string[]) {
  const caller = await openHostile(({ url }, _, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    response.end(`{"data":${pages[page]},"next_cursor":${pages[page + 1] ? `"${page + 1}"` : 'null'}}`);
  });
  return cli(['contacts', 'export', ...argv], caller);
}

const two = ['[{"id":"1","name":"A \\"a\\", b"},{"id":"2"}]', '[{"id":"3","note":"x"}]'];

describe('contacts export', () => {
  it('prints every page in lines of JSON', async () => {
    const { code, stdout } = await exported(two, '-o', 'ndjson');
    expect([code, stdout]).toEqual([0, '{"id":"1","name":"A \\"a\\", b"}\n{"id":"2"}\n{"id":"3","note":"x"}\n']);
  });

  it.each([
    [two, [{ id: '1', name: 'A "a", b' }, { id: '2' }, { id: '3', note: 'x' }]],
    [['[]'], []],
  ])('prints one document in JSON, of %j', async (pages, rows) => {
    const { code, stdout } = await exported(pages, '-o', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([0, rows]);
  });

  it('prints rows in the columns of the first page, and says what it leaves out', async () => {
    const { stdout, stderr } = await exported(two, '-o', 'csv');
    expect(stdout).toBe('id,name\n1,"A ""a"", b"\n2,\n3,\n');
    expect(stderr).toContain('fields that the first page does not have were left out: note');
  });

  it('gives a pipe rows with tabs between', async () => {
    expect((await exported(two)).stdout).toBe('id\tname\n1\tA "a", b\n2\t\n3\t\n');
  });

  it('says that there is none', async () => {
    const { code, stdout, stderr } = await exported(['[]'], '-o', 'csv');
    expect([code, stdout, stderr]).toEqual([0, '', 'note: there are no contacts\n']);
  });

  it('prints the columns that are asked for, and refuses one that none has', async () => {
    expect((await exported(two, '-o', 'csv', '--columns', 'name')).stdout).toBe('name\n"A ""a"", b"\n\n\n');
    const { code, stdout, stderr } = await exported(two, '-o', 'csv', '--columns', 'nam');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('there is no column "nam"')]);
  });

  it('fails where no list can be told', async () => {
    const { code, stdout, stderr } = await exported(['7'], '-o', 'csv');
    expect([code, stdout, stderr]).toEqual([8, '', expect.stringContaining('no single list of records')]);
  });
});
