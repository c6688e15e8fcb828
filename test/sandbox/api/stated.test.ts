import { describe, expect, it } from 'vitest';
import { announced } from '../../../src/contract/endpoints.ts';
import { scopes } from '../../../src/contract/keys.ts';
import { plans } from '../../../src/contract/plans.ts';
import { statuses } from '../../../src/contract/statuses.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { order, paths } from '../calls.ts';
import { overHttp, type Wire } from '../over-http.ts';
import { raw, served } from '../served.ts';

/** Tests what the document specifies, section by section, over HTTP. */
async function wire(options: SandboxOptions = {}): Promise<Wire & AsyncDisposable> {
  const server = await served({}, options);
  return { ...overHttp(server), [Symbol.asyncDispose]: () => server.close() };
}

describe('§4: the endpoints', () => {
  it.each([
    ['POST', paths.send, 200],
    ['GET', paths.contacts, 200],
    ['POST', paths.contacts, 201],
    ['GET', paths.templates, 200],
    ['GET', paths.campaigns, 200],
  ])('%s %s exists', async (method, path, status) => {
    await using to = await wire();
    const body = path === paths.send ? order : { phone: '+12025550142' };
    expect(await (method === 'GET' ? to.get(path) : to.post(path, body))).toMatchObject({ status });
  });

  it.each([
    '/api/public',
    '/api/public/contacts/',
    '/api/public/contacts/con_sandbox_1',
    '/api/public/messages',
    '/api/v1/contacts',
    '/api/public/CONTACTS',
    '/contacts',
  ])('%s does not exist', async (path) => {
    await using to = await wire();
    expect(await to.get(path)).toMatchObject({ status: 404, body: { status: 404, title: 'Not Found' } });
  });

  it.each([
    ['DELETE', paths.contacts],
    ['PUT', paths.send],
    ['HEAD', paths.contacts],
    ['OPTIONS', '*'],
  ])('%s %s does not exist', async (method, path) => {
    await using to = await wire();
    const { port, sandbox } = to.server;
    const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sandbox.keys.sandbox}\r\n`;
    expect(await raw(port, `${head}connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 404 /);
  });

  it.each(announced.flatMap(({ family, words }) => [family.toLowerCase(), ...words]))(
    'under an announced name such as %s does not exist, and the answer names the announcement',
    async (word) => {
      await using to = await wire();
      const { status, body } = await to.get(`/api/public/${word}/1/status`);
      expect([status, body]).toMatchObject([
        404,
        { detail: expect.stringContaining('announced, but not available yet') },
      ]);
    },
  );
});

