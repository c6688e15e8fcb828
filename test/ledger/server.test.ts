import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkFitness } from '../../src/ledger/redis/health.ts';
import type { SingleTerms } from '../../src/ledger/ledger.ts';
import { createScript, openRedis, type Redis } from '../../src/base/redis.ts';
import { CliError } from '../../src/base/errors.ts';
import { prefixOf } from '../../src/ledger/redis/server.ts';
import { noRedis, startRedis } from '../support/redis.ts';
import { accepted, account, day, message, messages, planOf, rowOf, sendAll, temporaryFolder } from './rig.ts';
import { contentOf, createServerWorld, openServerLedger, type ServerLedgerOptions } from './redis-world.ts';

const people = 'ada:1 bob:1 cyd:1 dan:1';
const key = (name: string) => `${prefixOf('acme')}${name}`;

async function started(...settings: readonly string[]) {
  const server = await startRedis(...settings);
  onTestFinished(() => server.stop());
  const machines = [temporaryFolder(), temporaryFolder()] as const;
  const open = (options: Partial<ServerLedgerOptions> = {}) =>
    openServerLedger(server, { folder: machines[0], ...options });
  return { server, machines, open };
}

/** A connection that was open when the server ended fails once. */
async function answered<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CliError && error.exit === 'network') return ask();
    throw error;
  }
}

const lost = { exit: 'unsafe', code: 'team-data-lost', message: expect.stringMatching(/last known change was at 20/) };

describe.skipIf(noRedis)('a server that lost data', () => {
  it('grants no more claims to a process that is running', async () => {
    const { server, open } = await started();
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    await ledger.claim(messages('ada:1'), { run });
    await server.kill();
    await server.start();
    await expect(answered(() => ledger.claim(messages('bob:1'), { run }))).rejects.toMatchObject(lost);
  });

  it('is found by the next command of the same machine, until the user accepts it', async () => {
    const { server, open, machines } = await started();
    const ledger = open();
    await sendAll(ledger, planOf(people));
    await ledger.close();
    await server.kill();
    await server.start();
    await expect(open().register(planOf(people))).rejects.toMatchObject(lost);
    // Another machine may not send either, even if it has never seen the lost data.
    const [, folder] = machines;
    await expect(open({ folder }).register(planOf(people))).rejects.toMatchObject({ code: 'team-data-lost' });
    const accepting = open({ acceptLoss: true });
    expect(accepted(await accepting.register(planOf(people))).counts.due).toBe(4);
    await accepting.close();
    accepted(await open().register(planOf(people)));
    accepted(await open({ folder }).register(planOf(people)));
  });

  it('that is a restored, older copy is found by all who are running, as soon as one of them notices', async () => {
    const { server, open, machines } = await started('--dbfilename', 'now.rdb');
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    const other = open({ folder: machines[1] });
    accepted(await other.register(planOf(people)));
    await server.redis.call('SAVE');
    copyFileSync(join(server.folder, 'now.rdb'), join(server.folder, 'older.rdb'));
    await ledger.claim(messages('ada:1'), { run });
    await server.kill();
    await server.start('--dbfilename', 'older.rdb');
    await expect(answered(() => ledger.claim(messages('bob:1'), { run }))).rejects.toMatchObject(lost);
    await expect(answered(() => other.claim(messages('ada:1'), { run }))).rejects.toMatchObject(lost);
  });

  it('that is a restored, older copy is found between two commands of one machine', async () => {
    const { server, open } = await started('--dbfilename', 'now.rdb');
    const first = open();
    await first.register(planOf(people));
    await first.close();
    await server.redis.call('SAVE');
    copyFileSync(join(server.folder, 'now.rdb'), join(server.folder, 'older.rdb'));
    const second = open();
    await sendAll(second, planOf(people));
    await second.close();
    await server.kill();
    await server.start('--dbfilename', 'older.rdb');
    await expect(open().register(planOf(people))).rejects.toMatchObject(lost);
    const third = open({ acceptLoss: true });
    accepted(await third.register(planOf(people)));
    await third.close();
    accepted(await open().register(planOf(people)));
  });

  it('is not suspected after a restart with all data', async () => {
    const { server, open, machines } = await started('--appendonly', 'yes');
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    await server.kill();
    await server.start('--appendonly', 'yes');
    expect(await answered(() => ledger.claim(messages('ada:1'), { run }))).toEqual([{ verdict: 'yours' }]);
    accepted(await open({ folder: machines[1] }).register(planOf(people)));
  });
});

