import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { served, token } from '../served.ts';

const url = 'http://127.0.0.1:9/hooks';

describe('the control plane', () => {
  it.each([
    ['addWebhook', '{}', 400],
    ['addWebhook', '[]', 400],
    ['addWebhook', '{"url":7}', 400],
    ['addWebhook', '{"url":"https://example.com"}', 400],
    ['addWebhook', `{"url":"${url}","events":["message"]}`, 400],
    ['addWebhook', `{"url":"${url}","events":"all"}`, 400],
    ['addWebhook', `{"url":"${url}","secret":"secret"}`, 400],
    ['addWebhook', `{"url":"${url}","external":"yes"}`, 400],
    ['removeWebhook', '{}', 400],
    ['removeWebhook', '{"webhook":"none"}', 404],
    ['rotateSecret', '{"webhook":"none"}', 404],
    ['rotateSecret', '{"webhook":7}', 400],
    ['deliveries', '{"states":["lost"]}', 400],
    ['deliveries', '{"states":["dead","lost"]}', 400],
    ['deliveries', '{"limit":-1}', 400],
    ['delivery', '{}', 400],
    ['delivery', '{"id":"none"}', 404],
    ['redeliver', '{}', 400],
    ['redeliver', '{"id":"none"}', 404],
    ['redeliver', '{"id":"none","failed":true}', 400],
    ['redeliver', '{"id":""}', 400],
  ] as const)('%s with %s is %i, and changes nothing', async (operation, body, status) => {
    await using server = await served();
    const before = [...server.journal.lines];
    const headers = { 'x-sandbox-token': token, 'content-type': 'application/json' };
    const answer = await httpRequest(`${server.url}/__sandbox/${operation}`, { method: 'POST', headers, body });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: { message: expect.any(String) } }]);
    expect(server.journal.lines).toEqual(before);
  });
});