describe('§2: send-template', () => {
  it('answers 200 with a message_id', async () => {
    await using to = await wire();
    const { status, headers, body } = await to.post(paths.send, order);
    expect([status, body]).toEqual([200, { message_id: to.server.sandbox.messages()[0]?.id }]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(['+1', '+12025550101', '+123456789012345678'])('accepts %s', async (phone) => {
    await using to = await wire();
    expect(await to.post(paths.send, { ...order, to: phone })).toMatchObject({ status: 200 });
  });

  it.each(['12025550101', '+', '', '+1 202', '+1a', '００', 5, null])('rejects %s as a number', async (phone) => {
    await using to = await wire();
    expect(await to.post(paths.send, { ...order, to: phone })).toMatchObject({ status: 400 });
    expect(to.server.sandbox.messages()).toEqual([]);
  });
});

describe('§5: keys', () => {
  it('§5.1: are sent as a Bearer token', async () => {
    await using to = await wire();
    const key = to.server.sandbox.keys.sandbox;
    const ask = (scheme: string) =>
      raw(to.server.port, `GET ${paths.contacts} HTTP/1.1\r\nhost: localhost\r\n${scheme}connection: close\r\n\r\n`);
    expect(await ask(`Authorization: Bearer ${key}\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    for (const other of [`Basic ${key}`, key, 'Bearer ', 'Bearer abc', `Bearer ${key} b`])
      expect(await ask(`Authorization: ${other}\r\n`)).toMatch(/^HTTP\/1.1 401 /);
    for (const other of [`X-Api-Key: ${key}\r\n`, '']) expect(await ask(other)).toMatch(/^HTTP\/1.1 401 /);
  });

  it('§5.2: have a prefix for their mode', async () => {
    await using to = await wire();
    const { keys, secret } = to.server.sandbox;
    expect([keys.sandbox, keys.live, secret()]).toEqual([
      expect.stringMatching(/^sk_test_local-[0-9a-f]{32}$/),
      expect.stringMatching(/^sk_live_local-[0-9a-f]{32}$/),
      expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    ]);
  });

  it.each(scopes.flatMap((scope) => Object.values(paths).map((path) => [scope, path] as const)))(
    '§5.4: of scope %s on %s',
    async (scope, path) => {
      await using to = await wire();
      const key = to.server.sandbox.keys.create(scope).text;
      const { status } = path === paths.send ? await to.post(path, order, key) : await to.get(path, key);
      const allowed = scope === 'full' || (scope === 'send-only') === (path === paths.send);
      expect(status).toBe(allowed ? 200 : 403);
    },
  );

  it('§5.5: once revoked, are rejected with the next request', async () => {
    await using to = await wire();
    const { text } = to.server.sandbox.keys.create('full');
    expect(await to.get(paths.contacts, text)).toMatchObject({ status: 200 });
    to.server.sandbox.keys.revoke(text);
    expect(await to.get(paths.contacts, text)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it.each([
    ['sendTemplate', paths.send],
    ['listContacts', paths.contacts],
    ['listTemplates', paths.templates],
    ['listCampaigns', paths.campaigns],
  ] as const)('§5.7: a plan without %s refuses it with 403, and nothing else', async (name, path) => {
    await using to = await wire({ without: [name] });
    for (const other of [paths.contacts, paths.templates, paths.campaigns])
      expect((await to.get(other)).status).toBe(other === path ? 403 : 200);
    expect((await to.post(paths.send, order)).status).toBe(path === paths.send ? 403 : 200);
  });

  it('§5.8: log every call in their own audit log, whatever the result', async () => {
    await using to = await wire({ rate: 5 });
    const { sandbox } = to.server;
    const { text, id } = sandbox.keys.create('send-only');
    await to.post(paths.send, order, text);
    await to.get(paths.contacts, text);
    await to.get('/nowhere?a=1', text);
    await to.post(paths.send, {}, text);
    await to.get(paths.contacts);
    await to.get(paths.contacts, text);
    sandbox.keys.revoke(id);
    await to.get(paths.contacts, text);
    expect(sandbox.audit(id).map(({ status, target }) => [status, target])).toEqual([
      [200, paths.send],
      [403, paths.contacts],
      [404, '/nowhere?a=1'],
      [400, paths.send],
      [429, paths.contacts],
      [401, paths.contacts],
    ]);
    expect(sandbox.audit(sandbox.keys.sandbox).map(({ status }) => status)).toEqual([200]);
  });

  it('§5.9: rejects a live key of the real service with a warning, and stores it nowhere', async () => {
    await using to = await wire();
    const real = 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc';
    const { status, text } = await to.post(paths.send, order, real);
    await to.get(`${paths.contacts}?key=${real}`, real);
    await to.server.get(paths.contacts, { headers: { authorization: real } });
    expect([status, text.includes('Zk3Vq8')]).toEqual([401, false]);
    expect(text).toContain('a live key of the real service');
    expect(to.server.sandbox.requests()[0]?.detail).toContain('a live key of the real service');
    expect(to.server.warnings).toEqual(Array(3).fill(expect.stringContaining('a live key of the real service')));
    expect(to.server.file.text() + to.server.warnings.join()).not.toContain('Zk3Vq8');
    expect(to.server.sandbox.messages()).toEqual([]);
  });
});

describe('a key in a path', () => {
  it.each([
    '?a=Bearer%20KEY',
    '?a=x%3DKEY',
    '?a=x_KEY',
    '?a=%73%6B_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc',
    '?a=%KEY',
    '?a=KEY&b=%zz',
  ])('such as %s is not stored', async (query) => {
    await using to = await wire();
    await to.get(paths.contacts + query.replace('KEY', 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc'));
    expect(to.server.file.text()).not.toMatch(/Zk3Vq8|Wm0Yb5/);
  });

  it('in an unknown template name is not repeated in the answer', async () => {
    await using to = await wire();
    const { text } = await to.post(paths.send, { ...order, template: 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc' });
    expect([text.includes('there is no template'), text.includes('Zk3Vq8')]).toEqual([true, false]);
  });
});

describe('§3: going live', () => {
  it('makes the live key valid', async () => {
    await using to = await wire();
    const { keys } = to.server.sandbox;
    expect(await to.post(paths.send, order, keys.live)).toMatchObject({ status: 401 });
    keys.goLive();
    expect(await to.post(paths.send, order, keys.live)).toMatchObject({ status: 200 });
    expect(await to.post(paths.send, order, keys.sandbox)).toMatchObject({ status: 200 });
    expect(to.server.sandbox.messages().map(({ mode }) => mode)).toEqual(['live', 'sandbox']);
  });
});

describe('§7: errors', () => {
  it.each([
    [400, async (to: Wire) => to.post(paths.send, { to: order.to })],
    [401, async (to: Wire) => to.get(paths.contacts, 'none')],
    [403, async (to: Wire) => to.get(paths.contacts, to.server.sandbox.keys.create('send-only').text)],
    [404, async (to: Wire) => to.post(paths.send, { ...order, template: 'none' })],
    [429, async (to: Wire) => (await to.get(paths.contacts), await to.get(paths.contacts))],
  ] as const)("%i has the document's own name", async (status, ask) => {
    await using to = await wire({ rate: status === 429 ? 1 : 100 });
    expect(await ask(to)).toMatchObject({ status, body: { status, title: statuses[status].name } });
  });
});

describe('§8: plans', () => {
  it.each(['starter', 'growth', 'scale'] as const)('%s limits the requests per minute', async (plan) => {
    await using to = await wire({ plan });
    const { perMinute } = plans[plan];
    const got = await Promise.all(Array.from({ length: perMinute }, () => to.get(paths.campaigns)));
    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await to.get(paths.campaigns)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    await to.server.sandbox.time.advance(60_000);
    expect(await to.get(paths.campaigns)).toMatchObject({ status: 200 });
  });

  it('enterprise, the default, has no limit', async () => {
    await using to = await wire();
    for (let round = 0; round < 11; round++) {
      const got = await Promise.all(Array.from({ length: 100 }, () => to.get(paths.campaigns)));
      expect(got.filter(({ status, headers }) => status !== 200 || headers['ratelimit'] !== undefined)).toEqual([]);
    }
  });

  it('count no request without a valid key', async () => {
    await using to = await wire({ rate: 1 });
    for (const [key, status] of [
      ['none', 401],
      [undefined, 200],
      ['none', 401],
      [undefined, 429],
    ] as const)
      expect(await to.get(paths.contacts, key)).toMatchObject({ status });
  });
});
