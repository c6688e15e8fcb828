import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import type { Reply } from '../../../src/sandbox/exchange.ts';
import { bodyOf, type Calls, calls, paths } from '../calls.ts';

describe('a list', () => {
  it.each(['?limit=0', '?limit=-1', '?limit=ten', '?limit=', '?cursor=', '?cursor=x', '?cursor=1.5'])(
    'with %s is 400',
    async (query) => {
      expect(bodyOf(await calls().get(paths.contacts + query))).toMatchObject({ status: 400 });
    },
  );

  it.each([paths.contacts, paths.templates, paths.campaigns])('%s continues at its Link header', async (path) => {
    const { get } = calls();
    const whole = bodyOf(await get(path));
    const records: unknown[] = [];
    let target: string | undefined = `${path}?limit=2&kept=yes`;
    while (target !== undefined) {
      const reply: Reply = await get(target);
      expect(target).toContain('kept=yes');
      const body = bodyOf(reply);
      if (isRecord(body) && Array.isArray(body['data'])) records.push(...body['data']);
      target = nextOf(reply, target);
    }
    expect({ data: records, next_cursor: null }).toEqual(whole);
  });

  it('continues at its cursor, in order of creation, even if contacts are added meanwhile', async () => {
    const world = await filled(5);
    const first = bodyOf(await world.get(`${paths.contacts}?limit=8`));
    await world.post(paths.contacts, { phone: '+12025550199' });
    const cursor = isRecord(first) ? String(first['next_cursor']) : '';
    const second = await world.get(`${paths.contacts}?limit=8&cursor=${cursor}`);
    expect(phones(second)).toEqual(['+13003', '+13004', '+12025550199']);
    expect(second.headers).not.toHaveProperty('link');
  });

  it('links to the next page with a relative URL, so that any path prefix stays valid', async () => {
    const { get } = calls();
    const next = /<(.*)>; rel="next"/.exec((await get(`${paths.contacts}?limit=1`)).headers['link'] ?? '')?.[1];
    const { href } = new URL(next ?? '', `https://gateway.example/v7${paths.contacts}?limit=1`);
    expect(href).toBe('https://gateway.example/v7/api/public/contacts?limit=1&cursor=1');
  });

  it('can end with an empty page', async () => {
    const { get } = calls();
    const reply = await get(`${paths.contacts}?cursor=900`);
    expect(bodyOf(reply)).toEqual({ data: [], next_cursor: null });
  });
});

async function filled(count: number): Promise<Calls> {
  const world = calls();
  for (let contact = 0; contact < count; contact++) await world.post(paths.contacts, { phone: `+1${3_000 + contact}` });
  return world;
}

function phones(reply: Reply): readonly unknown[] {
  const body = bodyOf(reply);
  const data: unknown = isRecord(body) ? body['data'] : undefined;
  return Array.isArray(data) ? data.map((record: unknown) => (isRecord(record) ? record['phone'] : record)) : [];
}

function nextOf({ headers }: Reply, target: string): string | undefined {
  const next = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
  if (next === undefined) return undefined;
  const { pathname, search } = new URL(next, `http://sandbox${target}`);
  return pathname + search;
}