describe.skipIf(noRedis)('a server', () => {
  it('with data of a newer version is refused', async () => {
    const { server, open } = await started();
    await server.redis.call('HSET', key('meta'), 'version', 2);
    const newer = { exit: 'configuration', code: 'team-version', message: expect.stringContaining('of version 2') };
    await expect(open().register(planOf(people))).rejects.toMatchObject(newer);
    await expect(open().runs()).rejects.toMatchObject(newer);
  });

  it('with data of another secret is refused', async () => {
    const { open } = await started();
    await open().register(planOf(people));
    const other = open({ secret: '08'.repeat(32) });
    await expect(other.runs()).rejects.toMatchObject({ exit: 'configuration', code: 'team-secret' });
  });

  it('that is full grants nothing', async () => {
    const { server, open } = await started();
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    await server.redis.call('CONFIG', 'SET', 'maxmemory', '100kb');
    const full = { exit: 'configuration', code: 'server-full' };
    await expect(ledger.claim(messages('ada:1'), { run })).rejects.toMatchObject(full);
    await server.redis.call('CONFIG', 'SET', 'maxmemory', '0');
    expect(await ledger.runs()).toMatchObject([{ counts: { planned: 4, leaving: 0 } }]);
  });

  it.each([
    ['keeps no data', ['--appendonly', 'no'], 'set appendonly yes on the server'],
    ['may evict keys', ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'], 'set maxmemory-policy noeviction'],
    ['is full', ['--appendonly', 'yes', '--maxmemory', '100kb'], 'raise its maxmemory, or remove other data'],
    [
      'forbids CONFIG and keeps no data',
      ['--appendonly', 'no', '--rename-command', 'CONFIG', ''],
      'set appendonly yes on the server',
    ],
  ])('that %s is refused for live messages, and noted for others', async (_, settings, hint) => {
    const { server } = await started(...settings);
    await expect(checkFitness(server.redis, true)).rejects.toMatchObject({ exit: 'configuration', hint });
    expect(await checkFitness(server.redis, false)).toContain(hint);
  });

  it('that keeps its data is fit', async () => {
    const { server } = await started('--appendonly', 'yes');
    expect(await checkFitness(server.redis, true)).toBeUndefined();
  });

  it('is used by a machine whose process was killed before it had written the first line of its memory', async () => {
    const { machines, open } = await started();
    writeFileSync(join(machines[0], 'team.json'), '');
    accepted(await open().register(planOf(people)));
    expect(await open().runs()).toMatchObject([{ counts: { planned: 4 } }]);
  });

  it('that still loads its data is unreachable, not unfit', async () => {
    const { server } = await started('--appendonly', 'yes');
    const write = createScript("for at = 1, 6000 do redis.call('SET', at, at) end");
    await server.redis.run(write, [], []);
    await server.kill();
    const ready = server.start('--appendonly', 'yes', '--key-load-delay', '250');
    const redis = openRedis({ address: server.address });
    onTestFinished(redis.close);
    // It answers only INFO and the like, and not before it has begun.
    const isLoading = async () => String(await redis.call('INFO', 'persistence').catch(() => '')).includes('loading:1');
    await expect.poll(isLoading, { interval: 5 }).toBe(true);
    await expect(checkFitness(redis, true)).rejects.toMatchObject({ exit: 'network' });
    await ready;
    expect(await checkFitness(redis, true)).toBeUndefined();
  });
});

/** Executes calls, but loses the answers of some. */
function losing(redis: Redis, isLost: (operation: string) => boolean): Redis {
  return {
    ...redis,
    async run(script, keys, words) {
      const reply = await redis.run(script, keys, words);
      if (isLost(String(words[0]))) throw new CliError('network', 'unreachable', 'the cable was cut');
      return reply;
    },
  };
}

/** A connection whose last call, while it is cut, arrives late. */
function cableTo(server: Redis) {
  let late: (() => Promise<unknown>) | undefined;
  let isCut = false;
  const redis: Redis = {
    ...server,
    async run(...call) {
      if (!isCut) return server.run(...call);
      late = () => server.run(...call);
      throw new CliError('network', 'unreachable', 'the packets are on their way');
    },
  };
  const deliver = async () => expect(await late?.()).toBeDefined();
  return { redis, cut: () => void (isCut = true), mend: () => void (isCut = false), deliver };
}

describe.skipIf(noRedis)('a lost answer', () => {
  it('of a claim: the rows were not sent, and are granted to the same process when it asks again', async () => {
    const { server, open, machines } = await started();
    let isCut = false;
    const ledger = open({ redis: losing(server.redis, (operation) => isCut && operation === 'work') });
    const { run } = accepted(await ledger.register(planOf(people)));
    isCut = true;
    await expect(ledger.claim(messages('ada:1 bob:1'), { run })).rejects.toMatchObject({ exit: 'network' });
    isCut = false;
    const other = open({ folder: machines[1] });
    expect(await other.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'taken' }]);
    expect(await ledger.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
    expect(await ledger.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'taken' }]);
  });

  it('of an outcome: it is recorded once', async () => {
    const { server, open } = await started();
    let isCut = false;
    const ledger = open({ redis: losing(server.redis, () => isCut) });
    const { run } = accepted(await ledger.register(planOf(people)));
    await ledger.claim(messages('ada:1'), { run });
    isCut = true;
    const outcome = { run, row: message('ada:1'), outcome: 'release' as const };
    await expect(ledger.settle([outcome])).rejects.toMatchObject({ exit: 'network' });
    isCut = false;
    expect(await open().claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
    await ledger.settle([outcome]);
    expect(await ledger.runs()).toMatchObject([{ counts: { leaving: 1, released: 0, planned: 3 } }]);
  });

  it('of an outcome that arrives after later calls: it no longer counts', async () => {
    const { server, open } = await started();
    const cable = cableTo(server.redis);
    const ledger = open({ redis: cable.redis });
    const { run } = accepted(await ledger.register(planOf(people)));
    await ledger.claim(messages('ada:1'), { run });
    cable.cut();
    const outcome = { run, row: message('ada:1'), outcome: 'release' as const };
    await expect(ledger.settle([outcome])).rejects.toMatchObject({ exit: 'network' });
    cable.mend();
    await ledger.settle([outcome]);
    expect(await ledger.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
    await cable.deliver();
    expect(await open().claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'taken' }]);
  });

  it('of a claim that arrives after its process has ended: the server has lost nothing', async () => {
    const { server, open } = await started();
    const cable = cableTo(server.redis);
    const ledger = open({ redis: cable.redis });
    const { run } = accepted(await ledger.register(planOf(people)));
    cable.cut();
    await expect(ledger.claim(messages('ada:1'), { run })).rejects.toMatchObject({ exit: 'network' });
    cable.mend();
    await ledger.close();
    await cable.deliver();
    expect(await open().claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
  });

  it('of a part of a registration: nothing of it counts', async () => {
    const { server, open, machines } = await started();
    const text = Array.from({ length: 5_000 }, (_, at) => `p${at}:1`).join(' ');
    let parts = 0;
    const dying = open({ redis: losing(server.redis, (operation) => operation === 'register' && ++parts === 2) });
    await expect(dying.register(planOf(text))).rejects.toMatchObject({ exit: 'network' });
    // It waits 10 s for the next part, so its time is ahead.
    const other = open({ folder: machines[1], ahead: () => 10_000 });
    expect(await other.runs()).toEqual([]);
    const result = await sendAll(other, planOf(text));
    expect(result).toMatchObject({ continues: false, counts: { due: 5_000 } });
    expect(await other.runs()).toMatchObject([{ counts: { done: 5_000, planned: 0 }, isFinished: true }]);
  });
});

