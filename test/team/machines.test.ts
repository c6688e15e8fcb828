import { describe, expect, it } from 'vitest';
import { summaryIn, writePeople } from '../e2e/runs-rig.ts';
import { noRedis } from '../support/redis.ts';
import { newTeam, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const asJob = [...batch, '--job', 'welcome', '-o', 'json'];

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
    expect(twice(team.service)).toEqual([]);
    const late = team.newMachine();
    writePeople(late, rows);
    const { code, stdout } = await late.bin(asJob);
    expect([code, summaryIn(stdout)]).toMatchObject([0, { sent: 0, skipped: { this_run: rows } }]);
    expect(team.service.asked).toHaveLength(rows);
  });
});
