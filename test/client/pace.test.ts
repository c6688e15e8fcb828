import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pace, Release } from '../../src/client/pace.ts';
import { isLong } from '../support/long-tests.ts';
import { createMachine, createService, type Machine, type Process, type Service } from './machine.ts';

const window = 60_000;
/** Milliseconds from the end of a request to the next one in its place, and of a request. */
const [turn, taken] = [window + 1, 5];
const never = () => new AbortController().signal;

function perMinute(perWindow: number) {
  return [{ perWindow, window }];
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** The times at which all requests of all processes were accepted, which were wanted at the same time. */
async function sendAll(machine: Machine, service: Service, processes: readonly Process[], each = 1) {
  const sent = Promise.all(processes.flatMap((process) => times(each, () => service.request(process))));
  await machine.time.pass();
  expect(await sent).not.toContain('limited');
  return service.taken.map(({ at }) => at);
}

/** Asks for a slot, and notes the name once it has it. */
async function ask(pace: Pace, name: string, granted: string[], again = false): Promise<Release> {
  const release = await pace.slot(never(), again);
  granted.push(name);
  return release;
}

describe('processes that share a minute', () => {
  it.each([
    ['batches', 'batch', 8, 6, 20],
    ['single requests', 'single', 50, 1, 20],
    ['a lone batch', 'batch', 1, 110, 54],
    ['a plan of one request', 'batch', 2, 2, 1],
  ] as const)('send in the least time without a 429: %s', async (_, kind, count, each, most) => {
    const machine = createMachine();
    const processes = times(count, () => machine.start({ kind, limits: perMinute(most) }));
    const sent = await sendAll(machine, createService(machine, { most }), processes, each);
    expect(sent).toEqual(times(count * each, (at) => taken + Math.floor(at / most) * (turn + taken)));
  });

  it.each(['first', 'last'] as const)(
    'never get a 429, and need at most 1.02 of the least time, if the service counts at the %s moment',
    async (counts) => {
      const request = fc.record({ at: fc.nat(100_000), length: fc.integer({ min: 1, max: 1_000 }) });
      const process = fc.record({
        kind: fc.constantFrom('single', 'batch'),
        requests: fc.array(request, { minLength: 1, maxLength: 12 }),
      });
      const processes = fc.array(process, { minLength: 1, maxLength: 6 });
      const property = fc.asyncProperty(fc.integer({ min: 1, max: 12 }), processes, async (most, started) => {
        const machine = createMachine();
        const service = createService(machine, { most, counts });
        const sent = started.flatMap(({ kind, requests }) => {
          const from = machine.start({ kind, limits: perMinute(most) });
          return requests.map(async ({ at, length }) => {
            await new Promise<void>((resolve) => void machine.time.later(at, resolve));
            return service.request(from, length);
          });
        });
        await machine.time.pass();
        expect(await Promise.all(sent)).not.toContain('limited');
        const wanted = started.flatMap(({ requests }) => requests.map(({ at }) => at));
        expect(service.taken.at(-1)?.at).toBeLessThanOrEqual(1.02 * leastTime(wanted, most) + 1_000);
      });
      await fc.assert(property, { numRuns: isLong ? 40 : 8 });
    },
  );

  it('give single requests the slots that a run leaves to them', async () => {
    const machine = createMachine();
    const service = createService(machine, { most: 10 });
    const run = machine.start({ limits: perMinute(9) });
    const rows = times(20, () => service.request(run));
    await machine.time.pass(1_000);
    const single = machine.start({ kind: 'single', limits: perMinute(10) });
    rows.push(service.request(single));
    await machine.time.pass(1_000);
    expect(service.taken.map(({ by }) => by)).toEqual([...times(9, () => run), single]);
    await machine.time.pass();
    expect(await Promise.all(rows)).not.toContain('limited');
  });

  it('let single requests go before runs that waited longer', async () => {
    const machine = createMachine();
    const service = createService(machine, { most: 5 });
    const run = machine.start({ limits: perMinute(5) });
    const rows = times(7, (at) => service.request(run, taken + at * 1_000));
    await machine.time.pass(20_000);
    const singles = times(3, () => machine.start({ kind: 'single', limits: perMinute(5) }));
    rows.push(...singles.map((single) => service.request(single)));
    await machine.time.pass();
    await Promise.all(rows);
    const runCameAt = service.taken.slice(5).findIndex(({ by }) => by === run);
    expect(runCameAt).toBe(3);
  });

  it('keep to a rate per second and to the minute', async () => {
    const machine = createMachine();
    const limits = [{ perWindow: 2, window: 1_000 }, ...perMinute(5)];
    const processes = times(2, () => machine.start({ limits }));
    const sent = await sendAll(machine, createService(machine, { most: 5 }), processes, 3);
    expect(sent).toEqual([5, 5, 1_011, 1_011, 2_017, turn + 2 * taken]);
  });

  it('do not share it with other accounts', async () => {
    const machine = createMachine();
    const processes = ['acme', 'local'].map((account) => machine.start({ account, limits: perMinute(1) }));
    expect(await sendAll(machine, createService(machine, { most: 2 }), processes)).toEqual([taken, taken]);
  });

  it('know how long they wait', async () => {
    const machine = createMachine();
    const service = createService(machine, { most: 1 });
    await sendAll(machine, service, [machine.start({ limits: perMinute(1) })]);
    const late = machine.start({ limits: perMinute(1) });
    const sent = service.request(late);
    await machine.time.pass(10_000);
    expect([late.waits, late.pace.waiting()]).toEqual([[turn], turn - 10_000]);
    await machine.time.pass();
    await sent;
    expect(late.pace.waiting()).toBeUndefined();
  });
});

describe('a slot', () => {
  it('goes to the request that asked first, and to a retry before all others', async () => {
    const machine = createMachine();
    const { pace } = machine.start({ limits: perMinute(1) });
    const granted: string[] = [];
    const sent = ['first', 'second', 'third', 'retry'].map(async (name, at) => {
      await new Promise<void>((resolve) => void machine.time.later(1 + at, resolve));
      (await ask(pace, name, granted, name === 'retry'))('done');
    });
    await machine.time.pass();
    await Promise.all(sent);
    expect(granted).toEqual(['first', 'retry', 'second', 'third']);
  });

  it('that was not used is free immediately in this process, and soon for others', async () => {
    const machine = createMachine();
    const [here, there] = [machine.start({ limits: perMinute(1) }), machine.start({ limits: perMinute(1) })];
    const granted: string[] = [];
    const [first, next] = [ask(here.pace, 'first', granted), ask(here.pace, 'next', granted)];
    const other = ask(there.pace, 'other', granted);
    await machine.time.pass(500);
    (await first)('unsent');
    await machine.time.pass(0);
    expect(granted).toEqual(['first', 'next']);
    (await next)('unsent');
    await machine.time.pass(2_000);
    await other;
    expect(granted).toEqual(['first', 'next', 'other']);
  });

  it('is refused to an aborted request, which leaves nothing behind', async () => {
    const machine = createMachine();
    const { pace } = machine.start({ limits: perMinute(1) });
    const user = new AbortController();
    const granted: string[] = [];
    (await ask(pace, 'first', granted))('done');
    const aborted = times(20, (at) => Promise.resolve(pace.slot(user.signal)).catch(() => at));
    const next = ask(pace, 'next', granted);
    await machine.time.pass(100);
    expect(getEventListeners(user.signal, 'abort')).toHaveLength(1);
    user.abort();
    expect(await Promise.all(aborted)).toEqual(times(20, (at) => at));
    await machine.time.pass();
    await next;
    expect(machine.time.now()).toBe(turn);
    await expect(pace.slot(user.signal)).rejects.toThrow('aborted');
  });

  it('of a killed process is free a window after its request must have ended', async () => {
    const machine = createMachine();
    const service = createService(machine, { most: 1 });
    await machine.start({ limits: perMinute(1) }).pace.slot(never());
    await sendAll(machine, service, [machine.start({ limits: perMinute(1) })]);
    expect(service.taken.map(({ at }) => at)).toEqual([60_000 + turn + taken]);
  });

  it('is not kept for a process that was killed while it waited', async () => {
    const machine = createMachine();
    const service = createService(machine, { most: 2 });
    await sendAll(machine, service, [machine.start({ limits: perMinute(2) })], 2);
    const killed = machine.start({ kind: 'single', limits: perMinute(2) });
    void killed.pace.slot(never());
    await machine.time.pass(30_000);
    killed.kill();
    const sent = await sendAll(machine, service, [machine.start({ limits: perMinute(2) })], 2);
    expect(sent.slice(2)).toEqual([turn + 2 * taken, turn + 2 * taken]);
  });

  it('counts no longer than a window after the clock has begun again', async () => {
    const machine = createMachine();
    machine.restart(5_000_000);
    const service = createService(machine, { most: 2 });
    await sendAll(machine, service, [machine.start({ limits: perMinute(1) })]);
    machine.restart(20_000);
    expect(await sendAll(machine, service, [machine.start({ limits: perMinute(1) })])).toEqual([taken, 2 * taken]);
  });
});

describe('after a 429', () => {
  /** Processes whose requests wait for the end of a hold of 20 s; the first has got the 429. */
  async function held() {
    const machine = createMachine();
    const processes = times(3, () => machine.start({ limits: perMinute(60) }).pace);
    const granted: string[] = [];
    const [refused] = await Promise.all(processes.map(async (pace) => pace.slot(never())));
    processes[0]?.hold(20_000);
    refused?.('limited');
    const asked = processes.map((pace, at) => ask(pace, `${at}`, granted));
    await machine.time.pass(19_999);
    expect(granted).toEqual([]);
    await machine.time.pass(1);
    return { machine, granted, asked, processes };
  }

  it('one request leaves when Retry-After is over, and the others once it has succeeded', async () => {
    const { machine, granted, asked } = await held();
    expect(granted).toHaveLength(1);
    (await Promise.race(asked))('done');
    await machine.time.pass(2_000);
    expect(granted).toHaveLength(3);
  });

  it('the others wait again if that request gets a 429, too', async () => {
    const { machine, granted, asked, processes } = await held();
    processes[Number(granted[0])]?.hold(3_000);
    (await Promise.race(asked))('limited');
    await machine.time.pass(2_999);
    expect(granted).toHaveLength(1);
    await machine.time.pass(1);
    expect(granted).toHaveLength(2);
  });

  it('another request leaves if the first one has no answer for 5 s', async () => {
    const { machine, granted } = await held();
    await machine.time.pass(4_999);
    expect(granted).toHaveLength(1);
    await machine.time.pass(1);
    expect(granted).toHaveLength(2);
  });

  it('a later 429 holds the others again, also if the first request succeeds', async () => {
    const { machine, granted, asked } = await held();
    const late = machine.start({ limits: perMinute(60) }).pace;
    late.hold(30_000);
    await machine.time.pass(0);
    (await Promise.race(asked))('done');
    await machine.time.pass(29_999);
    expect(granted).toHaveLength(1);
  });
});

describe('a pace without a limit', () => {
  it('grants slots without a promise, except while the service holds it', async () => {
    const machine = createMachine();
    const { pace } = machine.start({ limits: [] });
    const refused = pace.slot(never());
    expect(refused).toBeTypeOf('function');
    pace.hold(1_000);
    const granted: string[] = [];
    const asked = ['a', 'b'].map((name) => ask(pace, name, granted));
    await machine.time.pass(1_000);
    expect(granted).toHaveLength(1);
    (await Promise.race(asked))('done');
    await machine.time.pass(0);
    expect(granted).toHaveLength(2);
    expect(pace.slot(never())).toBeTypeOf('function');
  });
});

/** The time of the last of these requests if each leaves as soon as it may. */
function leastTime(wanted: readonly number[], most: number): number {
  const departures: number[] = [];
  for (const at of wanted.toSorted((a, b) => a - b))
    departures.push(Math.max(at, (departures.at(-most) ?? -window) + window));
  return departures.at(-1) ?? 0;
}
