import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { margin, sumOf } from '../../../src/client/pace/minute.ts';
import type { Release } from '../../../src/client/pace/pace.ts';
import { createMachine, createService, type Machine, type Process, type Service, window } from './machine.ts';

const round = window + margin;

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** The number of requests of each process, all wanted at the same time. */
async function all(machine: Machine, service: Service, processes: readonly Process[], each: number): Promise<void> {
  const requests = Promise.all(processes.flatMap((process) => times(each, () => service.request(process))));
  await machine.time.pass();
  await requests;
}

describe('processes that share a plan', () => {
  it.each([
    ['batches', 'run', 8, 15, 60],
    ['single requests', 'single', 150, 1, 60],
    ['a lone batch', 'run', 1, 110, 54],
  ] as const)('send as fast as possible without a 429: %s', async (_, kind, count, each, limit) => {
    const machine = await createMachine();
    const service = createService(machine, limit);
    await all(
      machine,
      service,
      times(count, () => machine.start(kind, limit)),
      each,
    );
    const expected = times(count * each, (at) => 5 + Math.floor(at / limit) * (round + 5));
    expect(service.taken).toEqual(expected);
    expect(service.refused()).toBe(0);
  });

  it.each(['first', 'last'] as const)(
    'never get a 429, with random start times (counted at the %s moment)',
    async (counts) => {
      const load = fc.record({
        limit: fc.integer({ min: 1, max: 12 }),
        spare: fc.integer({ min: 0, max: 4 }),
        processes: fc.array(
          fc.record({
            kind: fc.constantFrom('single' as const, 'run' as const),
            requests: fc.array(
              fc.record({ at: fc.integer({ min: 0, max: 100_000 }), taken: fc.integer({ min: 1, max: 9_000 }) }),
              { minLength: 1, maxLength: 8 },
            ),
          }),
          { minLength: 1, maxLength: 8 },
        ),
      });
      const property = fc.asyncProperty(load, async ({ limit, spare, processes }) => {
        const machine = await createMachine();
        const service = createService(machine, limit, counts);
        const sent = processes.flatMap(({ kind, requests }) => {
          const process = machine.start(kind, kind === 'single' ? limit : Math.max(1, limit - spare));
          return requests.map(async ({ at, taken }) => {
            await new Promise<void>((resolve) => void machine.time.later(at, resolve));
            return service.request(process, taken);
          });
        });
        await machine.time.pass();
        expect(await Promise.all(sent)).not.toContain('limited');
      });
      await fc.assert(property, { numRuns: 25 });
    },
  );

  it('leave a reserve for single requests', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    const batch = machine.start('run', 54);
    const rows = Promise.all(times(60, () => service.request(batch)));
    await machine.time.pass(100);
    const singles = times(6, () => machine.start('single', 60));
    const sent = Promise.all(singles.map((single) => service.request(single)));
    await machine.time.pass(100);
    expect(service.taken).toHaveLength(60);
    expect(service.by.slice(-6)).toEqual(singles);
    await machine.time.pass();
    await Promise.all([rows, sent]);
    expect(service.refused()).toBe(0);
  });

  it('let single requests go before batches that waited longer', async () => {
    const machine = await createMachine();
    const service = createService(machine, 10);
    const batch = machine.start('run', 10);
    const rows = Promise.all(times(12, (at) => service.request(batch, 5 + at * 1_000)));
    await machine.time.pass(20_000);
    const singles = times(3, () => machine.start('single', 10));
    const sent = Promise.all(singles.map((single) => service.request(single)));
    await machine.time.pass();
    await Promise.all([rows, sent]);
    expect(service.by.slice(10)).toEqual([...singles, batch, batch]);
  });

  it('also follow the rate of a batch', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    const batch = machine.start('run', 60, { own: { perWindow: 2, window: 1_000 } });
    await all(machine, service, [batch], 6);
    expect(service.taken).toEqual([5, 5, 1_010 + margin, 1_010 + margin, 2_015 + 2 * margin, 2_015 + 2 * margin]);
  });

  it('report once how long they wait for others', async () => {
    const machine = await createMachine();
    const service = createService(machine, 1);
    await all(machine, service, [machine.start('single', 1)], 1);
    const late = machine.start('single', 1);
    await all(machine, service, [late], 1);
    expect(late.waits).toEqual([`full ${window}`]);
  });

  it('know when a slot may be free, although they ask again earlier', async () => {
    const machine = await createMachine();
    const service = createService(machine, 1);
    await all(machine, service, [machine.start('single', 1)], 1);
    const late = machine.start('single', 1);
    const slot = late.slot();
    await machine.time.pass(0);
    expect(late.waiting()).toBe(window);
    await machine.time.pass();
    await slot;
    expect(late.waiting()).toBeUndefined();
  });

  it('all wait after a 429 of one, then try one at a time', async () => {
    const machine = await createMachine();
    const [refused, ...others] = times(3, () => machine.start('single', 60));
    if (!refused) throw new Error('there is none');
    const release = await refused.slot();
    refused.hold(20_000);
    release('limited');
    const service = createService(machine, 60);
    await all(machine, service, others, 2);
    expect(service.taken.slice(0, 1)).toEqual([20_005]);
    expect(service.taken[1]).toBeGreaterThanOrEqual(20_010);
    expect(others[0]?.waits).toEqual(['held 20000']);
  });
});