describe.skipIf(noRedis)('two registrations at the same time', () => {
  it('see each other exactly', async () => {
    const { open, machines } = await started();
    const [one, other] = [open(), open({ folder: machines[1] })];
    const results = await Promise.all([one.register(planOf(people)), other.register(planOf(people))]);
    const [first, second] = results.map(accepted);
    expect(first?.run).toBe(second?.run);
    expect(new Set([first?.continues, second?.continues])).toEqual(new Set([false, true]));
    expect(await one.runs()).toMatchObject([{ counts: { planned: 4 } }]);
  });
});

describe.skipIf(noRedis)('a part of an input', () => {
  it('is for the process that began it, until that one has ended', async () => {
    const { open, machines } = await started();
    const [one, other] = [open(), open({ folder: machines[1] })];
    const { run } = accepted(await one.register(planOf(people)));
    expect(await one.begin(run, 1)).toBe(true);
    expect(await other.begin(run, 1)).toBe(false);
    expect(await other.begin(run, 501)).toBe(true);
    expect(await one.begin(run, 1)).toBe(true);
    await one.close();
    expect(await other.begin(run, 1)).toBe(true);
  });

  it('is compared with what others have sent', async () => {
    const { open } = await started();
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    const [ada, bob, cyd] = [message('ada:1'), message('bob:1'), message('cyd:1')];
    await ledger.claim([ada, bob], { run });
    await ledger.settle([{ run, row: ada, outcome: 'done' }]);
    expect(await ledger.statesOf(run, [ada, bob, cyd])).toEqual(['done', 'leaving', 'planned']);
  });
});

