import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { complete } from '../../src/client/exchange.ts';
import type { CliContext } from '../../src/cli/context.ts';
import type { BatchOptions, Sender } from '../../src/session/session.ts';
import { deadPort, serve } from '../client/servers.ts';
import { openWorld, type World } from '../support/world.ts';
import { calling, key, profiled, rig } from './batch-rig.ts';

const never = new AbortController().signal;
const clientOf = (context: CliContext, stop = never) => context.clientForBatch({ stop, leave: never });
const connected = async (context: CliContext, options: BatchOptions = {}) => (await clientOf(context)).connect(options);

/** Sends bodies of contacts, which need no record. */
function creating({ prepare }: Sender) {
  const exchange = prepare('createContact');
  return async (body: string) => complete(exchange(body));
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('the client of a batch', () => {
  it('sends bodies as they are, over as many connections as requested', async () => {
    const ports = new Set<number | undefined>();
    const service = await serve((_, request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const create = creating(await connected(rig(calling(service.url)).context, { connections: 2 }));
    await Promise.all(Array.from({ length: 30 }, (_, row) => create(`{"row":${row}}`)));
    expect(service.seen.map(({ body }) => body)).toContain('{"row":29}');
    expect([service.seen.length, ports.size]).toEqual([30, 2]);
  });

  it('has a target without the key', async () => {
    const { target } = await clientOf(rig(calling('http://127.0.0.1:9/prefix')).context);
    const plan = { perMinute: undefined, perMonth: undefined };
    expect(target).toEqual({
      address: 'http://127.0.0.1:9/prefix',
      mode: 'sandbox',
      simulated: false,
      hasTeam: false,
      plan,
    });
    expect(JSON.stringify(target)).not.toContain(key);
  });

  it('calls its target "local" if it is the sandbox on this machine, whose port may change', async () => {
    const { context } = rig({ env: {}, words: { profile: ['local'], dryRun: [''] } });
    expect((await clientOf(context)).target).toMatchObject({ address: 'local' });
  });

  it('knows the time of the service once it has answered', async () => {
    const ahead = new Date(Date.now() + 86_400_000).toUTCString();
    const service = await serve((_, __, response) => response.setHeader('date', ahead).end('{}'));
    const client = await clientOf(rig(calling(service.url)).context);
    expect(client.skew()).toBeUndefined();
    await creating(await client.connect({}))('{}');
    expect(Math.round((client.skew() ?? 0) / 60_000)).toBe(24 * 60);
  });

  it('checks whether the service is reachable, without a request', async () => {
    const service = await serve((_, __, response) => response.end());
    expect(await (await connected(rig(calling(service.url)).context)).reachable()).toBe(true);
    const gone = rig(calling(`http://127.0.0.1:${await deadPort()}`));
    expect(await (await connected(gone.context)).reachable()).toBe(false);
    expect(service.seen).toEqual([]);
  });

  it('leaves an unreachable service to the batch, immediately and without a note', async () => {
    const { context, notes } = rig(calling(`http://127.0.0.1:${await deadPort()}`));
    const create = creating(await connected(context));
    await expect(create('{}')).rejects.toMatchObject({ code: 'unreachable', done: 'no' });
    expect(notes).toEqual([]);
  });
});

describe('the pace of a batch', () => {
  it.each([
    ['growth', undefined, undefined, 270],
    ['growth', undefined, { share: 50 }, 150],
    ['enterprise', 2_000, undefined, 1_800],
    ['growth', undefined, { perWindow: 20, window: 60_000 }, 20],
  ] as const)('follows the plan of the profile: %s, %s a minute, %j', async (plan, perMinute, rate, perWindow) => {
    const { context } = rig(await profiled('http://127.0.0.1:9', plan, perMinute));
    const { pace } = await connected(context, { rate });
    expect(pace.known).toEqual({ perWindow, window: 60_000 });
    expect(pace.minimumDuration(perWindow + 1)).toBe(60_000);
  });

  it('is unknown without a plan, and none with --rate none', async () => {
    const { pace } = await connected(rig(calling('http://127.0.0.1:9')).context);
    expect([pace.known, pace.minimumDuration(1_000)]).toEqual([undefined, undefined]);
    const { context } = rig(await profiled('http://127.0.0.1:9', 'growth'));
    expect((await connected(context, { rate: 'none' })).pace.known).toBeUndefined();
  });

  it('is not a share of a plan that is unknown', async () => {
    const { context } = rig(calling('http://127.0.0.1:9'));
    await expect(connected(context, { rate: { share: 50 } })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('follows the plan of the sandbox on this machine', async () => {
    world.sandbox.setPlan({ name: 'scale', perMinute: 40, without: [] });
    const client = await clientOf(rig({ env: world.env, home: world.home }).context);
    expect(client.target).toMatchObject({ address: world.url, plan: { perMinute: 40, perMonth: 50_000 } });
    expect((await client.connect({})).pace.known).toEqual({ perWindow: 36, window: 60_000 });
  });

  it('is slower by a rate per second for few rows, and by the plan for many', async () => {
    world.sandbox.setPlan({ name: 'growth', perMinute: 300, without: [] });
    const { context } = rig({ env: world.env, home: world.home });
    const { pace } = await connected(context, { rate: { perWindow: 20, window: 1_000 } });
    expect([pace.minimumDuration(200), pace.minimumDuration(900)]).toEqual([9_000, 120_000]);
  });
});

describe('a 429', () => {
  const patient = (seconds: string, times: number) =>
    serve((_, __, response) => {
      if (--times >= 0) response.writeHead(429, { 'Retry-After': seconds }).end();
      else response.end('{}');
    });

  it.each([
    ['all requests', 8, 8, 16],
    ['one request twice', 1, 2, 3],
  ])('is one note if %s wait', async (_, requests, times, count) => {
    const service = await patient('1', times);
    const { context, notes } = rig({ ...calling(service.url), isHasty: true });
    const create = creating(await connected(context));
    await Promise.all(Array.from({ length: requests }, () => create('{}')));
    expect([service.seen.length, notes]).toEqual([
      count,
      ['note: the service answered 429 Rate Limited; going on in 1.0 s\n'],
    ]);
  });

  it('is an error if it asks for a longer wait than 10 minutes', async () => {
    const service = await patient('3600', 1);
    const create = creating(await connected(rig(calling(service.url)).context));
    const message = 'the service answered 429 Rate Limited, and asks to wait 60 minutes';
    await expect(create('{}')).rejects.toMatchObject({ exit: 'rateLimited', message });
  });
});

describe('a lookup before a batch', () => {
  const atTemplates = async (client: Pick<Client, 'pages'>) => {
    for await (const page of client.pages('listTemplates')) expect(page).toBeDefined();
  };

  it('does not retry', async () => {
    const service = await serve((_, __, response) => response.writeHead(503).end());
    const { context, notes } = rig(calling(service.url));
    await (await connected(context)).tryLookup(atTemplates);
    expect([service.seen.length, notes]).toEqual([1, []]);
  });

  it('gives up without an answer', async () => {
    const service = await serve(() => {});
    const { tryLookup } = await connected(rig({ ...calling(service.url), isHasty: true }).context);
    await expect(tryLookup(atTemplates)).resolves.toBeUndefined();
  });

  it('ends when the batch stops', async () => {
    const stop = new AbortController();
    const service = await serve(() => stop.abort('SIGINT'));
    const client = await clientOf(rig(calling(service.url)).context, stop.signal);
    await (await client.connect({})).tryLookup(atTemplates);
    expect(service.seen).toHaveLength(1);
  });
});
