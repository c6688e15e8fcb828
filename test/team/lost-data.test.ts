import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import { killed, phoneOf, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import { noRedis } from '../support/redis.ts';
import { openService } from '../support/service.ts';
import { type Machine, newTeam, otherSecret, persistent, secret, silenced, type Team, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const asJob = [...batch, '--job', 'welcome', '-o', 'json'];
const send = ['send-template', '+12025550101', 'welcome', '-p', 'Ada'];

/** Changes the times at which this machine's logs begin. */
function setLogsAhead({ home }: Machine, milliseconds: number): void {
  const folder = join(home, '.local/state/bizmsg/runs');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.ndjson'),
  )) {
    const [header = '', ...lines] = readFileSync(join(folder, name), 'utf8').split('\n');
    const json = header.slice(header.indexOf(',') + 1, -1);
    const later = json.replace(/"at":(\d+)/, (_, at: string) => `"at":${Number(at) + milliseconds}`);
    writeFileSync(join(folder, name), lineOf(JSON.parse(later)) + lines.join('\n'));
  }
}

/** Copies what the server has now; returns how to put it back. */
async function copied({ server: { redis } }: Team): Promise<() => Promise<void>> {
  const found = await redis.call('KEYS', '*');
  const names = (Array.isArray(found) ? found : []).map(String);
  const values = await Promise.all(names.map((name) => redis.call('DUMP', name)));
  return async () => {
    await redis.call('FLUSHALL');
    for (const [at, name] of names.entries()) {
      const value = values[at];
      if (Buffer.isBuffer(value)) await redis.call('RESTORE', name, 0, value);
    }
  };
}