describe.skipIf(noRedis)('large registrations at the same time', () => {
  it('of the same rows make one run, and leave nothing else on the server', async () => {
    const { server, open } = await started();
    const text = Array.from({ length: 5_000 }, (_, at) => `p${at}:1`).join(' ');
    const ledgers = Array.from({ length: 4 }, () => open({ folder: temporaryFolder() }));
    const results = (await Promise.all(ledgers.map(async (ledger) => ledger.register(planOf(text))))).map(accepted);
    expect(new Set(results.map(({ run }) => run)).size).toBe(1);
    expect(results.filter(({ continues }) => !continues)).toHaveLength(1);
    expect(await open().runs()).toMatchObject([{ counts: { planned: 5_000 } }]);
    expect(await server.redis.call('EXISTS', key('pending'))).toBe(0);
    expect(await server.redis.call('EVAL', "return #redis.call('KEYS', ARGV[1])", 0, key('list:*'))).toBe(1);
  });

  it('do not wait for one whose process has died', async () => {
    const { server, open } = await started();
    const text = Array.from({ length: 5_000 }, (_, at) => `p${at}:1`).join(' ');
    let parts = 0;
    const dying = open({ redis: losing(server.redis, (operation) => operation === 'register' && ++parts === 1) });
    await expect(dying.register(planOf(text))).rejects.toMatchObject({ exit: 'network' });
    const next = open({ folder: temporaryFolder(), silence: 0 });
    expect(accepted(await next.register(planOf(text)))).toMatchObject({ continues: false, counts: { due: 5_000 } });
  });
});

describe.skipIf(noRedis)('a claim that takes too long', () => {
  it('is made again before anything is sent', async () => {
    const { open, machines } = await started();
    let [late, calls] = [0, 0];
    // The clock jumps after the request of the first claim.
    const ledger = open({ now: () => Date.now() + (++calls > 1 ? late : 0), silence: 0 });
    const { run } = accepted(await ledger.register(planOf(people)));
    late = 26_000;
    expect(await ledger.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
    expect(calls).toBe(4);
    const other = open({ folder: machines[1], silence: 0 });
    expect(await other.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'unsure' }]);
  });
});

describe.skipIf(noRedis)('a run', () => {
  it('that another machine forgot while its process seemed dead grants no more claims', async () => {
    const { open, machines } = await started();
    const ledger = open();
    const { run } = accepted(await ledger.register(planOf(people)));
    await open({ folder: machines[1], silence: 0 }).forget({ run });
    await expect(ledger.claim(messages('ada:1'), { run })).rejects.toMatchObject({ exit: 'unsafe', code: 'run-gone' });
  });
});

