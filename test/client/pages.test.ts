import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { failureFrom, key, rig } from './rig.ts';
import { type Answering, serve } from './servers.ts';

/** Serves pages that each point to the next by `point`. */
async function pager(pages: number, point: (next: number, response: Parameters<Answering>[2]) => unknown) {
  return serve(({ url }, _, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
    const pointer = page < pages ? point(page + 1, response) : {};
    response.end(JSON.stringify({ data: [page], ...Object(pointer) }));
  });
}

async function all(client: Client) {
  const seen: unknown[] = [];
  for await (const page of client.pages('listContacts', [['tag', 'vip']])) seen.push(page);
  return seen;
}

const three = (extra: (page: number) => object) => [
  { answer: { data: [1], ...extra(2) }, more: true },
  { answer: { data: [2], ...extra(3) }, more: true },
  { answer: { data: [3] }, more: false },
];

describe('pages', () => {
  it('follow a Link, each once', async () => {
    const service = await pager(3, (page, response) => {
      response.setHeader('Link', `</api/public/contacts?tag=vip&page=${page}>; rel="next"`);
    });
    const { client } = await rig('direct', service.url);
    expect(await all(client)).toEqual(three(() => ({})));
    expect(service.seen).toHaveLength(3);
    expect(service.seen[2]?.url).toBe('/api/public/contacts?tag=vip&page=3');
  });

  it('follow a cursor in the response', async () => {
    const service = await pager(3, (page) => ({ next_page: String(page) }));
    const { client } = await rig('pool', service.url);
    expect(await all(client)).toEqual(three((page) => ({ next_page: String(page) })));
  });

  it('keep the prefix of the base URL, which the service does not know', async () => {
    const service = await pager(3, (page, response) => {
      response.setHeader('Link', `</api/public/contacts?page=${page}>; rel="next"`);
    });
    const { client } = await rig('direct', `${service.url}/gateway`);
    expect(await all(client)).toHaveLength(3);
    expect(service.seen[2]?.url).toBe('/gateway/api/public/contacts?page=3');
  });

  it('stop with their reader, and report that there are more', async () => {
    const service = await pager(3, (page) => ({ next_page: page }));
    const { client } = await rig('direct', service.url);
    for await (const page of client.pages('listContacts')) {
      expect(page.more).toBe(true);
      break;
    }
    expect(service.seen).toHaveLength(1);
  });

  it('end if a response points to a page already seen', async () => {
    const service = await serve(({ url }, _, response) => {
      const page = new URL(url, 'http://x').searchParams.get('cursor') ?? 'a';
      response.end(JSON.stringify({ data: [page], next_cursor: page === 'a' ? 'b' : 'a' }));
    });
    const { client } = await rig('direct', service.url);
    expect(await all(client)).toHaveLength(3);
  });

  it('end if the service ignores its own cursor', async () => {
    const service = await serve((_, __, response) => response.end('{"data":[1],"cursor":"abc"}'));
    const { client } = await rig('direct', service.url);
    expect(await all(client)).toMatchObject([{ more: true }, { more: false }]);
    expect(service.seen).toHaveLength(2);
  });

  it('continue after an empty page', async () => {
    const service = await serve(({ url }, _, response) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('p') ?? 1);
      if (page < 4) response.setHeader('Link', `<?p=${page + 1}>; rel=next`);
      response.end(page < 4 ? '[]' : '[1]');
    });
    const { client } = await rig('direct', service.url);
    expect(await all(client)).toHaveLength(4);
  });

  it.each([
    ['a Link', (to: string) => [{ Link: `<${to}/steal>; rel="next"` }, '[1]'] as const],
    ['a URL in the response', (to: string) => [{}, `{"data":[1],"next":"${to}/steal"}`] as const],
  ])('do not send the key to another origin in %s', async (_, pointing) => {
    const other = await serve((_, __, response) => response.end('[]'));
    const service = await serve((_, __, response) => {
      const [headers, body] = pointing(other.url);
      response.writeHead(200, headers).end(body);
    });
    const { client } = await rig('direct', service.url);
    const pages = client.pages('listContacts');
    expect(await pages.next()).toMatchObject({ value: { more: true } });
    expect(await failureFrom(pages.next())).toMatchObject({ exit: 'unsafe', code: 'foreign-link' });
    expect(other.seen).toEqual([]);
  });

  it('send the key with each page', async () => {
    const service = await pager(2, (page) => ({ next_page: page }));
    const { client } = await rig('direct', service.url);
    await all(client);
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
  });
});
