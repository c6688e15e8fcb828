import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';

/** A service with these pages; the cursor is the number of the next page. */
async function exported(pages: readonly string[], ...argv: readonly string[]) {
  const caller = await openHostile(({ url }, _, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    response.end(`{"data":${pages[page]},"next_cursor":${pages[page + 1] ? `"${page + 1}"` : 'null'}}`);
  });
  return cli(['contacts', 'export', ...argv], caller);
}

const two = ['[{"id":"1","name":"A \\"a\\", b"},{"id":"2"}]', '[{"id":"3","note":"x"}]'];

describe('contacts export', () => {
  it('prints every page as NDJSON', async () => {
    const { code, stdout } = await exported(two, '-o', 'ndjson');
    expect([code, stdout]).toEqual([0, '{"id":"1","name":"A \\"a\\", b"}\n{"id":"2"}\n{"id":"3","note":"x"}\n']);
  });

  it('prints rows with the columns of the first page, and a note about omitted fields', async () => {
    const { stdout, stderr } = await exported(two, '-o', 'csv');
    expect(stdout).toBe('id,name\n1,"A ""a"", b"\n2,\n3,\n');
    expect(stderr).toBe('note: later pages have more fields: note; add --columns id,name,note, or use -o ndjson\n');
  });

  it.each([
    [['[]', '[]', '[{"id":"2"}]'], '2\n'],
    [['[{"id":"1"}]', '[]', '[]', '[{"id":"2"}]'], '1\n2\n'],
  ])('continues after empty pages: %j', async (pages, ids) => {
    const { code, stdout } = await exported(pages, '-o', 'id');
    expect([code, stdout]).toEqual([0, ids]);
  });

  it('prints a note if there are no contacts', async () => {
    const { code, stdout, stderr } = await exported(['[]'], '-o', 'csv');
    expect([code, stdout, stderr]).toEqual([0, '', 'note: there are no contacts\n']);
  });

  it.each([
    [[], 'id\tname\n1\tA "a", b\n2\t\n3\t\n'],
    [['-o', 'table'], 'id  name\n1   A "a", b\n2\n3\n'],
    [['-o', 'csv', '--columns', 'name'], 'name\n"A ""a"", b"\n\n\n'],
  ])('uses the columns of the first page with contacts: %j', async (words, shown) => {
    const { code, stdout } = await exported(['[]', ...two], ...words);
    expect([code, stdout]).toEqual([0, shown]);
  });

  it.each([[[]], [['-o', 'csv']], [['-o', 'json']]])('refuses a column that no contact has: %j', async (words) => {
    const { code, stderr } = await exported(['[]', ...two], '--columns', 'nosuch', ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/there is no column \\?"nosuch/)]);
  });

  it('prints a column that occurs only in a later page', async () => {
    const { code, stdout } = await exported(two, '-o', 'csv', '--columns', 'id,note');
    expect([code, stdout]).toEqual([0, 'id,note\n1,\n2,\n3,x\n']);
  });

  it.each([
    ['json', '[{"id":"1","name":"A \\"a\\", b"},{"id":"2"}]\n'],
    ['csv', 'id,name\n1,"A ""a"", b"\n2,\n'],
  ])('leaves valid %s if a later page fails', async (format, shown) => {
    const { code, stdout, stderr } = await exported([two[0] ?? '', '[}'], '-o', format);
    expect([code, stdout, stderr]).toEqual([8, shown, expect.stringMatching(/error/)]);
  });

  it('fails if the response contains no single list', async () => {
    const { code, stdout, stderr } = await exported(['7'], '-o', 'csv');
    expect([code, stdout, stderr]).toEqual([8, '', expect.stringContaining('no single list of records')]);
  });
});

it('aligns more contacts than it holds below one header', async () => {
  const page = `[${Array.from({ length: 1_500 }, (_, at) => `{"id":"${at + 1_000}","name":"x"}`).join()}]`;
  const { stdout } = await exported([page], '-o', 'table');
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('id    name');
  expect(new Set(lines.slice(1, -1).map((line) => line.slice(4)))).toEqual(new Set(['  x']));
});
