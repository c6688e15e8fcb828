import { describe, expect, it } from 'vitest';
import * as rig from './rig.ts';

describe('a service that cannot be reached', () => {
  it('is waited for, and no row is lost or sent twice', async () => {
    const clock = rig.virtualClock();
    const [arrived, tries]: [string[], number[]] = [[], []];
    const isUp = () => arrived.length < 10 || clock.now() > 61_000;
    const service = async (content: string) => {
      if (!isUp()) throw rig.unreachable();
      arrived.push(content);
    };
    const reachable = async () => {
      tries.push(clock.now());
      return isUp();
    };
    const { summary } = await rig.part(rig.stateFolder(), rig.numbered(100), { send: service, reachable, clock });
    expect(arrived.toSorted()).toEqual(rig.numbered(100).toSorted());
    expect(summary).toMatchObject({ done: 100, failed: 0, unsure: 0, stopped: undefined });
    const waits = tries.map((time, at) => time - (tries[at - 1] ?? 1_000));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('for two minutes stops the run, its rows unsent', async () => {
    const [folder, input, clock] = [rig.stateFolder(), rig.numbered(100), rig.virtualClock()];
    const service = async (content: string) => {
      if (Number(content.slice(4)) > 10) throw rig.unreachable();
    };
    const first = await rig.part(folder, input, { send: service, reachable: async () => false, clock });
    expect(first.summary).toMatchObject({ done: 10, failed: 0, unsure: 0, unsent: 90, stopped: { exit: 'network' } });
    expect(clock.now()).toBe(121_000);
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect(second.sent).toEqual(input.slice(10));
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('for two minutes stops the run, even if the clock is set %s meanwhile', async (_, step) => {
    const [input, clock] = [rig.numbered(9), rig.virtualClock()];
    let steps = 0;
    const reachable = async () => (steps++, false);
    const service = async () => {
      throw rig.unreachable();
    };
    const set = { ...clock, now: () => clock.now() + steps * step };
    const { summary } = await rig.part(rig.stateFolder(), input, { send: service, reachable, clock: set });
    expect(summary).toMatchObject({ unsent: 9, stopped: { exit: 'network' } });
    expect(clock.steady()).toBe(121_000);
  });

  it('and broke off what was on its way stops it the same, with what was met last', async () => {
    const [input, clock] = [rig.numbered(100), rig.virtualClock()];
    const service = async (content: string) => {
      if (content === 'row 11') throw rig.failure('unsure', 'unknown', undefined, 'it broke off');
      if (Number(content.slice(4)) > 11) throw rig.failure('network', 'no', undefined, 'it refuses');
    };
    const { summary } = await rig.part(rig.stateFolder(), input, {
      send: service,
      reachable: async () => false,
      clock,
    });
    expect(summary).toMatchObject({ done: 10, unsure: 1, unsent: 89, stopped: { exit: 'network' } });
    expect(summary.stopped?.message).toContain('it refuses');
    expect(clock.now()).toBe(121_000);
  });

  it('and broke off the only row on its way stops it the same', async () => {
    const clock = rig.virtualClock();
    const service = async () => {
      throw rig.lost();
    };
    const sending = { concurrency: 1, send: service, reachable: async () => false, clock };
    const { summary } = await rig.part(rig.stateFolder(), rig.numbered(9), sending);
    expect(summary).toMatchObject({ unsure: 1, unsent: 8, stopped: { exit: 'network', code: 'unreachable' } });
  });

  it('though it takes connections is tried with one row at a time, and for two minutes too', async () => {
    const [input, clock] = [rig.numbered(100), rig.virtualClock()];
    const service = async () => {
      throw rig.unreachable();
    };
    const { summary, sent } = await rig.part(rig.stateFolder(), input, { concurrency: 50, send: service, clock });
    expect(summary).toMatchObject({ unsent: 100, stopped: { exit: 'network' } });
    expect(sent.length).toBeLessThan(50 + 15);
  });

  it('in the middle makes unsure what was on its way, no matter how much, and nothing failed', async () => {
    const [input, clock] = [rig.numbered(300), rig.virtualClock()];
    const arrived: string[] = [];
    const isUp = () => arrived.length < 100 || clock.now() > 30_000;
    const service = async (content: string) => {
      if (!isUp()) throw arrived.length === 100 && clock.now() === 1_000 ? rig.lost() : rig.unreachable();
      arrived.push(content);
    };
    const reachable = async () => isUp();
    const { summary } = await rig.part(rig.stateFolder(), input, { concurrency: 64, send: service, reachable, clock });
    expect(summary).toMatchObject({ failed: 0, unsent: 0, stopped: undefined });
    expect(summary.unsure).toBeLessThanOrEqual(64);
    expect(summary.done).toBe(300 - summary.unsure);
    expect(arrived).toHaveLength(summary.done);
  });

  it('and loses every row costs few of them', async () => {
    const service = async () => {
      throw rig.lost();
    };
    const { summary } = await rig.part(rig.stateFolder(), rig.numbered(500), { concurrency: 16, send: service });
    expect(summary.stopped).toBeDefined();
    expect(summary.unsure).toBeLessThanOrEqual(16 + 20);
    expect(summary.failed).toBe(0);
  });

  it('is not waited for by one who wants to end', async () => {
    const stop = new AbortController();
    const service = async () => {
      throw rig.unreachable();
    };
    const reachable = async () => {
      stop.abort('SIGINT');
      return false;
    };
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    const { summary } = await rig.part(rig.stateFolder(), rig.numbered(9), { send: service, reachable, signals });
    expect(summary).toMatchObject({ unsent: 9, stopped: { exit: 'interrupted' } });
  });
});
