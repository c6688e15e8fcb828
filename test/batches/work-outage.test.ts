import { describe, expect, it } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { numberOf, openTables, passing, serving, working } from './work-rig.ts';

const dead = async () => `http://127.0.0.1:${await deadPort()}`;

describe('an unreachable service', () => {
  it('stops the work after two minutes, and all rows wait', async () => {
    const tables = await openTables();
    const batch = await tables.load(100);
    const worked = await passing(tables.clock, 1_000, working(tables, { batch, url: await dead() }));
    expect(worked).toMatchObject({ sent: 0, failed: 0, unsure: 0, stopped: { exit: 'network', code: 'unreachable' } });
    expect(worked.stopped?.message).toContain('for 2 minutes; the last error: cannot connect to 127.0.0.1:');
    expect(tables.clock.steady()).toBeGreaterThanOrEqual(120_000);
    const states = (await tables.rows(batch)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['waiting']));
  });

  it('stops it after two minutes also if the clock is set back', async () => {
    const tables = await openTables();
    const { clock } = tables;
    let step = 0;
    const host = { ...clock, now: () => clock.now() - step };
    const onOutage = () => (step = 3_600_000);
    const worked = working(tables, { batch: await tables.load(9), url: await dead(), host, onOutage });
    expect(await passing(clock, 1_000, worked)).toMatchObject({ stopped: { exit: 'network' } });
    expect(clock.steady()).toBeGreaterThanOrEqual(120_000);
    expect(clock.steady()).toBeLessThan(150_000);
  });

  it('is not waited for after a signal', async () => {
    const tables = await openTables();
    const stop = new AbortController();
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    const worked = working(tables, {
      batch: await tables.load(9),
      url: await dead(),
      signals,
      onOutage: () => stop.abort('SIGINT'),
    });
    expect(await worked).toMatchObject({ sent: 0, stopped: { exit: 'interrupted' } });
    expect(tables.clock.steady()).toBe(0);
  });
});

describe('a service that resets requests after it has received them', () => {
  it('stops a batch long before two minutes, after twenty', async () => {
    const tables = await openTables();
    const { url, asked } = await serving(({ phone }) => ({ reply: numberOf(phone) > 5 ? 'reset' : 200 }));
    const batch = await tables.load(100);
    const worked = await passing(tables.clock, 100, working(tables, { batch, url }));
    expect(worked).toMatchObject({ sent: 5, failed: 0, stopped: { code: 'too-many-errors', exit: 'unsure' } });
    expect(worked.unsure).toBe(20);
    expect(asked).toHaveLength(25);
  });

  it('stops one that has nothing accepted after the first attempts', async () => {
    const tables = await openTables();
    const { url } = await serving(() => ({ reply: 'reset' }));
    const worked = await passing(tables.clock, 100, working(tables, { batch: await tables.load(100), url }));
    expect(worked).toMatchObject({ sent: 0, stopped: { code: 'too-many-errors' } });
    expect(worked.unsure).toBeLessThanOrEqual(5);
  });
});
