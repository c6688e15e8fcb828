import { describe, expect, it } from 'vitest';
import { announced, statuses } from '../../../src/contract/endpoints.ts';
import { scopes } from '../../../src/contract/keys.ts';
import { plans } from '../../../src/contract/plans.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { bearing, bodyOf, calls, order, paths } from '../calls.ts';

/** Tests what the document specifies, section by section. */
function open(options: SandboxOptions = {}) {
  const { get, post, ...world } = calls(options);
  const as = (key: string) => ({ headers: bearing(key) });
  const fullKey = world.sandbox.keys.sandbox;
  return {
    ...world,
    get: (path: string, key = fullKey) => get(path, as(key)),
    post: (path: string, body: unknown, key = fullKey) => post(path, body, as(key)),
    /** Sends this header instead of the key. */
    askWith: (name: string, value: string) => get(paths.contacts, { headers: { [name]: value } }),
    ask: (method: string, path: string) => get(path, { method, body: '' }),
  };
}

describe('§4: the endpoints', () => {
  it.each([
    ['GET', '/api/public'],
    ['GET', '/api/public/contacts/'],
    ['GET', '/api/public/contacts/con_sandbox_1'],
    ['GET', '/api/public/messages'],
    ['GET', '/api/v1/contacts'],
    ['GET', '/api/public/CONTACTS'],
    ['GET', '/contacts'],
    ['DELETE', paths.contacts],
    ['PUT', paths.send],
    ['HEAD', paths.contacts],
    ['OPTIONS', '*'],
  ])('%s %s does not exist', async (method, path) => {
    expect(bodyOf(await open().ask(method, path))).toMatchObject({ status: 404, title: 'Not Found' });
  });

  it.each(announced.flatMap(({ family, words }) => [family.toLowerCase(), ...words]))(
    'under an announced name such as %s does not exist, and the answer names the announcement',
    async (word) => {
      const detail: unknown = expect.stringContaining('announced, but not available yet');
      expect(bodyOf(await open().get(`/api/public/${word}/1/status`))).toMatchObject({ status: 404, detail });
    },
  );
});

describe('§2: send-template', () => {
  it.each(['+1', '+12025550101', '+123456789012345678'])('accepts %s', async (phone) => {
    expect(await open().post(paths.send, { ...order, to: phone })).toMatchObject({ status: 200 });
  });

  it.each(['12025550101', '+', '', '+1 202', '+1a', '००', 5, null])('rejects %s as a number', async (phone) => {
    const { post, sandbox } = open();
    expect(await post(paths.send, { ...order, to: phone })).toMatchObject({ status: 400 });
    expect(sandbox.messages()).toEqual([]);
  });
});

