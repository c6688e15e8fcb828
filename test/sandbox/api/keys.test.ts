import { describe, expect, it } from 'vitest';
import { scopes } from '../../../src/contract/keys.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { bearing, bodyOf, calls, order, paths } from '../calls.ts';

describe('a key', () => {
  it('has the prefix of its mode and a mark that it is local', () => {
    const { keys, secret } = createSandbox();
    expect(keys.sandbox).toMatch(/^sk_test_local-[0-9a-f]{32}$/);
    expect(keys.live).toMatch(/^sk_live_local-[0-9a-f]{32}$/);
    expect(secret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it.each([
    ['missing', undefined],
    ['not a bearer key', 'Basic abc'],
    ['empty', 'Bearer '],
    ['unknown', 'Bearer sk_test_local-0000'],
    ['of no prefix', 'Bearer abc'],
    ['two words', 'Bearer a b'],
  ])('that is %s is 401', async (_, authorization) => {
    const { get, sandbox } = calls();
    const reply = await get(paths.contacts, { headers: { authorization } });
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(bodyOf(reply)).toMatchObject({ title: 'Unauthorized', status: 401 });
    expect(sandbox.audit(sandbox.keys.sandbox)).toEqual([]);
  });

  it('is rejected once revoked, and its calls are still recorded', async () => {
    const { get, sandbox } = calls();
    const key = sandbox.keys.create('full');
    const asked = { headers: bearing(key.text) };
    const before = await get(paths.contacts, asked);
    expect(sandbox.keys.revoke(key.text)).toBe(true);
    const after = await get(paths.contacts, asked);
    expect([before.status, after.status]).toEqual([200, 401]);
    expect(sandbox.audit(key.id)).toMatchObject([{ status: 200 }, { status: 401 }]);
    expect(sandbox.keys.list()).toContainEqual({ ...key, state: 'revoked' });
  });

  it('for live mode works once the account has gone live', async () => {
    const { post, sandbox } = calls();
    const asked = { headers: bearing(sandbox.keys.live) };
    const before = await post(paths.send, order, asked);
    sandbox.keys.goLive();
    const after = await post(paths.send, order, asked);
    expect([before.status, after.status]).toEqual([401, 200]);
    expect(sandbox.messages()).toMatchObject([{ mode: 'live' }]);
  });

  it('of the real service for live mode is rejected with a warning and not stored', async () => {
    const { get, sandbox, warnings } = calls();
    const real = 'sk_live_4242realREAL';
    const replies = [
      await get(paths.contacts, { headers: bearing(real) }),
      await get(paths.contacts, { headers: { authorization: real } }),
      await get(`${paths.contacts}?key=${real}`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(warnings).toHaveLength(2);
    const all = JSON.stringify([warnings, replies, sandbox.audit(sandbox.keys.sandbox), sandbox.keys.list()]);
    expect(all).not.toContain('4242real');
  });
});

describe('a scope', () => {
  const allowed = {
    'read-only': [403, 200, 403, 200, 200],
    'send-only': [200, 403, 403, 403, 403],
    full: [200, 200, 201, 200, 200],
  };

  it.each(scopes)('%s allows its endpoints; the others answer 403', async (scope) => {
    const { get, post, sandbox } = calls();
    const asked = { headers: bearing(sandbox.keys.create(scope).text) };
    const replies = [
      await post(paths.send, order, asked),
      await get(paths.contacts, asked),
      await post(paths.contacts, { phone: '+12025550142' }, asked),
      await get(paths.templates, asked),
      await get(paths.campaigns, asked),
    ];
    expect(replies.map(({ status }) => status)).toEqual(allowed[scope]);
  });
});

describe('the audit log', () => {
  it('contains every call of its key, whatever the result, and no others', async () => {
    const { get, post, sandbox } = calls({ plan: 'starter', rate: 4 });
    const other = sandbox.keys.create('read-only');
    await get(paths.contacts);
    await get('/nowhere?a=1');
    await post(paths.send, {});
    await post(paths.send, order, { headers: bearing(other.text) });
    await get(paths.contacts);
    expect(sandbox.audit(sandbox.keys.sandbox)).toMatchObject([
      { method: 'GET', target: paths.contacts, status: 200 },
      { method: 'GET', target: '/nowhere?a=1', status: 404 },
      { method: 'POST', target: paths.send, status: 400 },
      { method: 'GET', target: paths.contacts, status: 429 },
    ]);
    expect(sandbox.audit(other.text)).toMatchObject([{ status: 403 }]);
  });
});

describe('the order of checks', () => {
  it('is key, minute, path, plan, scope, body, template, params, month', async () => {
    const { post, sandbox, clock } = calls({ monthly: 0, without: ['sendTemplate'], rate: 1 });
    const readOnly = bearing(sandbox.keys.create('read-only').text);
    const broken = { ...order, to: 'x', template: 'none_such', params: [] };
    const status = async (target: string, body: unknown, headers = readOnly) =>
      (await post(target, body, { headers })).status;
    const seen = [await status('/nowhere', broken, bearing('sk_test_local-none')), await status('/nowhere', broken)];
    seen.push(await status('/nowhere', broken));
    await clock.advance(60_000);
    const plan = { name: 'enterprise', perMonth: 0 } as const;
    sandbox.setPlan({ ...plan, without: ['sendTemplate'] });
    const details = [bodyOf(await post(paths.send, broken, { headers: readOnly }))];
    sandbox.setPlan({ ...plan, without: [] });
    details.push(bodyOf(await post(paths.send, broken, { headers: readOnly })));
    seen.push(await status(paths.send, broken, bearing(sandbox.keys.sandbox)));
    for (const body of [{ ...broken, to: '+1' }, { ...order, params: [] }, order]) {
      seen.push(await status(paths.send, body, bearing(sandbox.keys.sandbox)));
    }
    expect(seen).toEqual([401, 404, 429, 400, 404, 400, 429]);
    expect(details).toMatchObject([
      { status: 403, detail: expect.stringContaining('plan') },
      { status: 403, detail: expect.stringContaining('scope') },
    ]);
  });
});
