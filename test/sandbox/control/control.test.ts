import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { operations } from '../../../src/sandbox/control/operations.ts';
import { proofOf, proofPath } from '../../../src/sandbox/remote/running.ts';
import { paths } from '../calls.ts';
import { raw, served, token } from '../served.ts';

describe.each(Object.keys(operations))('the operation %s', (operation) => {
  it.each([
    ['a foreign host', { host: 'evil.example' }],
    ['a foreign host on the same port', { host: 'evil.example:PORT' }],
    ['a local host on another port', { host: '127.0.0.1:1' }],
    ['no host', { host: undefined }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another port as origin', { origin: 'http://127.0.0.1:1' }],
    ['its own origin over TLS', { origin: 'https://127.0.0.1:PORT' }],
    ['no origin that can be named', { origin: 'null' }],
    ['no token', { 'x-sandbox-token': undefined }],
  ])('from %s is 403 and changes nothing', async (_, change) => {
    let stops = 0;
    await using server = await served({ onStop: () => (stops += 1) });
    const before = seen(server);
    const headers = { host: `127.0.0.1:${server.port}`, 'x-sandbox-token': token, ...change };
    const lines = Object.entries(headers).map(([name, value]) =>
      value === undefined ? '' : `${name}: ${value.replace('PORT', String(server.port))}\r\n`,
    );
    const body = '{"scope":"full","name":"starter","key":"KEY","by":1000}'.replace('KEY', server.sandbox.keys.sandbox);
    const length = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
    const answer = await raw(server.port, `POST /__sandbox/${operation} HTTP/1.1\r\n${lines.join('')}${length}${body}`);
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).not.toMatch(/sk_|whsec_/);
    expect([stops, seen(server)]).toEqual([0, before]);
  });
});

describe('the proof of a sandbox', () => {
  const nonce = '0123456789abcdef0123456789abcdef';

  it('derives from its token, its address and the nonce, without sending the token', async () => {
    await using server = await served();
    const answer = await httpRequest(`${server.url}${proofPath}?nonce=${nonce}`, { method: 'GET' });
    expect(JSON.parse(answer.body)).toMatchObject({ proof: proofOf({ url: server.url, token }, nonce) });
    expect(answer.body).not.toContain(proofOf({ url: 'http://127.0.0.1:1', token }, nonce));
  });

  it.each([
    ['a foreign host', 'GET', nonce, 'host: evil.example', 403],
    ['a page of another site', 'GET', nonce, 'host: 127.0.0.1:PORT\r\norigin: https://evil.example', 403],
    ['another method', 'POST', nonce, 'host: 127.0.0.1:PORT', 403],
    ['a short nonce', 'GET', '00', 'host: 127.0.0.1:PORT', 400],
  ])('is not given to %s', async (_, method, asked, headers, status) => {
    await using server = await served();
    const head = `${headers.replace('PORT', String(server.port))}\r\ncontent-length: 0\r\nconnection: close`;
    const answer = await raw(server.port, `${method} ${proofPath}?nonce=${asked} HTTP/1.1\r\n${head}\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain('proof');
  });
});

describe('the control plane', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
    'is reachable as %s, also by its own page',
    async (name) => {
      await using server = await served();
      const host = `${name}:${server.port}`;
      const headers = `host: ${host}\r\norigin: http://${host.toLowerCase()}\r\nx-sandbox-token: ${token}\r\n`;
      const body = 'content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
      const answer = await raw(server.port, `POST /__sandbox/status HTTP/1.1\r\n${headers}${body}`);
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  it.each([token.slice(0, -1), `${token}x`, `${token.slice(0, -1)}T`, token.slice(0, 4), ''])(
    'takes no token but its own: %j',
    async (wrong) => {
      await using server = await served();
      const headers = { 'x-sandbox-token': wrong };
      expect(await httpRequest(`${server.url}/__sandbox/env`, { headers, body: '{}' })).toMatchObject({ status: 403 });
    },
  );

  it('has no rate limit, and is not logged', async () => {
    await using server = await served();
    server.sandbox.setPlan({ name: 'starter', perMinute: 0, without: [] });
    expect(await ask(server.url, 'POST', '/status', '{}')).toMatchObject({ status: 200 });
    expect(server.sandbox.audit(server.sandbox.keys.sandbox)).toEqual([]);
  });

  it('is separate from the service: its token is not a key, and no key is valid for it', async () => {
    await using server = await served();
    const headers = { 'x-sandbox-token': token };
    expect(await httpRequest(server.url + paths.contacts, { method: 'GET', headers })).toMatchObject({ status: 401 });
    const authorization = `Bearer ${server.sandbox.keys.sandbox}`;
    expect(await httpRequest(`${server.url}/__sandbox/env`, { headers: { authorization } })).toMatchObject({
      status: 403,
    });
  });

  it.each([
    ['POST', '/nothing', '{}', 404],
    ['POST', '/toString', '{}', 404],
    ['GET', '/status', '', 404],
    ['PUT', '/goLive', '{}', 404],
    ['POST', '/goLive', '', 400],
    ['POST', '/goLive', '{"now":true}', 400],
    ['POST', '/revokeKey', '{"key":"none"}', 404],
    ['POST', '/setPlan', '{"name":"gold"}', 400],
    ['POST', '/events', '{"after":"x"}', 400],
    ['POST', '/audit', '{"key":"none"}', 404],
    ['POST', '/trigger', '{"event":"order.paid","fields":7}', 400],
    ['POST', '/reset', '{"what":"everything"}', 400],
    ['POST', '/addWebhook', '{"url":"http://127.0.0.1:9/","events":["message"]}', 400],
    ['POST', '/deliveries', '{"states":["lost"]}', 400],
    ['POST', '/redeliver', '{"id":"none"}', 404],
    ['POST', '/redeliver', '{"id":"none","failed":true}', 400],
  ] as const)('%s %s with %s is %i', async (method, path, body, status) => {
    await using server = await served();
    const before = seen(server);
    const answer = await ask(server.url, method, path, body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error: { message: expect.any(String) } });
    expect(seen(server)).toEqual(before);
  });
});

function ask(url: string, method: string, path: string, body = '') {
  const headers = { 'x-sandbox-token': token, 'content-type': 'application/json' };
  return httpRequest(`${url}/__sandbox${path}`, { method, headers, body });
}

/** All recorded changes. */
function seen({ file, clock }: Awaited<ReturnType<typeof served>>): unknown {
  return [file.text(), clock.setting()];
}
