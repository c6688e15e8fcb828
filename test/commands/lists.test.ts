import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { noteCodes } from '../support/json-lines.ts';
import { newWorld } from '../support/world.ts';

/** A service with these pages; the cursor is the number of the next page. */
const paged = (...pages: readonly string[]) =>
  openHostile(({ url }, _, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    response.end(pages[page] ?? '{"data":[]}');
  });

const page = (id: number, next: number) => `{"data":[{"id":"${id}"}],"next_cursor":"${next}"}`;

const all = ['contacts', 'list', '--all', '-o', 'json'];

describe('a list of contacts', () => {
  it.each([
    { what: 'two', pages: ['{"data":[{"id":"1"}],"next_cursor":"1"}', '{"data":[{"id":"2"}]}'], ids: ['1', '2'] },
    { what: 'an empty last page', pages: ['{"data":[{"id":"1"}],"next_cursor":"1"}', '{"data":[]}'], ids: ['1'] },
    { what: 'pages that lead in a circle', pages: [page(1, 1), page(2, 0)], ids: ['1', '2', '1'] },
    { what: 'a cursor that leads back', pages: ['{"data":[{"id":"1"}],"next_cursor":"0"}'], ids: ['1'] },
    { what: 'no record at all', pages: ['{"data":[],"next_cursor":null}'], ids: [] },
  ])('of $what is complete with --all', async ({ pages, ids }) => {
    const { code, stdout } = await cli(all, await paged(...pages));
    expect([code, JSON.parse(stdout)]).toEqual([0, ids.map((id) => ({ id }))]);
  });

  it.each(['', 'null', '{}', '{"a":[{"x":1}],"b":[{"y":1}]}'])(
    'keeps the fetched records if a later page is %j, with a note',
    async (page) => {
      const { code, stdout, stderr } = await cli(all, await paged('{"data":[{"id":"1"}],"next_cursor":"1"}', page));
      expect([code, JSON.parse(stdout), noteCodes(stderr)]).toEqual([0, [{ id: '1' }], ['no-further-page']]);
    },
  );

  it.each(['{"data":[{"id":"1"}],"has_more":true}', '{"data":[{"id":"1"}],"meta":{"total":500}}'])(
    'may be incomplete, with a note, if nothing leads to further records: %s',
    async (page) => {
      const { stdout, stderr } = await cli(['contacts', 'export', '-o', 'id'], await paged(page));
      expect([stdout, stderr]).toEqual(['1\n', expect.stringContaining('but no link to a next page')]);
    },
  );

  it.each(['{"data":[{"id":"1"}],"total":1,"total_pages":1}', '{"data":[{"id":"1"}],"total":9,"has_more":false}'])(
    'is complete without a note: %s',
    async (page) => {
      expect(await cli(all, await paged(page))).toMatchObject({ stderr: '' });
    },
  );

  it('prints nothing of a first page when a later one fails', async () => {
    const caller = await openHostile(({ url }, _, response) =>
      url.includes('cursor') ? response.writeHead(403).end() : response.end('{"data":[{"id":"1"}],"next_cursor":"1"}'),
    );
    const { code, stdout } = await cli(all, caller);
    expect([code, stdout]).toEqual([4, '']);
  });

  it.each(['{"a":[{"x":1}],"b":[{"y":1}]}', '{"hello":"world"}', '"text"', '7'])(
    'is the whole response, with a note, if that contains no single list: %s',
    async (body) => {
      const { code, stdout, stderr } = await cli(['contacts', 'list', '-o', 'json'], await paged(body));
      expect([code, stdout, noteCodes(stderr)]).toEqual([0, `${body}\n`, ['no-single-list']]);
    },
  );

  it('has a note if there is more', async () => {
    const caller = await paged('{"data":[{"id":"1"}],"next_cursor":"1"}', '[]');
    const { code, stdout, stderr } = await cli(['contacts', 'list', '-o', 'json'], caller);
    expect([code, stdout, noteCodes(stderr)]).toEqual([0, '[{"id":"1"}]\n', ['more']]);
    expect(caller.seen).toHaveLength(1);
  });

  it('fetches no pages beyond --limit', async () => {
    const caller = await paged('{"data":[{"id":"1"}],"next_cursor":"1"}', '{"data":[{"id":"2"}],"next_cursor":"2"}');
    const { stdout } = await cli([...all, '--limit', '1'], caller);
    expect([stdout, caller.seen.length]).toEqual(['[{"id":"1"}]\n', 1]);
  });

  it('passes --url-param in the URL', async () => {
    const caller = await paged('[]');
    await cli(['contacts', 'list', '--url-param', 'tag=a b&c', '--url-param', 'page.size=2'], caller);
    expect(caller.seen.map(({ url }) => url)).toEqual(['/api/public/contacts?tag=a+b%26c&page.size=2']);
  });

  it.each([
    { form: [], prints: '' },
    { form: ['-o', 'json'], prints: '[]\n' },
    { form: ['-o', 'ndjson'], prints: '' },
    { form: ['-o', 'csv'], prints: '' },
    { form: ['-o', 'table'], prints: 'No contacts\n' },
  ])('that is empty prints "$prints" with $form', async ({ form, prints }) => {
    const { code, stdout } = await cli(['contacts', 'list', ...form], await paged('{"data":[]}'));
    expect([code, stdout]).toEqual([0, prints]);
  });
});

it('a list shows the columns that people look for first on 44 columns, and no JSON on 80', async () => {
  const world = await newWorld();
  const contacts = await world.run(['contacts', 'list', '--no-color'], { terminal: 44 });
  expect(contacts.stdout).toMatch(/^phone +name\n\+12025550111 {2}Grace Hopper\n/);
  expect(contacts.stderr).toMatch(/^note: more columns: .*tags, attributes,\s+created_at;/);
  const campaigns = await world.run(['campaigns', 'list', '--no-color'], { terminal: 80 });
  expect(campaigns.stdout).not.toContain('{');
  expect(campaigns.stderr).toContain('counts');
});
