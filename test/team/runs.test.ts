import { hostname } from 'node:os';
import { expect, it, describe } from 'vitest';
import { recordsIn, summaryIn, writePeople } from '../e2e/runs-rig.ts';
import { bin } from '../support/bin.ts';
import { noRedis } from '../support/redis.ts';
import { type Machine, newTeam } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const asJob = [...batch, '--job', 'welcome', '-o', 'json'];
const runs = async (machine: Machine) => recordsIn((await machine.run(['runs', 'list', '-o', 'json'])).stdout);

describe.skipIf(noRedis !== undefined)('the runs of a team', () => {
  it('are listed on every machine, with the counts of all', async () => {
    const team = await newTeam();
    const [one, other, third] = [team.newMachine(), team.newMachine(), team.newMachine()];
    writePeople(one, 10);
    writePeople(other, 15);
    const { stdout } = await one.run(asJob);
    await other.run(asJob);
    const { run } = summaryIn(stdout);
    const shown = { id: run, state: 'finished', job: 'welcome', rows: 15, sent: 15, left: 0, host: hostname() };
    for (const machine of [one, other, third]) expect(await runs(machine)).toMatchObject([shown]);
    const rowsOf = async (machine: Machine) =>
      recordsIn((await machine.run(['runs', 'show', String(run), '--outcome', 'sent', '-o', 'json'])).stdout);
    expect([(await rowsOf(one)).length, (await rowsOf(other)).length, await rowsOf(third)]).toEqual([10, 5, []]);
  });

  it('can be resolved, closed and forgotten from another machine', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone.endsWith('002') ? 'reset' : 200 }));
    const [one, other] = [team.newMachine(), team.newMachine()];
    writePeople(one, 10);
    expect((await one.run([...asJob, '--first', '6'])).code).toBe(10);
    const [{ id, left, unsure } = {}] = await runs(other);
    expect([left, unsure]).toEqual([4, 1]);
    expect(await other.run(['runs', 'resolve', String(id), '--sent'])).toMatchObject({ code: 0 });
    expect(await other.run(['runs', 'close', String(id)])).toMatchObject({ code: 0 });
    expect(await runs(one)).toMatchObject([{ state: 'closed', sent: 6, unsure: 0, left: 0 }]);
    expect(await other.run(['runs', 'forget', String(id), '--yes'])).toMatchObject({ code: 0 });
    expect(await runs(other)).toEqual([]);
    const asked = team.service.asked.length;
    expect((await one.run([...asJob, '--first', '1'])).code).toBe(0);
    expect(team.service.asked).toHaveLength(asked + 1);
  });

  it('of a person can be erased from all machines', async () => {
    const team = await newTeam();
    const [one, other] = [team.newMachine(), team.newMachine()];
    writePeople(one, 3);
    writePeople(other, 3);
    await one.run(asJob);
    expect(await other.run(['runs', 'forget', '--recipient', '+12025000002', '--yes'])).toMatchObject({ code: 0 });
    const { stdout } = await other.run(asJob);
    expect(summaryIn(stdout)).toMatchObject({ sent: 1 });
  });

  it('are resolved by the command that the summary prints, whatever profile is in use', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone.endsWith('002') ? 'reset' : 200 }));
    const { home } = team.newMachine('');
    const run = (line: string, input = '') => bin(line.split(' '), { home, env: {}, cwd: home, input });
    await run('profiles add other --base-url http://127.0.0.1:9 --key-stdin', 'sk_test_0123456789abcdef');
    await run(`profiles add shared --base-url ${team.service.url} --key-stdin`, 'sk_test_0123456789abcdef');
    await run('profiles set shared --team-stdin', team.url);
    writePeople({ home }, 3);
    const { stdout } = await run('send-batch welcome people.csv --param-column name --no-pace --profile shared');
    const [, command = ''] = /bizmsg (runs resolve .* --sent), or --not-sent/.exec(stdout) ?? [];
    expect(await run(command)).toMatchObject({ code: 0, stdout: expect.stringContaining('Recorded as sent: 1 row') });
  });
});