describe.skipIf(noRedis)('data that has expired', () => {
  const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };

  async function world() {
    const { server } = await started();
    const folder = temporaryFolder();
    const made = createServerWorld(server.redis, server, folder, 'acme');
    let pid = 0;
    const process = async (act: (ledger: ReturnType<typeof made.open>) => Promise<unknown>) => {
      const ledger = made.open(++pid);
      await act(ledger);
      await ledger.close();
    };
    const rows = async () =>
      Number(await server.redis.call('EVAL', "return #redis.call('KEYS', ARGV[1])", 0, key('rows:*')));
    return { ...made, server, process, rows };
  }

  it('is removed from the server: runs after 30 days, jobs after 400, single messages one by one', async () => {
    const { process, wait, rows, server } = await world();
    await process((ledger) => sendAll(ledger, planOf(people)));
    await process((ledger) => sendAll(ledger, planOf('1:Ada 2:Bob', { kind: 'contact' })));
    await process((ledger) => sendAll(ledger, planOf('eve:1 fay:1', { job: 'monday' })));
    await process(async (ledger) => ledger.claim(messages('gus:1'), single));
    await process(async (ledger) => {
      await ledger.claim(messages('hal:1'), single);
      await ledger.settle([{ run: 'singles live profile:acme', row: message('hal:1'), outcome: 'done' }]);
    });
    wait(31 * day);
    for (let sends = 0; sends < 4; sends++)
      await process(async (ledger) => ledger.claim(messages(`p${sends}:1`), single));
    await process(async (ledger) => {
      const runs = (await ledger.runs()).map(({ id, job, counts }) => [
        job ?? id.slice(0, 7),
        counts.done,
        counts.unsure,
      ]);
      expect(runs).toEqual([
        ['monday', 2, 0],
        // That of gus is unsure, and so are the four of which no outcome is known.
        ['singles', 0, 5],
      ]);
    });
    wait(370 * day);
    await process((ledger) => sendAll(ledger, planOf('ida:1')));
    await process((ledger) => sendAll(ledger, planOf('joe:1')));
    await process(async (ledger) => expect((await ledger.runs()).map(({ job }) => job)).not.toContain('monday'));
    expect(await rows()).toBe(7);
    expect(await server.redis.call('EXISTS', key('pending'))).toBe(0);
  });

  it('is kept while it is unsure, and can be resolved', async () => {
    const { process, wait } = await world();
    let run = '';
    await process(async (ledger) => {
      ({ run } = accepted(await ledger.register(planOf(people))));
      await ledger.claim(messages('ada:1 bob:1'), { run });
    });
    wait(40 * day);
    for (const name of ['eve', 'fay', 'gus']) await process((ledger) => sendAll(ledger, planOf(`${name}:1`)));
    await process(async (ledger) => {
      expect(await ledger.look(message('ada:1'), single)).toMatchObject({ verdict: 'unsure', run });
      expect((await ledger.runs()).find(({ id }) => id === run)).toMatchObject({ counts: { unsure: 2, planned: 0 } });
      expect(await ledger.resolve(run, 'sent')).toBe(2);
    });
  });
});

describe.skipIf(noRedis)('the rows of a person', () => {
  it('are erased from the lists, too', async () => {
    const { server, open } = await started();
    const ledger = open();
    await sendAll(ledger, planOf(people));
    await sendAll(ledger, planOf('1:Ada 2:Bob', { kind: 'contact' }));
    const contact = rowOf(planOf('1:Ada', { kind: 'contact' }), 0);
    await ledger.forget({ seconds: [message('ada:1').slice(12), contact.slice(12)] });
    const content = await contentOf(server.redis);
    for (const row of [message('ada:1'), contact])
      for (const part of [row.slice(2, 12), row.slice(12)]) expect(content.includes(Buffer.from(part))).toBe(false);
    expect(content.includes(Buffer.from(message('bob:1').slice(2, 12)))).toBe(true);
  });
});
