import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complete } from '../../src/client/exchange.ts';
import type { RunClient } from '../../src/session/session.ts';
import { deadPort, serve } from '../client/servers.ts';
import { openWorld, type World } from '../support/world.ts';
import { calling, key, profiled, rig } from './run-client-rig.ts';

/** Prepares an endpoint whose requests need no ledger. */
function creating({ prepare }: RunClient) {
  const exchange = prepare('createContact');
  return async (body: string) => complete(exchange(body));
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('the client of a run', () => {
  it('sends bodies as they are, over as many connections as requested', async () => {
    const ports = new Set<number | undefined>();
    const service = await serve((_, request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const { context } = rig(calling(service.url));
    const create = creating(await context.clientForRun({ concurrency: 2 }));
    await Promise.all(Array.from({ length: 30 }, (_, row) => create(`{"row":${row}}`)));
    expect(service.seen).toHaveLength(30);
    expect(ports.size).toBe(2);
  });

  it('reports its target without the key', async () => {
    const { context } = rig(calling('http://127.0.0.1:9/prefix'));
    const { target } = await context.clientForRun();
    expect(target).toEqual({
      address: 'http://127.0.0.1:9/prefix',
      mode: 'sandbox',
      simulated: false,
      plan: { perMinute: undefined, perMonth: undefined },
    });
    expect(JSON.stringify(target)).not.toContain(key);
  });

  it('has no pace without a plan', async () => {
    const { context } = rig(calling('http://127.0.0.1:9'));
    const { pace } = await context.clientForRun();
    expect([pace.known, pace.minimumDuration(1_000)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['growth', undefined, undefined, 270],
    ['growth', undefined, { share: 50 }, 150],
    ['enterprise', 2_000, undefined, 1_800],
    ['growth', undefined, { perWindow: 20, window: 60_000 }, 20],
  ] as const)('keeps to the plan of the profile: %s, %s a minute, %j', async (plan, perMinute, rate, perWindow) => {
    const { context } = rig(await profiled('http://127.0.0.1:9', plan, perMinute));
    const { pace } = await context.clientForRun({ rate });
    expect(pace.known).toEqual({ perWindow, window: 60_000 });
    expect(pace.minimumDuration(perWindow + 1)).toBe(60_000);
  });

  it('has no pace with --rate none', async () => {
    const { context } = rig(await profiled('http://127.0.0.1:9', 'growth'));
    expect((await context.clientForRun({ rate: 'none' })).pace.known).toBeUndefined();
  });

  it('refuses a share of a plan that it does not know', async () => {
    const { context } = rig(calling('http://127.0.0.1:9'));
    await expect(context.clientForRun({ rate: { share: 50 } })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('asks the sandbox on this machine for its plan', async () => {
    world.sandbox.setPlan({ name: 'scale', perMinute: 40, without: [] });
    const { context } = rig({ env: world.env, home: world.home });
    const { pace, target } = await context.clientForRun();
    expect(target).toMatchObject({ address: world.url, plan: { perMinute: 40, perMonth: 50_000 } });
    expect(pace.known).toEqual({ perWindow: 36, window: 60_000 });
  });

  it('knows that a rate per second is the slower one for few rows, and the plan for many', async () => {
    world.sandbox.setPlan({ name: 'growth', perMinute: 300, without: [] });
    const { context } = rig({ env: world.env, home: world.home });
    const { pace } = await context.clientForRun({ rate: { perWindow: 20, window: 1_000 } });
    expect([pace.minimumDuration(200), pace.minimumDuration(900)]).toEqual([9_000, 120_000]);
  });

  it('names the sandbox "local", because its port may change', async () => {
    const { context } = rig({ env: {}, words: { profile: ['local'], dryRun: [''] } });
    expect((await context.clientForRun()).target).toMatchObject({ address: 'local' });
  });

  it('checks whether the service is reachable', async () => {
    const service = await serve((_, __, response) => response.end());
    const there = rig(calling(service.url));
    expect(await (await there.context.clientForRun()).reachable()).toBe(true);
    const gone = rig(calling(`http://127.0.0.1:${await deadPort()}`));
    expect(await (await gone.context.clientForRun()).reachable()).toBe(false);
    expect(service.seen).toEqual([]);
  });

  it('reports an unreachable service to the run immediately', async () => {
    const { context, notes } = rig(calling(`http://127.0.0.1:${await deadPort()}`));
    const create = creating(await context.clientForRun());
    await expect(create('{}')).rejects.toMatchObject({ code: 'unreachable', done: 'no' });
    expect(notes).toEqual([]);
  });

  it('prints one note if all requests wait', async () => {
    const service = await serve((_, __, response) => {
      if (service.seen.length <= 8) response.writeHead(429, { 'Retry-After': '1' }).end();
      else response.end('{}');
    });
    const { context, notes } = rig(calling(service.url));
    const create = creating(await context.clientForRun({ concurrency: 8 }));
    await Promise.all(Array.from({ length: 8 }, () => create('{}')));
    expect(notes).toEqual(['note: the service answered 429 Rate Limited; going on in 1.0 s\n']);
    expect(service.seen).toHaveLength(16);
  });

  it('prints few notes for a repeated wait', async () => {
    const service = await serve((_, __, response) => {
      if (service.seen.length <= 2) response.writeHead(429, { 'Retry-After': '1' }).end();
      else response.end('{}');
    });
    const { context, notes } = rig(calling(service.url));
    await creating(await context.clientForRun())('{}');
    expect([service.seen.length, notes.length]).toEqual([3, 1]);
  });

  it('reports the requested wait if it is too long', async () => {
    const service = await serve((_, __, response) => response.writeHead(429, { 'Retry-After': '3600' }).end());
    const { context } = rig(calling(service.url));
    const create = creating(await context.clientForRun());
    const message = 'the service answered 429 Rate Limited, and asks to wait 60 minutes';
    await expect(create('{}')).rejects.toMatchObject({ exit: 'rateLimited', message });
  });
});
