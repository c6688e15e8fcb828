import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { killed, phoneOf, summaryIn, writePeople } from '../e2e/runs-rig.ts';
import type { Running } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import { noRedis } from '../support/redis.ts';
import { type Machine, newTeam, persistent, silenced, strictWindow, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--at-most', '100000'];
const asJob = [...batch, '--no-pace', '--job', 'welcome', '-o', 'json'];

describe.skipIf(noRedis !== undefined)('machines of a team', () => {
  it('send each row of a job once, also one that comes after the others have finished', async () => {
    const rows = 300;
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const machines = Array.from({ length: 4 }, () => team.newMachine());
    const ran = await Promise.all(
      machines.map((machine) => {
        writePeople(machine, rows);
        return machine.bin(asJob);
      }),
    );
    expect(ran.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(ran.map(() => [0, '']));
    const sent = ran.map(({ stdout }) => Number(summaryIn(stdout)['sent']));
    expect(sent.reduce((sum, one) => sum + one, 0)).toBe(rows);
    for (const { stdout } of ran) expect(summaryIn(stdout)['team']).toMatchObject({ sent: rows, left: 0 });
    expect(twice(team.service)).toEqual([]);
    const late = team.newMachine();
    writePeople(late, rows);
    const { code, stdout } = await late.run(asJob);
    expect([code, summaryIn(stdout)]).toMatchObject([0, { sent: 0, skipped: { this_run: rows } }]);
    expect(team.service.asked).toHaveLength(rows);
  });

  it('leave out the same rows that cannot be sent', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const machines = [team.newMachine(), team.newMachine()];
    const ran = await Promise.all(
      machines.map((machine) => {
        const phones = Array.from({ length: 200 }, (_, at) => (at % 20 === 0 ? 'none' : phoneOf(at)));
        writeFileSync(
          join(machine.home, 'people.csv'),
          ['phone,name', ...phones.map((phone) => `${phone},Ada`), ''].join('\n'),
        );
        return machine.bin(asJob);
      }),
    );
    for (const { code, stdout } of ran)
      expect([code, summaryIn(stdout)]).toMatchObject([10, { failed: 10, not_reached: 0, unsure: 0 }]);
    expect([team.service.asked.length, twice(team.service)]).toEqual([190, []]);
  });

  it('continue the run of another machine without a job, and do not repeat a finished one', async () => {
    const team = await newTeam();
    const [one, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [one, other]) writePeople(machine, 20);
    const plain = [...batch, '--no-pace', '-o', 'json'];
    expect((await one.run([...plain, '--first', '5'])).code).toBe(0);
    const rest = await other.run(plain);
    expect([rest.code, summaryIn(rest.stdout)]).toMatchObject([0, { sent: 15, continues: true }]);
    const text = await other.run([...batch, '--no-pace', '--job', 'again']);
    expect(text.stdout).toContain('all machines of the team: 20 of 20 rows sent');
    const again = await one.run(plain);
    expect([again.code, again.stderr]).toEqual([11, expect.stringContaining('all 20 rows were sent before')]);
  });

  it('write the rejected rows that they tried themselves', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone.endsWith('3') ? 422 : 200, after: 5 }));
    const machines = Array.from({ length: 3 }, () => team.newMachine());
    const ran = await Promise.all(
      machines.map((machine) => {
        writePeople(machine, 60);
        return machine.bin(asJob);
      }),
    );
    const failed = ran.map(({ stdout }) => Number(summaryIn(stdout)['failed']));
    expect(failed.every((count, at) => (ran[at]?.code === 10) === count > 0)).toBe(true);
    const refused = team.service.asked.filter(({ reply }) => reply === 422).map(({ phone }) => phone);
    expect([...new Set(refused)]).toHaveLength(6);
  });

  it('send each row once while one after the other is killed', { timeout: 600_000 }, async () => {
    const [rows, pause] = isLong ? [5_000, 1_000] : [300, 250];
    const team = await newTeam(() => ({ reply: 200, after: 20 }));
    const machines = Array.from({ length: 4 }, () => team.newMachine());
    for (const machine of machines) writePeople(machine, rows);
    const words = [...asJob, '--concurrency', '2'];
    const running = new Map<Machine, Running>(machines.map((machine) => [machine, machine.start(words)]));
    let kills = 0;
    for (let at = 0; kills < (isLong ? 40 : 6) && team.service.asked.length < rows - 20; at++) {
      await sleep(pause);
      const machine = machines[(at * 7 + Math.floor(at / 3)) % 4];
      const one = machine && running.get(machine);
      if (!machine || !one) continue;
      await killed(one);
      await silenced(team, one);
      running.set(machine, machine.start(words));
      kills += 1;
    }
    const codes = await Promise.all([...running.values()].map(({ ended }) => ended));
    expect(codes.filter((code) => code !== 0 && code !== 10)).toEqual([]);
    const late = team.newMachine();
    writePeople(late, rows);
    const { stdout } = await late.run(words);
    const { skipped } = summaryIn(stdout);
    const { unsure, this_run: sent } = Object(skipped);
    expect([twice(team.service), sent + unsure]).toEqual([[], rows]);
    expect(team.service.asked.length).toBeGreaterThanOrEqual(sent);
    // At most two rows in flight for each killed process.
    expect(unsure).toBeLessThanOrEqual(kills * 2);
  });

  it('send each row once while machines and the server are killed', { timeout: 900_000 }, async () => {
    const most = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 20 : 4));
    const rows = most * 150;
    const team = await newTeam(() => ({ reply: 200, after: 20 }));
    const machines = Array.from({ length: 4 }, () => team.newMachine());
    for (const machine of machines) writePeople(machine, rows);
    const words = [...asJob, '--concurrency', '2'];
    const running = new Map<Machine, Running>(machines.map((machine) => [machine, machine.start(words)]));
    let [kills, ofMachines] = [0, 0];
    while (kills < most && team.service.asked.length < rows - 40) {
      await sleep(300);
      kills += 1;
      const machine = machines[(kills * 7) % 4];
      const one = machine && running.get(machine);
      if (kills % 2 === 0 || !machine || !one) {
        await team.server.kill();
        await sleep(100);
        await team.server.start(...persistent);
        // The connection of this test was lost, too.
        await team.server.redis.call('PING').catch(() => {});
        continue;
      }
      await killed(one);
      await silenced(team, one);
      running.set(machine, machine.start(words));
      ofMachines += 1;
    }
    // A command that finds no server while it starts sends nothing and ends.
    const ended = Array.from(running, async ([machine, { ended, stderr }]) => {
      const code = await ended;
      const again = code === 9 ? await machine.bin(words) : { code, stderr: stderr() };
      return again.code === 0 || again.code === 10 ? [] : [again];
    });
    expect([kills, (await Promise.all(ended)).flat()]).toEqual([most, []]);
    const late = team.newMachine();
    writePeople(late, rows);
    const { unsure, this_run: sent } = Object(summaryIn((await late.run(words)).stdout)['skipped']);
    expect([twice(team.service), sent + unsure]).toEqual([[], rows]);
    expect(unsure).toBeLessThanOrEqual(ofMachines * 2);
  });

  it('share one strict limit: eight processes get no 429', { timeout: 60_000 }, async () => {
    const [rows, limit] = [160, 40];
    const admits = strictWindow(limit, 1_000);
    const team = await newTeam(() => ({ reply: admits() ? 200 : 429, after: 10 }));
    const machines = Array.from({ length: 8 }, () => team.newMachine());
    const people = `phone,name\n${Array.from({ length: rows }, (_, at) => `${phoneOf(at)},P\n`).join('')}`;
    const ran = await Promise.all(
      machines.map((machine) => {
        writeFileSync(join(machine.home, 'people.csv'), people);
        return machine.bin([...batch, '--rate', `${limit}/s`, '--job', 'welcome', '-o', 'json']);
      }),
    );
    expect(ran.map(({ code }) => code)).toEqual(ran.map(() => 0));
    expect(team.service.asked.filter(({ reply }) => reply !== 200)).toEqual([]);
    expect(team.service.asked).toHaveLength(rows);
  });
});
