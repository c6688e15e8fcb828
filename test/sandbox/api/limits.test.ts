import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { plans } from '../../../src/contract/plans.ts';
import { endpointNames } from '../../../src/contract/endpoints.ts';
import { bearing, bodyOf, type Calls, calls, order, paths } from '../calls.ts';

describe('the minute', () => {
  it.each([
    ['starter', { plan: 'starter' }, 60],
    ['growth', { plan: 'growth' }, 300],
    ['scale', { plan: 'scale' }, 1_000],
    ['enterprise, by agreement', { plan: 'enterprise', rate: 7 }, 7],
  ] as const)('of %s lets its requests pass, refuses the next, and is over after 60 s', async (_, options, limit) => {
    const world = calls(options);
    expect(await statuses(world, limit)).toEqual({ 200: limit });
    const refused = await world.get(paths.templates);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(bodyOf(refused)).toMatchObject({ title: 'Rate Limited' });
    await world.clock.advance(59_999);
    expect(await world.get(paths.templates)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    await world.clock.advance(1);
    expect(await statuses(world, limit)).toEqual({ 200: limit });
  });

  it('has no limit with the default plan', async () => {
    const world = calls();
    expect(await statuses(world, 2_000)).toEqual({ 200: 2_000 });
    expect((await world.get(paths.templates)).headers).not.toHaveProperty('ratelimit');
  });

  it('starts with the first request, and is reported in the RateLimit headers', async () => {
    const { get, clock } = calls({ plan: 'starter' });
    await clock.advance(45_000);
    await get(paths.templates);
    await clock.advance(20_000);
    expect((await get(paths.templates)).headers).toMatchObject({
      'ratelimit-policy': '"minute";q=60;w=60',
      ratelimit: '"minute";r=58;t=40',
    });
  });

  it('is shared by all keys of the account', async () => {
    const { get, sandbox } = calls({ rate: 1 });
    const other = sandbox.keys.create('full');
    expect(await get(paths.templates)).toMatchObject({ status: 200 });
    expect(await get(paths.templates, { headers: bearing(other.text) })).toMatchObject({ status: 429 });
  });

  it('does not count requests with an invalid key', async () => {
    const { get } = calls({ rate: 1 });
    await get(paths.templates, { headers: {} });
    expect(await get(paths.templates)).toMatchObject({ status: 200 });
  });
});

describe('the month', () => {
  it.each([
    ['starter', 3_000],
    ['growth', 15_000],
  ] as const)('of %s ends after its messages with 429 and no Retry-After', async (plan, monthly) => {
    const world = calls({ plan, rate: 1_000_000 });
    expect(plans[plan].perMonth).toBe(monthly);
    for (let sent = 0; sent < monthly; sent++) await world.post(paths.send, order);
    const refused = await world.post(paths.send, order);
    expect(refused.status).toBe(429);
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect(await world.get(paths.templates)).toMatchObject({ status: 200 });
    expect(world.sandbox.messages()).toHaveLength(monthly);
  });

  it('is the calendar month in UTC', async () => {
    const { post, clock } = calls({ monthly: 1 });
    const send = async () => (await post(paths.send, order)).status;
    const first = [await send(), await send()];
    await clock.advance(Date.UTC(2026, 5, 1) - clock.now() - 1);
    const last = await send();
    await clock.advance(1);
    expect([...first, last, await send()]).toEqual([200, 429, 429, 200]);
  });
});

describe('a plan', () => {
  it.each(endpointNames)('without %s answers 403', async (name) => {
    const { get, post } = calls({ without: [name] });
    const { method, path } = endpoints[name];
    const reply = method === 'GET' ? await get(path) : await post(path, order);
    expect(bodyOf(reply)).toMatchObject({ title: 'Forbidden', status: 403 });
  });

  it('can change at any time', async () => {
    const { get, sandbox } = calls();
    sandbox.setPlan({ name: 'starter', perMinute: 1, without: [] });
    const seen = [(await get(paths.templates)).status, (await get(paths.templates)).status];
    sandbox.setPlan({ name: 'enterprise', without: [] });
    expect([...seen, (await get(paths.templates)).status]).toEqual([200, 429, 200]);
    expect(sandbox.plan()).toMatchObject({ name: 'enterprise' });
  });
});

async function statuses({ get }: Calls, count: number): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let request = 0; request < count; request++) {
    const { status } = await get(paths.templates);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  return seen;
}