describe('a 429', () => {
  it('counts for slots that were requested before it arrived', async () => {
    const machine = await createMachine();
    const batch = machine.start('run', 60);
    const release = await batch.slot();
    const granted: Release[] = [];
    for (let row = 0; row < 3; row += 1) void batch.slot().then((slot) => granted.push(slot));
    batch.hold(1_000);
    release('limited');
    await machine.time.pass(5_000);
    expect(granted).toHaveLength(1);
    granted[0]?.('done');
    await machine.time.pass(0);
    expect(granted).toHaveLength(3);
  });
});

describe('slots of a process', () => {
  it('are reported when it closes, also while it waits for others', async () => {
    const machine = await createMachine();
    const batch = machine.start('run', 6_000);
    const release = await batch.slot();
    await machine.time.pass(100);
    void batch.slot();
    release('done');
    await batch.close();
    const { finished, members } = await machine.minute();
    expect([sumOf(finished), members]).toEqual([1, []]);
  });

  it('expire a window after the process was found dead', async () => {
    const machine = await createMachine();
    const service = createService(machine, 5);
    const killed = machine.start('run', 5);
    for (let slot = 0; slot < 5; slot += 1) await killed.slot();
    machine.kill(killed);
    await machine.time.pass(30_000);
    await all(machine, service, [machine.start('single', 5)], 1);
    expect(service.taken).toEqual([30_000 + round + 5]);
  });

  it('expire even if the process was stopped', async () => {
    const machine = await createMachine();
    const service = createService(machine, 1);
    await machine.start('run', 1).slot();
    await all(machine, service, [machine.start('single', 1)], 1);
    expect(service.taken).toHaveLength(1);
    expect(service.taken[0]).toBeLessThan(600_000 + 2 * round);
  });

  it('are free immediately if nothing was sent', async () => {
    const machine = await createMachine();
    const service = createService(machine, 1);
    const release = await machine.start('single', 1).slot();
    release('unsent');
    await all(machine, service, [machine.start('single', 1)], 1);
    expect(service.taken).toEqual([5]);
  });

  it('count no longer than a window after a restart of the machine', async () => {
    const machine = await createMachine();
    machine.reboot(5_000_000);
    const service = createService(machine, 1);
    await all(machine, service, [machine.start('single', 1)], 1);
    await machine.time.pass(25_000);
    machine.reboot(20_000);
    await all(machine, service, [machine.start('single', 1)], 1);
    expect(service.taken).toEqual([5, 25_005 + round - 20_000 + 5]);
  });
});

describe('a fast plan', () => {
  it('is shared in few turns, and unused slots are returned', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60_000);
    const batch = machine.start('run', 54_000);
    let rest = 2_000;
    const work = async () => {
      while (rest > 0) {
        rest -= 1;
        await service.request(batch, 16);
      }
    };
    const workers = Promise.all(times(16, work));
    await machine.time.pass();
    await workers;
    expect(batch.turns()).toBeLessThan(200);
    const { finished, members } = await machine.minute();
    expect(sumOf(finished)).toBe(2_000);
    expect(members).toEqual([]);
  });

  it('keeps few times', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60_000);
    const batch = machine.start('run', 54_000);
    const requests = Promise.all(times(2_000, (at) => service.request(batch, 1 + at * 25)));
    await machine.time.pass();
    await requests;
    expect((await machine.minute()).finished.length).toBeLessThan(510);
  });
});

describe('the database', () => {
  it('may fail: each process continues with what it knew, and reports that once', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    const batch = machine.start('run', 60);
    const rows = Promise.all(times(100, (at) => service.request(batch, 5 + at * 100)));
    await machine.time.pass(3_000);
    machine.breakDisk();
    await machine.time.pass();
    expect(new Set(await rows)).toEqual(new Set(['done']));
    expect(batch.failed).toEqual(['Error: the disk is full']);
  });

  it('forgets an account that was not used for an hour', async () => {
    const machine = await createMachine();
    const use = async (account: string) => (await machine.start('single', 60, { account }).slot())('done');
    await use('one');
    await machine.time.pass(3_000_000);
    await use('two');
    await machine.time.pass(3_000_000);
    await use('three');
    await machine.time.pass(0);
    expect(await machine.accounts()).toEqual(['three', 'two']);
  });
});
