import { expect, it, onTestFinished } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { openServerLedger } from '../ledger/redis-world.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis.ts';
import * as rig from './engine-rig.ts';

/** Otherwise, what it has accepted may not be in its file yet when it is killed on a busy machine. */
const kept = ['--appendonly', 'yes', '--appendfsync', 'always'];

async function started() {
  const server = await startRedis(...kept);
  onTestFinished(() => server.stop());
  const folder = rig.stateFolder();
  return { server, folder, ledger: () => openServerLedger(server, { folder }) };
}

/** Kills the server when this row is on its way. */
function killedAt(server: RedisServer, row: string) {
  const sent: string[] = [];
  return {
    sent,
    send: async (content: string) => {
      sent.push(content);
      if (content === row) await server.kill();
    },
  };
}

it.skipIf(noRedis)(
  'a server of the ledger that is back in time loses no outcome, and no row is sent twice',
  async () => {
    const { server, folder, ledger } = await started();
    const { sent, send } = killedAt(server, 'row 30');
    const states: string[] = [];
    const ended = await rig.part(folder, rig.numbered(100), {
      shared: ledger(),
      send,
      async reachable() {
        await server.start(...kept);
        return true;
      },
      onOutage: (state) => void states.push(state),
    });
    expect(sent.toSorted()).toEqual(rig.numbered(100).toSorted());
    expect(ended).toMatchObject({ counts: { done: 100, unsure: 0, left: 0 }, stopped: undefined });
    expect(states).toEqual(['gone', 'back']);
  },
);

it.skipIf(noRedis)(
  'a server of the ledger that stays away stops the run after 2 minutes; no row is sent meanwhile',
  async () => {
    const { server, folder, ledger } = await started();
    const { sent, send } = killedAt(server, 'row 30');
    const clock = rig.virtualClock();
    let sentBefore = 0;
    const reachable = async () => {
      sentBefore ||= sent.length;
      return true;
    };
    const away = rig.part(folder, rig.numbered(100), { shared: ledger(), send, clock, reachable });
    await expect(away).rejects.toMatchObject({ exit: 'network' });
    expect(sent).toHaveLength(sentBefore);
    expect(clock.steady()).toBeGreaterThanOrEqual(121_000);
    await server.start(...kept);
    const next = await rig.part(folder, rig.numbered(100), {
      shared: openServerLedger(server, { folder, silence: 0 }),
    });
    expect(new Set([...sent, ...next.sent]).size).toBe(sent.length + next.sent.length);
    expect(next.counts.unsure).toBe(100 - next.counts.done);
  },
);

it.skipIf(noRedis)(
  'a row whose claim was granted is not unsure if the answer was lost and the run was stopped',
  async () => {
    const { server, folder, ledger } = await started();
    const [input, stop] = [rig.numbered(20), new AbortController()];
    let claims = 0;
    const redis = {
      ...server.redis,
      async run(...call: Parameters<typeof server.redis.run>) {
        const reply = await server.redis.run(...call);
        const [, , [operation, facts]] = call;
        if (operation !== 'work' || !String(facts).includes('"terms"') || ++claims !== 3) return reply;
        stop.abort('SIGINT');
        throw new CliError('network', 'unreachable', 'the connection broke');
      },
    };
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    const first = await rig.part(folder, input, { shared: openServerLedger(server, { folder, redis }), signals });
    expect(first).toMatchObject({ counts: { unsure: 0 }, stopped: { exit: 'interrupted' } });
    const next = await rig.part(folder, input, { shared: ledger() });
    expect([next.counts.unsure, [...first.sent, ...next.sent].toSorted()]).toEqual([0, input.toSorted()]);
  },
);
