import { describe, expect, it } from 'vitest';
import { failureFrom, key, raw, rig } from './rig.ts';
import { serve } from './servers.ts';

describe('a raw request', () => {
  it('returns a success unchanged', async () => {
    const bytes = Buffer.from([0, 255, 10, 123]);
    const service = await serve((_, __, response) =>
      response.writeHead(203, ['X-A', '1', 'X-A', '2', 'X-B', '3']).end(bytes),
    );
    const { client } = await rig('direct', service.url);
    const answer = await raw(client, { method: 'GET', path: '/x?y=z' });
    expect(answer.status).toBe(203);
    expect(answer.headers).toMatchObject({ 'x-a': '1, 2', 'x-b': '3' });
    expect(answer.body.equals(bytes)).toBe(true);
    expect(service.seen[0]).toMatchObject({ url: '/x?y=z', headers: { authorization: `Bearer ${key}` } });
  });

  it('replaces default headers with its own', async () => {
    const service = await serve((_, __, response) => response.end());
    const { client } = await rig('pool', service.url);
    await raw(client, { method: 'PATCH', path: '/x', headers: { accept: 'text/csv', 'X-A': 'é' }, body: 'abc' });
    expect(service.seen[0]).toMatchObject({ method: 'PATCH', body: 'abc', headers: { accept: 'text/csv' } });
  });

  it.each(['//evil.example', '@evil.example', 'https://evil.example/'])('sends nothing to %s', async (path) => {
    const service = await serve((_, __, response) => response.end());
    const { client } = await rig('direct', service.url);
    expect(await failureFrom(raw(client, { method: 'GET', path }))).toMatchObject({ code: 'foreign-address' });
    expect(service.seen).toEqual([]);
  });

  it.each([
    ['GET', { Authorization: 'Bearer x' }],
    ['GET', { Host: 'evil.example' }],
    ['GET', { 'X-A': 'a\r\nX-B: b' }],
    ['GET', { 'Content-Length': '1' }],
    ['get', {}],
    ['CONNECT', {}],
  ])('refuses %s with %j', async (method, headers) => {
    const service = await serve((_, __, response) => response.end());
    const { client } = await rig('direct', service.url);
    expect(await failureFrom(raw(client, { method, path: '/x', headers }))).toMatchObject({ exit: 'usage' });
    expect(service.seen).toEqual([]);
  });
});
