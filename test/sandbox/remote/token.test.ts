import { expect, it } from 'vitest';
import { post } from '../../../src/base/post.ts';
import { served, token } from '../served.ts';

it.each([token.slice(0, -1), `${token}x`, `${token.slice(0, -1)}T`, token.slice(0, 4), ''])(
  'takes no token but its own: %j',
  async (wrong) => {
    await using server = await served();
    const headers = { 'x-sandbox-token': wrong };
    const { status } = await post(`${server.url}/__sandbox/env`, { method: 'GET', headers });
    expect(status).toBe(403);
  },
);
