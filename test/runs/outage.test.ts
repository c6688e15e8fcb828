import { describe, expect, it } from 'vitest';
import * as rig from './engine-rig.ts';

describe('an unreachable service', () => {
  it('makes the run wait, and no row is lost or sent twice', async () => {
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
    const { counts, stopped } = await rig.part(rig.stateFolder(), rig.numbered(100), {
      send: service,
      reachable,
      clock,
    });
    expect(arrived.toSorted()).toEqual(rig.numbered(100).toSorted());
    expect([counts, stopped]).toEqual([{ done: 100, failed: 0, unsure: 0, left: 0 }, undefined]);
    const waits = tries.map((time, at) => time - (tries[at - 1] ?? 1_000));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('stops the run after two minutes, and its rows are not sent', async () => {
    const [folder, input, clock] = [rig.stateFolder(), rig.numbered(100), rig.virtualClock()];
    const service = async (content: string) => {
      if (Number(content.slice(4)) > 10) throw rig.unreachable();
    };
    const first = await rig.part(folder, input, { send: service, reachable: async () => false, clock });
    expect(first.counts).toEqual({ done: 10, failed: 0, unsure: 0, left: 90 });
    expect(first.stopped).toMatchObject({ exit: 'network' });
    expect(clock.now()).toBe(121_000);
    const second = await rig.part(folder, input);
    expect(second.sent).toEqual(input.slice(10));
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('stops the run after two minutes, even if the clock is set %s meanwhile', async (_, step) => {
    const [input, clock] = [rig.numbered(9), rig.virtualClock()];
    let steps = 0;
    const reachable = async () => (steps++, false);
    const service = async () => {
      throw rig.unreachable();
    };
    const set = { ...clock, now: () => clock.now() + steps * step };
    const ended = await rig.part(rig.stateFolder(), input, { send: service, reachable, clock: set });
    expect(ended).toMatchObject({ counts: { left: 9 }, stopped: { exit: 'network' } });
    expect(clock.steady()).toBe(121_000);
  });

  it('that lost a request in flight also stops the run, with the last error', async () => {
    const [input, clock] = [rig.numbered(100), rig.virtualClock()];
    const service = async (content: string) => {
      if (content === 'row 11') throw rig.failure('unsure', 'unknown', undefined, 'it broke off');
      if (Number(content.slice(4)) > 11) throw rig.failure('network', 'no', undefined, 'it refuses');
    };
    const sending = { send: service, reachable: async () => false, clock };
    const { counts, stopped } = await rig.part(rig.stateFolder(), input, sending);
    expect(counts).toEqual({ done: 10, failed: 0, unsure: 1, left: 89 });
    expect(stopped).toMatchObject({ exit: 'network' });
    expect(stopped?.message).toContain('it refuses');
    expect(clock.now()).toBe(121_000);
  });

  it('that lost the only request in flight also stops the run', async () => {
    const clock = rig.virtualClock();
    const service = async () => {
      throw rig.lost();
    };
    const sending = { concurrency: 1, send: service, reachable: async () => false, clock };
    const ended = await rig.part(rig.stateFolder(), rig.numbered(9), sending);
    expect(ended).toMatchObject({ counts: { unsure: 1, left: 8 }, stopped: { exit: 'network', code: 'unreachable' } });
  });

  it('that still accepts connections is tried with one row at a time, also for two minutes', async () => {
    const [input, clock] = [rig.numbered(100), rig.virtualClock()];
    const service = async () => {
      throw rig.unreachable();
    };
    const ended = await rig.part(rig.stateFolder(), input, { concurrency: 50, send: service, clock });
    expect(ended).toMatchObject({ counts: { left: 100 }, stopped: { exit: 'network' } });
    expect(ended.sent.length).toBeLessThan(50 + 15);
  });

  it('in the middle of a run leaves the rows in flight unsure, and none failed', async () => {
    const [input, clock] = [rig.numbered(300), rig.virtualClock()];
    const arrived: string[] = [];
    const isUp = () => arrived.length < 100 || clock.now() > 30_000;
    const service = async (content: string) => {
      if (!isUp()) throw arrived.length === 100 && clock.now() === 1_000 ? rig.lost() : rig.unreachable();
      arrived.push(content);
    };
    const reachable = async () => isUp();
    const sending = { concurrency: 64, send: service, reachable, clock };
    const { counts, stopped } = await rig.part(rig.stateFolder(), input, sending);
    expect([counts.failed, counts.left, stopped]).toEqual([0, 0, undefined]);
    expect(counts.unsure).toBeLessThanOrEqual(64);
    expect(counts.done).toBe(300 - counts.unsure);
    expect(arrived).toHaveLength(counts.done);
  });

  it('that loses every request makes few rows unsure', async () => {
    const service = async () => {
      throw rig.lost();
    };
    const { counts, stopped } = await rig.part(rig.stateFolder(), rig.numbered(500), {
      concurrency: 16,
      send: service,
    });
    expect(stopped).toBeDefined();
    expect(counts.unsure).toBeLessThanOrEqual(16 + 20);
    expect(counts.failed).toBe(0);
  });

  it('is not waited for after a signal', async () => {
    const stop = new AbortController();
    const service = async () => {
      throw rig.unreachable();
    };
    const reachable = async () => {
      stop.abort('SIGINT');
      return false;
    };
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    const ended = await rig.part(rig.stateFolder(), rig.numbered(9), { send: service, reachable, signals });
    expect(ended).toMatchObject({ counts: { left: 9 }, stopped: { exit: 'interrupted' } });
  });
});
