import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import type { Reply } from '../../../src/sandbox/exchange.ts';
import { bodyOf, calls, paths } from '../calls.ts';

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

  it('links to the next page with a relative URL, so that any path prefix stays valid', async () => {
    const { headers } = await calls().get(`${paths.contacts}?limit=1`);
    expect(headers['link']).toBe('<?limit=1&cursor=1>; rel="next"');
  });
});

function nextOf({ headers }: Reply, target: string): string | undefined {
  const next = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
  if (next === undefined) return undefined;
  const { pathname, search } = new URL(next, `http://sandbox${target}`);
  return pathname + search;
}