describe.skipIf(noRedis !== undefined)("a team's server", () => {
  it('that was restarted without its data stops all machines until --accept-loss', async () => {
    const team = await newTeam();
    const [one, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [one, other]) expect(await machine.run([...send, '--again'])).toMatchObject({ code: 0 });
    await team.server.redis.call('FLUSHALL');
    for (const machine of [one, other, one]) {
      const { code, stderr } = await machine.run([...send, '--again']);
      expect([code, stderr]).toEqual([11, expect.stringMatching(/has lost data.*last known change.*--accept-loss/s)]);
    }
    expect(team.service.asked).toHaveLength(2);
    expect(await one.run([...send, '--again', '--accept-loss'])).toMatchObject({ code: 0 });
    expect(await other.run([...send, '--again'])).toMatchObject({ code: 0 });
  });

  it('that has lost a run has it recorded again by the machine that sent it', async () => {
    const team = await newTeam((asked) => (asked.phone.endsWith('002') ? { reply: 500 } : { reply: 200, after: 10 }));
    const machine = team.newMachine();
    writePeople(machine, 400);
    const running = machine.start([...asJob, '--concurrency', '4', '--retries', '0']);
    await untilAsked(team, 100, running);
    await team.server.redis.call('FLUSHALL');
    expect(await running.ended).toBe(11);
    expect(running.stderr()).toContain('leaves out what this machine has sent');
    const foreseen = await machine.run([...asJob, '--accept-loss', '--dry-run']);
    const rest = await machine.run([...asJob, '--accept-loss']);
    const summary = summaryIn(rest.stdout);
    expect(JSON.parse(foreseen.stdout)).toMatchObject({ would_send: summary.sent });
    expect([rest.code, twice(team.service), team.service.asked.length]).toEqual([10, [], 400]);
    const again = await machine.run(asJob);
    expect([again.code, summaryIn(again.stdout)]).toMatchObject([10, { sent: 0 }]);
    expect(team.service.asked).toHaveLength(400);
    const resolved = await machine.run(['runs', 'resolve', String(summary.run), '--sent']);
    expect(resolved.code).toBe(0);
  });

  describe('that has lost a batch', () => {
    /** Sends two rows as a job; then the server loses them, and another command accepts that. */
    async function lostJob() {
      const team = await newTeam();
      const machine = team.newMachine();
      writePeople(machine, 2);
      const { code, stdout } = await machine.run(asJob);
      expect(code).toBe(0);
      await team.server.redis.call('FLUSHALL');
      expect((await machine.run(['runs', 'list', '--accept-loss'])).code).toBe(0);
      return { team, machine, run: String(summaryIn(stdout).run) };
    }

    it('does not get it sent twice, whichever command has accepted the loss', async () => {
      const { team, machine } = await lostJob();
      writePeople(machine, 3);
      const { code, stdout, stderr } = await machine.run(asJob);
      expect([code, summaryIn(stdout)]).toMatchObject([0, { rows: 3, sent: 1 }]);
      expect(stderr).toContain("this machine's logs have 2 rows as sent (run ");
      expect((await machine.run(asJob)).stderr).not.toContain('left out');
      expect(team.service.asked).toHaveLength(3);
    });

    it.each([
      ['a batch without the job leaves them out', batch, 2],
      ['another job sends them', [...batch, '--job', 'second'], 4],
      ['--again sends them', [...batch, '--again'], 4],
      ['another account sends them', asJob, 4, { BIZMSG_ACCOUNT: 'second' }],
    ])('%s', async (_, argv, asked, env: Readonly<Record<string, string>> = {}) => {
      const { team, machine } = await lostJob();
      expect((await machine.run(argv, env)).code).toBe(0);
      expect(team.service.asked).toHaveLength(asked);
    });

    it.each([
      ['a run', (run: string) => [run], 4],
      ['a person', () => ['--recipient', phoneOf(1)], 3],
    ])('sends %s again that was forgotten', async (_, words, asked) => {
      const { team, machine, run } = await lostJob();
      expect((await machine.run(['runs', 'forget', ...words(run), '--yes'])).code).toBe(0);
      expect((await machine.run(asJob)).code).toBe(0);
      expect(team.service.asked).toHaveLength(asked);
    });

    it('sends it with another service', async () => {
      const { team, machine } = await lostJob();
      const second = await openService();
      onTestFinished(() => second.close());
      expect((await machine.run([...asJob, '--accept-loss'], { BIZMSG_BASE_URL: second.url })).code).toBe(0);
      expect([team.service.asked.length, second.asked.length]).toEqual([2, 2]);
    });

    it('says that a log is damaged', async () => {
      const { machine, run } = await lostJob();
      const folder = join(machine.home, '.local/state/bizmsg/runs', run);
      const [name = ''] = readdirSync(folder);
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('"claimed"', '"climbed"'));
      expect((await machine.run(asJob)).stderr).toContain(`${name} is damaged`);
    });

    it('is not resolved or closed in the run that was lost', async () => {
      const { machine, run } = await lostJob();
      for (const words of [
        ['resolve', run, '--sent'],
        ['close', run],
      ])
        expect(await machine.run(['runs', ...words])).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(`run ${run} is not in the ledger`),
        });
    });

    it('shows what a dry run would do without the loss accepted', async () => {
      const { team, machine } = await lostJob();
      await machine.run(asJob);
      await team.server.redis.call('FLUSHALL');
      const { code, stdout } = await machine.run([...asJob, '--dry-run']);
      expect([code, JSON.parse(stdout)]).toMatchObject([11, { type: 'rehearsal', refused: {} }]);
    });
  });

  it('does not get what was in flight sent twice by a machine whose clock is ahead', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3_000 }));
    const machine = team.newMachine();
    writePeople(machine, 3);
    const running = machine.start(asJob);
    await untilAsked(team, 3, running);
    await killed(running);
    setLogsAhead(machine, 600_000);
    await team.server.redis.call('FLUSHALL');
    const { code, stdout } = await machine.run([...asJob, '--accept-loss']);
    expect([code, summaryIn(stdout)]).toMatchObject([10, { sent: 0, skipped: { unsure: 3 } }]);
    expect(team.service.asked).toHaveLength(3);
  });

  it('that has lost outcomes learns them from the machine that sent', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 500 }));
    const machine = team.newMachine();
    writePeople(machine, 3);
    const running = machine.start(asJob);
    await untilAsked(team, 3, running);
    const restore = await copied(team);
    expect(await running.ended).toBe(0);
    await restore();
    await silenced(team, running);
    const { code, stdout } = await machine.run([...asJob, '--accept-loss', '--retry-unsure']);
    expect([code, summaryIn(stdout)]).toMatchObject([0, { sent: 0, skipped: { this_run: 3 } }]);
    expect((await machine.run(asJob)).code).toBe(0);
    expect(team.service.asked).toHaveLength(3);
  });

  it.each([
    ['on this machine', (machine: Machine) => machine],
    ['on another machine', (_: Machine, team: Team) => team.newMachine()],
  ])('that has lost unsure rows has them once more, until they are resolved %s', async (_, resolver) => {
    const team = await newTeam(() => ({ reply: 500 }));
    const machine = team.newMachine();
    writePeople(machine, 2);
    const once = [...asJob, '--retries', '0'];
    expect((await machine.run(once)).code).toBe(10);
    await team.server.redis.call('FLUSHALL');
    const { code, stdout, stderr } = await machine.run([...once, '--accept-loss']);
    const { run, skipped } = summaryIn(stdout);
    expect([code, skipped]).toMatchObject([10, { unsure: 2 }]);
    expect(stderr).toContain("this machine's logs have 2 rows as unsure (run ");
    const resolved = await resolver(machine, team).run(['runs', 'resolve', String(run), '--not-sent']);
    expect(resolved.code).toBe(0);
    expect(team.service.asked).toHaveLength(2);
    await machine.run(once);
    expect(team.service.asked).toHaveLength(4);
  });

  it.each([
    ['send-batch --again', [...batch, '--again'], 'sends all rows again'],
    [
      'contacts import',
      ['contacts', 'import', 'people.csv', '--no-pace', '--at-most', '400'],
      'imports all rows again',
    ],
  ])('that loses data during %s says what the repeated command does', async (_, argv, says) => {
    const team = await newTeam(() => ({ reply: 200, after: 10 }));
    const machine = team.newMachine();
    writePeople(machine, 400);
    const running = machine.start([...argv, '--concurrency', '4']);
    await untilAsked(team, 100, running);
    await team.server.redis.call('FLUSHALL');
    expect(await running.ended).toBe(11);
    expect(running.stderr()).toContain(`with --accept-loss, the same command ${says}`);
  });

  it('that has nothing of the team stops a machine that never used it', async () => {
    const team = await newTeam();
    expect(await team.newMachine().run(send)).toMatchObject({ code: 0 });
    await team.server.redis.call('FLUSHALL');
    const fresh = team.newMachine();
    const refused = [11, expect.stringMatching(/does not know this team.*--accept-loss/s)];
    for (const words of [send, [...send, '--again'], ['runs', 'list']]) {
      const { code, stderr } = await fresh.run(words);
      expect([code, stderr]).toEqual(refused);
    }
    const stranger = team.newMachine(team.url.replace(secret, otherSecret));
    const { code, stderr } = await stranger.run(send);
    expect([code, stderr]).toEqual(refused);
    expect(team.service.asked).toHaveLength(1);
    expect(await fresh.run([...send, '--accept-loss'])).toMatchObject({ code: 0 });
    expect(await team.newMachine().run([...send, '--again'])).toMatchObject({ code: 0 });
  });

  it('is set up by team new; without that, the first command needs --accept-loss', async () => {
    const team = await newTeam();
    await team.server.redis.call('FLUSHALL');
    const address = `redis://127.0.0.1:${team.server.address.port}`;
    const { stdout, stderr } = await team.newMachine('').run(['team', 'new', address]);
    expect(stderr).not.toContain('--accept-loss');
    expect(await team.newMachine(stdout.trim()).run(send)).toMatchObject({ code: 0 });
    const unreachable = await team.newMachine('').run(['team', 'new', 'redis://127.0.0.1:1']);
    expect([unreachable.code, unreachable.stderr]).toEqual([0, expect.stringContaining('needs --accept-loss')]);
  });

  it.each([
    ['lost its file', (folder: string) => rmSync(join(folder, 'appendonlydir'), { recursive: true })],
    [
      'got an old file back',
      (folder: string) => {
        rmSync(join(folder, 'appendonlydir'), { recursive: true });
        cpSync(join(folder, 'old'), join(folder, 'appendonlydir'), { recursive: true });
      },
    ],
  ])('that was killed and %s stops all machines', async (_, damage) => {
    const team = await newTeam();
    const [one, other] = [team.newMachine(), team.newMachine()];
    await one.run(send);
    const { folder } = team.server;
    cpSync(join(folder, 'appendonlydir'), join(folder, 'old'), { recursive: true });
    await other.run([...send, '--again']);
    await one.run([...send, '--again']);
    await team.server.kill();
    damage(folder);
    await team.server.start(...persistent);
    for (const machine of [other, one]) {
      const { code, stderr } = await machine.run([...send, '--again']);
      expect([code, stderr]).toEqual([11, expect.stringContaining('has lost data')]);
    }
    expect(team.service.asked).toHaveLength(3);
  });
});
