import { expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { served, token } from '../served.ts';

it.each([token.slice(0, -1), `${token}x`, `${token.slice(0, -1)}T`, token.slice(0, 4), ''])(
  'takes no token but its own: %j',
  async (wrong) => {
    await using server = await served();
    const headers = { 'x-sandbox-token': wrong };
    const { status } = await httpRequest(`${server.url}/__sandbox/env`, { headers, body: '{}' });
    expect(status).toBe(403);
  },
);
