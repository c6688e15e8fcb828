import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import { prefixOf } from '../../src/ledger/redis/server.ts';
import { killed, phoneOf, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import { isLong, some } from '../support/long-tests.ts';
import { freePort, noRedis } from '../support/redis.ts';
import { openService } from '../support/service.ts';
import {
  type Machine,
  newCable,
  newTeam,
  otherSecret,
  persistent,
  secret,
  silenced,
  strictWindow,
  type Team,
  twice,
} from './rig.ts';

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
  it.each(
    some([
      ['a batch', asJob],
      ['a single message', send],
    ]),
  )('that is not reachable sends nothing: %s', async (_, argv) => {
    const team = await newTeam();
    const machine = team.newMachine(team.url.replace('redis://', 'redis://bizmsg:hunter-number-2@'));
    writePeople(machine, 3);
    await team.server.kill();
    const { code, stderr } = await machine.bin(argv);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`127.0.0.1:${team.server.address.port}`)]);
    expect(stderr).not.toContain('hunter-number-2');
    expect(team.service.asked).toEqual([]);
  });

  it('that wants another password is exit 3, and names the server without it', async () => {
    const team = await newTeam(undefined, [...persistent, '--requirepass', 'right-password']);
    const machine = team.newMachine(team.url.replace('redis://', 'redis://:wrong-password@'));
    const { code, stderr } = await machine.bin(send);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`127.0.0.1:${team.server.address.port}`)]);
    expect(stderr).not.toMatch(/wrong-password|right-password/);
    expect(team.service.asked).toEqual([]);
    const right = team.newMachine(team.url.replace('redis://', 'redis://:right-password@'));
    expect(await right.bin([...send, '--accept-loss'])).toMatchObject({ code: 0 });
  });

  it.runIf(isLong)('without TLS is not used by a rediss:// URL', async () => {
    const team = await newTeam();
    const { code } = await team.newMachine(team.url.replace('redis://', 'rediss://')).bin(send);
    expect([code, team.service.asked]).toEqual([expect.toSatisfy((one) => one === 3 || one === 9), []]);
  });

  it('refuses a machine with another secret', async () => {
    const team = await newTeam();
    expect(await team.newMachine().bin(send)).toMatchObject({ code: 0 });
    const stranger = team.newMachine(team.url.replace(secret, otherSecret));
    const { code, stderr } = await stranger.bin([...send, '--again']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('another secret')]);
    expect(team.service.asked).toHaveLength(1);
  });

  it('that was restarted without its data stops all machines until --accept-loss', async () => {
    const team = await newTeam();
    const [one, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [one, other]) expect(await machine.bin([...send, '--again'])).toMatchObject({ code: 0 });
    await team.server.redis.call('FLUSHALL');
    for (const machine of [one, other, one]) {
      const { code, stderr } = await machine.bin([...send, '--again']);
      expect([code, stderr]).toEqual([11, expect.stringMatching(/has lost data.*last known change.*--accept-loss/s)]);
    }
    expect(team.service.asked).toHaveLength(2);
    expect(await one.bin([...send, '--again', '--accept-loss'])).toMatchObject({ code: 0 });
    expect(await other.bin([...send, '--again'])).toMatchObject({ code: 0 });
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
    const foreseen = await machine.bin([...asJob, '--accept-loss', '--dry-run']);
    const rest = await machine.bin([...asJob, '--accept-loss']);
    const summary = summaryIn(rest.stdout);
    expect(JSON.parse(foreseen.stdout)).toMatchObject({ would_send: summary.sent });
    expect([rest.code, twice(team.service), team.service.asked.length]).toEqual([10, [], 400]);
    const again = await machine.bin(asJob);
    expect([again.code, summaryIn(again.stdout)]).toMatchObject([10, { sent: 0 }]);
    expect(team.service.asked).toHaveLength(400);
    const resolved = await machine.bin(['runs', 'resolve', String(summary.run), '--sent']);
    expect(resolved.code).toBe(0);
  });

  describe('that has lost a batch', () => {
    /** Sends two rows as a job; then the server loses them, and another command accepts that. */
    async function lostJob() {
      const team = await newTeam();
      const machine = team.newMachine();
      writePeople(machine, 2);
      const { code, stdout } = await machine.bin(asJob);
      expect(code).toBe(0);
      await team.server.redis.call('FLUSHALL');
      expect((await machine.bin(['runs', 'list', '--accept-loss'])).code).toBe(0);
      return { team, machine, run: String(summaryIn(stdout).run) };
    }

    it('does not get it sent twice, whichever command has accepted the loss', async () => {
      const { team, machine } = await lostJob();
      writePeople(machine, 3);
      const { code, stdout, stderr } = await machine.bin(asJob);
      expect([code, summaryIn(stdout)]).toMatchObject([0, { rows: 3, sent: 1 }]);
      expect(stderr).toContain("this machine's logs have 2 rows as sent (run ");
      expect((await machine.bin(asJob)).stderr).not.toContain('left out');
      expect(team.service.asked).toHaveLength(3);
    });

    it.each([
      ['a batch without the job leaves them out', batch, 2],
      ['another job sends them', [...batch, '--job', 'second'], 4],
      ['--again sends them', [...batch, '--again'], 4],
      ['another account sends them', asJob, 4, { BIZMSG_ACCOUNT: 'second' }],
    ])('%s', async (_, argv, asked, env: Readonly<Record<string, string>> = {}) => {
      const { team, machine } = await lostJob();
      expect((await machine.bin(argv, env)).code).toBe(0);
      expect(team.service.asked).toHaveLength(asked);
    });

    it.each([
      ['a run', (run: string) => [run], 4],
      ['a person', () => ['--recipient', phoneOf(1)], 3],
    ])('sends %s again that was forgotten', async (_, words, asked) => {
      const { team, machine, run } = await lostJob();
      expect((await machine.bin(['runs', 'forget', ...words(run), '--yes'])).code).toBe(0);
      expect((await machine.bin(asJob)).code).toBe(0);
      expect(team.service.asked).toHaveLength(asked);
    });

    it('sends it with another service', async () => {
      const { team, machine } = await lostJob();
      const second = await openService();
      onTestFinished(() => second.close());
      expect((await machine.bin([...asJob, '--accept-loss'], { BIZMSG_BASE_URL: second.url })).code).toBe(0);
      expect([team.service.asked.length, second.asked.length]).toEqual([2, 2]);
    });

    it('says that a log is damaged', async () => {
      const { machine, run } = await lostJob();
      const folder = join(machine.home, '.local/state/bizmsg/runs', run);
      const [name = ''] = readdirSync(folder);
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('"claimed"', '"climbed"'));
      expect((await machine.bin(asJob)).stderr).toContain(`${name} is damaged`);
    });

    it('is not resolved or closed in the run that was lost', async () => {
      const { machine, run } = await lostJob();
      for (const words of [
        ['resolve', run, '--sent'],
        ['close', run],
      ])
        expect(await machine.bin(['runs', ...words])).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(`run ${run} is not in the ledger`),
        });
    });

    it('shows what a dry run would do without the loss accepted', async () => {
      const { team, machine } = await lostJob();
      await machine.bin(asJob);
      await team.server.redis.call('FLUSHALL');
      const { code, stdout } = await machine.bin([...asJob, '--dry-run']);
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
    const { code, stdout } = await machine.bin([...asJob, '--accept-loss']);
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
    const { code, stdout } = await machine.bin([...asJob, '--accept-loss', '--retry-unsure']);
    expect([code, summaryIn(stdout)]).toMatchObject([0, { sent: 0, skipped: { this_run: 3 } }]);
    expect((await machine.bin(asJob)).code).toBe(0);
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
    expect((await machine.bin(once)).code).toBe(10);
    await team.server.redis.call('FLUSHALL');
    const { code, stdout, stderr } = await machine.bin([...once, '--accept-loss']);
    const { run, skipped } = summaryIn(stdout);
    expect([code, skipped]).toMatchObject([10, { unsure: 2 }]);
    expect(stderr).toContain("this machine's logs have 2 rows as unsure (run ");
    const resolved = await resolver(machine, team).bin(['runs', 'resolve', String(run), '--not-sent']);
    expect(resolved.code).toBe(0);
    expect(team.service.asked).toHaveLength(2);
    await machine.bin(once);
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
    expect(await team.newMachine().bin(send)).toMatchObject({ code: 0 });
    await team.server.redis.call('FLUSHALL');
    const fresh = team.newMachine();
    const refused = [11, expect.stringMatching(/does not know this team.*--accept-loss/s)];
    for (const words of [send, [...send, '--again'], ['runs', 'list']]) {
      const { code, stderr } = await fresh.bin(words);
      expect([code, stderr]).toEqual(refused);
    }
    const stranger = team.newMachine(team.url.replace(secret, otherSecret));
    const { code, stderr } = await stranger.bin(send);
    expect([code, stderr]).toEqual(refused);
    expect(team.service.asked).toHaveLength(1);
    expect(await fresh.bin([...send, '--accept-loss'])).toMatchObject({ code: 0 });
    expect(await team.newMachine().bin([...send, '--again'])).toMatchObject({ code: 0 });
  });

  it('is set up by team new; without that, the first command needs --accept-loss', async () => {
    const team = await newTeam();
    await team.server.redis.call('FLUSHALL');
    const address = `redis://127.0.0.1:${team.server.address.port}`;
    const { stdout, stderr } = await team.newMachine('').bin(['team', 'new', address]);
    expect(stderr).not.toContain('--accept-loss');
    expect(await team.newMachine(stdout.trim()).bin(send)).toMatchObject({ code: 0 });
    const unreachable = await team.newMachine('').bin(['team', 'new', 'redis://127.0.0.1:1']);
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
    await one.bin(send);
    const { folder } = team.server;
    cpSync(join(folder, 'appendonlydir'), join(folder, 'old'), { recursive: true });
    await other.bin([...send, '--again']);
    await one.bin([...send, '--again']);
    await team.server.kill();
    damage(folder);
    await team.server.start(...persistent);
    for (const machine of [other, one]) {
      const { code, stderr } = await machine.bin([...send, '--again']);
      expect([code, stderr]).toEqual([11, expect.stringContaining('has lost data')]);
    }
    expect(team.service.asked).toHaveLength(3);
  });

  it('with data of a newer version is refused', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    await machine.bin(send);
    const { redis } = team.server;
    await redis.call('HSET', `${prefixOf(`${team.service.url} team`)}meta`, 'version', 99);
    const { code, stderr } = await machine.bin([...send, '--again']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('version 99')]);
    expect(team.service.asked).toHaveLength(1);
  });

  it('is used over TLS, with an authority of NODE_EXTRA_CA_CERTS', async () => {
    const port = String(await freePort());
    const fixture = (name: string) => new URL(`../client/fixtures/${name}`, import.meta.url).pathname;
    const tls = [
      '--tls-port',
      port,
      '--tls-cert-file',
      fixture('server.pem'),
      '--tls-key-file',
      fixture('server-key.pem'),
    ];
    const trust = ['--tls-ca-cert-file', fixture('authority.pem'), '--tls-auth-clients', 'no'];
    const team = await newTeam(undefined, [...persistent, ...tls, ...trust]);
    const machine = team.newMachine(`rediss://127.0.0.1:${port}#${secret}`);
    const refused = await machine.bin(send);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('TLS connection')]);
    expect(await machine.bin(send, { NODE_EXTRA_CA_CERTS: fixture('authority.pem') })).toMatchObject({ code: 0 });
  });

  it('gives the rows of a stopped process to others, and it does not send them when it returns', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 10 }));
    const [stalled, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [stalled, other]) writePeople(machine, 200);
    const running = stalled.start([...asJob, '--concurrency', '4']);
    await untilAsked(team, 30, running);
    process.kill(running.pid, 'SIGSTOP');
    const waiting = other.start(asJob);
    const why = `process ${running.pid} on a machine of the team is sending some of these rows; waiting for it; after `;
    await expect.poll(waiting.stderr, { timeout: 20_000 }).toContain(why);
    await silenced(team, running);
    expect([0, 10]).toContain(await waiting.ended);
    process.kill(running.pid, 'SIGCONT');
    expect([0, 10]).toContain(await running.ended);
    expect([twice(team.service), team.service.asked.length]).toEqual([[], 200]);
    // The late answers of the stopped process have settled its rows.
    const { stdout } = await other.bin(asJob);
    expect(summaryIn(stdout)).toMatchObject({ team: { sent: 200, unsure: 0, left: 0 } });
  });

  it('that is killed and starts again with its data continues', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 200);
    const running = machine.start(asJob);
    await untilAsked(team, 30, running);
    await team.server.kill();
    await expect.poll(() => running.stderr(), { timeout: 10_000 }).toContain('waiting for it');
    await team.server.start(...persistent);
    expect([await running.ended, twice(team.service)]).toEqual([0, []]);
    expect(running.stderr()).toContain('the server of the team answers again');
    expect([summaryIn(running.stdout())['sent'], team.service.asked.length]).toEqual([200, 200]);
  });

  it('that becomes full stops the run with exit 3, and once it has room the same command sends the rest', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 200);
    const running = machine.start(asJob);
    await untilAsked(team, 30, running);
    await team.server.redis.call('CONFIG', 'SET', 'maxmemory', '1');
    expect([await running.ended, running.stderr()]).toEqual([3, expect.stringContaining('raise its maxmemory')]);
    await team.server.redis.call('CONFIG', 'SET', 'maxmemory', '0');
    await silenced(team, running);
    // The outcomes of rows in flight could not be recorded: these are unsure.
    expect([0, 10]).toContain((await machine.bin(asJob)).code);
    expect([twice(team.service), team.service.asked.length]).toEqual([[], 200]);
  });

  it.runIf(isLong)(
    'behind a cut cable sends nothing meanwhile, and the run goes on once it is mended',
    { timeout: 60_000 },
    async () => {
      const team = await newTeam(() => ({ reply: 200, after: 3 }));
      const cable = await newCable(team.url);
      const [behind, other] = [team.newMachine(cable.url), team.newMachine()];
      for (const machine of [behind, other]) writePeople(machine, 300);
      const running = behind.start(asJob);
      await untilAsked(team, 30, running);
      cable.cut();
      await expect.poll(() => running.stderr(), { timeout: 20_000 }).toContain('waiting for it');
      const before = team.service.asked.length;
      await silenced(team, running);
      const { code, stdout } = await other.bin(asJob);
      expect(code === 0 || code === 10).toBe(true);
      const { sent } = summaryIn(stdout);
      expect(team.service.asked.length - before).toBe(sent);
      cable.mend();
      const ended = await running.ended;
      expect(ended === 0 || ended === 10).toBe(true);
      expect(twice(team.service)).toEqual([]);
      expect(team.service.asked).toHaveLength(300);
    },
  );

  it('that is gone does not keep a run alive that is interrupted', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 200);
    const words = asJob.filter((word) => word !== '--no-pace');
    const running = machine.start([...words, '--rate', '40/s']);
    await untilAsked(team, 15, running);
    await team.server.kill();
    await expect.poll(() => running.stderr(), { timeout: 10_000 }).toContain('waiting for it');
    process.kill(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
  });

  it('that is gone does not stop what sends no message: it is paced alone, with a note', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    const { url } = team.service;
    const key = 'sk_test_0123456789abcdef';
    const words = ['profiles', 'add', 'acme', '--base-url', url, '--plan', 'growth', '--key-stdin'];
    expect(await machine.bin(words, {}, key)).toMatchObject({ code: 0 });
    await team.server.kill();
    const { code, stderr } = await machine.bin(['templates', 'list', '--profile', 'acme']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/pace is not shared.*the server of the team/)]);
  });

  it('that shares the rate limit sends nothing while it is gone', async () => {
    const admits = strictWindow(20, 1_000);
    const team = await newTeam(() => ({ reply: admits() ? 200 : 429, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 60);
    const words = asJob.filter((word) => word !== '--no-pace');
    const running = machine.start([...words, '--rate', '20/s']);
    await untilAsked(team, 15, running);
    await team.server.kill();
    await expect.poll(() => running.stderr(), { timeout: 10_000 }).toContain('waiting for it');
    // Requests that were admitted before it went may still be on their way.
    const sentInASecond = async () => {
      const before = team.service.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return team.service.asked.length - before;
    };
    await expect.poll(sentInASecond, { timeout: 10_000 }).toBe(0);
    expect(team.service.asked.length).toBeLessThan(40);
    await team.server.start(...persistent);
    expect([await running.ended, twice(team.service)]).toEqual([0, []]);
    expect(team.service.asked.filter(({ reply }) => reply !== 200)).toEqual([]);
    expect(team.service.asked).toHaveLength(60);
  });

  it.runIf(isLong)('that is gone for two minutes ends the run with 9', { timeout: 240_000 }, async () => {
    const team = await newTeam(() => ({ reply: 200, after: 20 }));
    const machine = team.newMachine();
    writePeople(machine, 500);
    const running = machine.start(asJob);
    await untilAsked(team, 30, running);
    await team.server.kill();
    expect(await running.ended).toBe(9);
    expect(running.stderr()).toContain('the server of the team could not be reached for 2 minutes');
    await team.server.start(...persistent);
    await silenced(team, running);
    const { code } = await machine.bin([...asJob, '--retry-unsure']);
    expect(code).toBe(0);
  });

  it('frees the rows of a killed process as unsure after its silence, and others send the rest', async () => {
    const team = await newTeam((asked) => (asked.phone.endsWith('010') ? { reply: 'hang' } : { reply: 200 }));
    const [dying, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [dying, other]) writePeople(machine, 100);
    const first = dying.start(asJob);
    await expect.poll(() => team.service.asked.length, { timeout: 15_000 }).toBe(100);
    await killed(first);
    await silenced(team, first);
    const { code, stdout } = await other.bin(asJob);
    const { unsure, skipped } = summaryIn(stdout);
    expect([code, twice(team.service)]).toEqual([10, []]);
    expect(Number(unsure) + Number(Object(skipped).unsure)).toBeGreaterThanOrEqual(1);
  });
});
