import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batch, killed, repeated, summaryIn, writePeople } from '../e2e/runs-rig.ts';
import type { Running } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import { type Machine, missingPostgres, newTeam, ownPostgres, silence } from './rig.ts';

const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 8 : 5));
const seed = Number(process.env['BIZMSG_SEED'] ?? Date.now() % 1_000_000);
const [machines, concurrency] = [4, 4];
const rows = Math.max(600, 160 * kills);

function randomFrom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

interface Worker {
  readonly machine: Machine;
  running: Running;
  hasEnded: boolean;
}

describe.skipIf(missingPostgres !== undefined)(`after ${kills} kills of machines and the server (seed ${seed})`, () => {
  it('each row was sent once, and only rows in flight are unsure', { timeout: 1_800_000 }, async () => {
    const random = randomFrom(seed);
    const server = await ownPostgres();
    const team = await newTeam(() => ({ reply: 200, after: random(8) }), server);
    const job = (machine: Machine) =>
      batch(writePeople(machine, rows), '--job', 'welcome', '--concurrency', String(concurrency));
    const started = (machine: Machine): Worker => {
      const worker = { machine, running: machine.start(job(machine)), hasEnded: false };
      void worker.running.ended.then(() => (worker.hasEnded = true));
      return worker;
    };
    let workers = Array.from({ length: machines }, () => started(team.machine()));
    let dead = 0;
    for (let kill = 0; kill < kills; kill++) {
      const before = team.service.asked.length;
      const until = before + 20 + random(60);
      while (team.service.asked.length < until && workers.some(({ hasEnded }) => !hasEnded)) await sleep(20);
      if (random(4) === 0) {
        await server.kill();
        await server.start();
        continue;
      }
      const victim = workers[random(machines)];
      if (!victim) continue;
      if (!victim.hasEnded) dead += 1;
      await killed(victim.running);
      silence(team, victim.machine);
      workers = workers.map((worker) => (worker === victim ? started(victim.machine) : worker));
    }
    await Promise.all(workers.map(({ running }) => running.ended));
    const sentBefore = team.service.asked.length;
    const fifth = team.machine();
    const { unsure, skipped } = summaryIn((await fifth.bin(job(fifth))).stdout);
    expect(team.service.asked.length - sentBefore).toBe(0);
    expect(repeated(team.service)).toEqual([]);
    const held = Number(unsure) + Number(Object(skipped).unsure);
    expect(held).toBeLessThanOrEqual(dead * concurrency);
    expect(team.sql('SELECT done + unsure, planned, leaving FROM run')).toBe(`${rows}|0|0`);
    expect(team.service.asked.length).toBeGreaterThanOrEqual(rows - held);
  });
});
