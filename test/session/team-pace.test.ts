import { describe, expect, it, onTestFinished } from 'vitest';
import { SlidingPace, type Pace } from '../../src/client/pace.ts';
import { openTeamLog } from '../../src/session/pace.ts';
import { later } from '../support/cli.ts';
import { missingPostgres, newDatabase, sharedPostgres } from '../support/postgres.ts';
import { commit, openProxy } from '../support/tcp-proxy.ts';

const window = 1_000;
const perWindow = 5;
const signal = new AbortController().signal;

/** A machine whose clock is ahead of those of others. */
function machine(url: string, ahead = 0): Pace {
  const host = { later, steady: () => performance.now() + ahead, random: Math.random };
  const log = openTeamLog({ host, note() {} }, url);
  const limits = [{ perWindow, window }];
  const pace = new SlidingPace({ host, kind: 'batch', limits, account: 'live acme', log });
  onTestFinished(() => pace.close());
  return pace;
}

describe.skipIf(missingPostgres !== undefined)(`the pace of a team ${missingPostgres ?? ''}`, () => {
  it('is a strict sliding window for all machines, whatever their clocks', async () => {
    const url = newDatabase(await sharedPostgres());
    const taken: number[] = [];
    const paces = [0, 3_600_000, -86_400_000, 7].map((ahead) => machine(url, ahead));
    const request = async (pace: Pace) => {
      const release = await pace.slot(signal);
      taken.push(performance.now());
      release('done');
    };
    await Promise.all(paces.flatMap((pace) => Array.from({ length: perWindow }, () => request(pace))));
    const gaps = taken.slice(perWindow).map((at, before) => at - (taken[before] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(window);
    expect(gaps).toHaveLength(3 * perWindow);
  });

  it('goes on after the connection was lost, and counts each request once', async () => {
    const server = await sharedPostgres();
    const url = newDatabase(server);
    const proxy = await openProxy(server.port);
    const pace = machine(url.replace(String(server.port), String(proxy.port)));
    proxy.cut = { at: 'INSERT INTO request', instead: 'answer' };
    (await pace.slot(signal))('done');
    proxy.cut = { at: commit, instead: 'answer' };
    (await pace.slot(signal))('done');
    await pace.close();
    const name = new URL(url).pathname.slice(1);
    expect([server.sql('SELECT count(*) FROM bizmsg_pace.request', name), proxy.connections]).toEqual(['2', 3]);
  });

  it('sends nothing without its server', async () => {
    const server = await sharedPostgres();
    const proxy = await openProxy(server.port);
    proxy.mode = 'refuse';
    const pace = machine(server.url.replace(String(server.port), String(proxy.port)));
    await expect(pace.slot(signal)).rejects.toMatchObject({ code: 'database-unreachable', exit: 'network' });
  });
});
