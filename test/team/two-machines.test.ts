import { describe, expect, it } from 'vitest';
import { batch, phoneOf, summaryIn, writePeople } from '../e2e/runs-rig.ts';
import { type Machine, missingPostgres, newTeam } from './rig.ts';

const single = ['send-template', phoneOf(1), 'welcome', '-p', 'Ada', '--yes', '-o', 'json'];

function job(machine: Machine, count: number): readonly string[] {
  return batch(writePeople(machine, count), '--job', 'welcome');
}

describe.skipIf(missingPostgres !== undefined)('two machines of a team', () => {
  it('send each row of a job once', async () => {
    const team = await newTeam();
    const [one, other] = [team.machine(), team.machine()];
    const ended = await Promise.all([one.bin(job(one, 400)), other.bin(job(other, 400))]);
    expect(ended.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(new Set(team.service.asked.map(({ phone }) => phone)).size).toBe(400);
    expect(team.service.asked).toHaveLength(400);
    expect(ended.reduce((sum, { stdout }) => sum + Number(summaryIn(stdout)['sent']), 0)).toBe(400);
  });

  it('show who got it with a copy of the file, which the server does not have', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone === phoneOf(2) ? 422 : 200 }));
    const [one, other] = [team.machine(), team.machine()];
    await one.bin(job(one, 3));
    writePeople(other, 3);
    const { stdout } = await other.bin(['runs', 'show', '--columns', 'phone,name,line,outcome', '--no-header']);
    expect(stdout.trim().split('\n')).toEqual(
      [1, 2, 3].map((at) => `${phoneOf(at)}\tP${at}\t${at + 1}\t${at === 2 ? 'failed' : 'sent'}`),
    );
  });

  it('do not send the same single message', async () => {
    const team = await newTeam();
    expect((await team.machine().bin(single)).code).toBe(0);
    const again = await team.machine().bin(single);
    expect([again.code, again.stderr]).toEqual([11, expect.stringContaining('the same message was sent')]);
  });
});
