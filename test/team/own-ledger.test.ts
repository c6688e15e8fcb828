import { describe, expect, it } from 'vitest';
import { killed, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import { noRedis } from '../support/redis.ts';
import { newTeam, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const plain = [...batch, '-o', 'json'];
const send = ['send-template', '+12025550101', 'welcome', '-p', 'Ada'];

describe.skipIf(noRedis !== undefined)('what a machine sent before it had a team', () => {
  it('is not sent again by the team, unless the user says so', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    writePeople(machine, 10);
    expect(await machine.run([...plain, '--no-team'])).toMatchObject({ code: 0 });
    writePeople(machine, 15);
    const { code, stderr } = await machine.run(plain);
    expect([code, stderr]).toEqual([11, expect.stringContaining('10 of 15 rows were sent before')]);
    const added = await machine.run([...plain, '--new-only']);
    expect([added.code, summaryIn(added.stdout)]).toMatchObject([0, { sent: 5, skipped: { earlier_run: 10 } }]);
    const limited = await machine.run([...batch.slice(0, -1), '0', '--new-only']);
    expect([limited.code, twice(team.service)]).toEqual([0, []]);
    const all = await machine.run([...plain, '--again']);
    expect([all.code, summaryIn(all.stdout)]).toMatchObject([0, { sent: 15 }]);
  });

  it('counts as sent by a job of the same name', async () => {
    const team = await newTeam();
    const [machine, other] = [team.newMachine(), team.newMachine()];
    for (const one of [machine, other]) writePeople(one, 10);
    await machine.run([...plain, '--job', 'welcome', '--no-team']);
    writePeople(machine, 12);
    const { code, stdout } = await machine.run([...plain, '--job', 'welcome']);
    expect([code, summaryIn(stdout)]).toMatchObject([0, { sent: 2, skipped: { this_run: 10 } }]);
  });

  it('is finished, or closed, before the team goes on', async () => {
    const team = await newTeam((asked) =>
      asked.phone.endsWith('005') ? { reply: 'hang' } : { reply: 200, after: 50 },
    );
    const machine = team.newMachine();
    writePeople(machine, 60);
    const running = machine.start([...plain, '--no-team', '--concurrency', '4']);
    await untilAsked(team, 10, running);
    await killed(running);
    const asked = team.service.asked.length;
    const { code, stderr } = await machine.run(plain);
    expect([code, stderr]).toEqual([11, expect.stringMatching(/unfinished.*--no-team/s)]);
    expect(team.service.asked).toHaveLength(asked);
  });

  it('is held back if it is unsure, and the run that has it is named', async () => {
    const team = await newTeam((asked) => (asked.phone.endsWith('002') ? { reply: 500 } : { reply: 200 }));
    const machine = team.newMachine();
    writePeople(machine, 3);
    const alone = await machine.run([...plain, '--no-team']);
    const run = String(summaryIn(alone.stdout).run);
    writePeople(machine, 4);
    const { code, stdout, stderr } = await machine.run([...batch, '--new-only']);
    expect([code, stderr]).toEqual([10, expect.stringContaining(`runs resolve ${run} --sent or --not-sent`)]);
    expect(stdout).toContain(`bizmsg runs resolve ${run} --sent, or --not-sent`);
    expect(await machine.run(['runs', 'resolve', run, '--not-sent'])).toMatchObject({ code: 0 });
    expect(twice(team.service)).toEqual([]);
  });

  it('does not hide that another machine left it unsure', async () => {
    let reply: 200 | 500 = 200;
    const team = await newTeam(() => ({ reply }));
    const [machine, other] = [team.newMachine(), team.newMachine()];
    for (const one of [machine, other]) writePeople(one, 2);
    const asJob = [...plain, '--job', 'welcome', '--retries', '0'];
    expect((await machine.run([...asJob, '--no-team'])).code).toBe(0);
    reply = 500;
    expect((await other.run(asJob)).code).toBe(10);
    const { code, stdout } = await machine.run(asJob);
    expect([code, summaryIn(stdout)]).toMatchObject([10, { sent: 0, skipped: { unsure: 2 } }]);
  });

  it('counts for a single message, too', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    const first = await machine.run([...send, '--no-team']);
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('cannot see what others send')]);
    expect((await machine.run(send)).code).toBe(11);
    expect((await team.newMachine().run(send)).code).toBe(0);
    expect((await machine.run(send)).code).toBe(11);
  });
});