describe('§5: keys', () => {
  it('§5.1: are sent as a Bearer token', async () => {
    const { askWith, sandbox } = open();
    const key = sandbox.keys.sandbox;
    expect(await askWith('authorization', `Bearer ${key}`)).toMatchObject({ status: 200 });
    for (const other of [`Basic ${key}`, key, 'Bearer ', 'Bearer abc', `Bearer ${key} b`])
      expect(await askWith('authorization', other)).toMatchObject({ status: 401 });
    expect(await askWith('x-api-key', key)).toMatchObject({ status: 401 });
  });

  it('§5.2: have a prefix for their mode', () => {
    const { keys, secret } = open().sandbox;
    expect([keys.sandbox, keys.live, secret()]).toEqual([
      expect.stringMatching(/^sk_test_local-[0-9a-f]{32}$/),
      expect.stringMatching(/^sk_live_local-[0-9a-f]{32}$/),
      expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    ]);
  });

  it.each(scopes.flatMap((scope) => Object.values(paths).map((path) => [scope, path] as const)))(
    '§5.4: of scope %s on %s',
    async (scope, path) => {
      const { get, post, sandbox } = open();
      const key = sandbox.keys.create(scope).text;
      const { status } = path === paths.send ? await post(path, order, key) : await get(path, key);
      const allowed = scope === 'full' || (scope === 'send-only') === (path === paths.send);
      expect(status).toBe(allowed ? 200 : 403);
    },
  );

  it('§5.5: once revoked, are rejected with the next request', async () => {
    const { get, sandbox } = open();
    const { text } = sandbox.keys.create('full');
    expect(await get(paths.contacts, text)).toMatchObject({ status: 200 });
    sandbox.keys.revoke(text);
    expect(await get(paths.contacts, text)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });

  it.each([
    ['sendTemplate', paths.send],
    ['listContacts', paths.contacts],
    ['listTemplates', paths.templates],
    ['listCampaigns', paths.campaigns],
  ] as const)('§5.7: a plan without %s refuses it with 403, and nothing else', async (name, path) => {
    const { get, post } = open({ without: [name] });
    for (const other of [paths.contacts, paths.templates, paths.campaigns])
      expect((await get(other)).status).toBe(other === path ? 403 : 200);
    expect((await post(paths.send, order)).status).toBe(path === paths.send ? 403 : 200);
  });

  it('§5.8: log every call in their own audit log, whatever the result', async () => {
    const { get, post, sandbox } = open({ rate: 5 });
    const { text, id } = sandbox.keys.create('send-only');
    await post(paths.send, order, text);
    await get(paths.contacts, text);
    await get('/nowhere?a=1', text);
    await post(paths.send, {}, text);
    await get(paths.contacts);
    await get(paths.contacts, text);
    sandbox.keys.revoke(id);
    await get(paths.contacts, text);
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
    const { get, post, askWith, sandbox, warnings, file } = open();
    const real = 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc';
    const { status, body } = await post(paths.send, order, real);
    await get(`${paths.contacts}?key=${real}`, real);
    await askWith('authorization', real);
    const warning: unknown = expect.stringContaining('a live key of the real service');
    expect([status, body]).toEqual([401, warning]);
    expect(sandbox.requests()[0]?.detail).toEqual(warning);
    expect(warnings).toEqual([warning, warning, warning]);
    expect(body + file.text() + warnings.join()).not.toContain('Zk3Vq8');
    expect(sandbox.messages()).toEqual([]);
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
    const { get, file } = open();
    await get(paths.contacts + query.replace('KEY', 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc'));
    expect(file.text()).not.toMatch(/Zk3Vq8|Wm0Yb5/);
  });

  it('in an unknown template name is not repeated in the answer', async () => {
    const { body } = await open().post(paths.send, { ...order, template: 'sk_live_Zk3Vq8Rt1Xp6Wm0Yb5Nc' });
    expect([body.includes('there is no template'), body.includes('Zk3Vq8')]).toEqual([true, false]);
  });
});

it('§3: going live makes the live key valid', async () => {
  const { post, sandbox } = open();
  const { keys } = sandbox;
  expect(await post(paths.send, order, keys.live)).toMatchObject({ status: 401 });
  keys.goLive();
  expect(await post(paths.send, order, keys.live)).toMatchObject({ status: 200 });
  expect(await post(paths.send, order, keys.sandbox)).toMatchObject({ status: 200 });
  expect(sandbox.messages().map(({ mode }) => mode)).toEqual(['live', 'sandbox']);
});

it.each([
  [400, paths.send, undefined],
  [401, paths.contacts, 'none'],
  [403, paths.send, 'read-only'],
  [404, '/nowhere', undefined],
  [429, paths.contacts, undefined],
] as const)("§7: the error %i has the document's own name", async (status, path, key) => {
  const { post, sandbox } = open({ rate: status === 429 ? 0 : 100 });
  const reply = await post(path, {}, key === 'read-only' ? sandbox.keys.create(key).text : key);
  expect(bodyOf(reply)).toMatchObject({ status, title: statuses[status].name });
});

it.each(['starter', 'growth', 'scale'] as const)('§8: %s limits the requests per minute', async (plan) => {
  const { get, sandbox } = open({ plan });
  for (let request = 0; request < (plans[plan].perMinute ?? 0); request++)
    expect(await get(paths.campaigns)).toMatchObject({ status: 200 });
  expect(await get(paths.campaigns)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  await sandbox.time.advance(60_000);
  expect(await get(paths.campaigns)).toMatchObject({ status: 200 });
});
