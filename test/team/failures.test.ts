import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { prefixOf } from '../../src/ledger/redis/server.ts';
import { killed, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import { isLong, some } from '../support/long-tests.ts';
import { freePort, noRedis } from '../support/redis.ts';
import { newCable, newTeam, otherSecret, persistent, secret, silenced, strictWindow, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const asJob = [...batch, '--job', 'welcome', '-o', 'json'];
const send = ['send-template', '+12025550101', 'welcome', '-p', 'Ada'];

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
    const { code, stderr } = await machine.run(argv);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`127.0.0.1:${team.server.address.port}`)]);
    expect(stderr).not.toContain('hunter-number-2');
    expect(team.service.asked).toEqual([]);
  });

  it('that wants another password is exit 3, and names the server without it', async () => {
    const team = await newTeam(undefined, [...persistent, '--requirepass', 'right-password']);
    const machine = team.newMachine(team.url.replace('redis://', 'redis://:wrong-password@'));
    const { code, stderr } = await machine.run(send);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`127.0.0.1:${team.server.address.port}`)]);
    expect(stderr).not.toMatch(/wrong-password|right-password/);
    expect(team.service.asked).toEqual([]);
    const right = team.newMachine(team.url.replace('redis://', 'redis://:right-password@'));
    expect(await right.run([...send, '--accept-loss'])).toMatchObject({ code: 0 });
  });

  it.runIf(isLong)('without TLS is not used by a rediss:// URL', async () => {
    const team = await newTeam();
    const { code } = await team.newMachine(team.url.replace('redis://', 'rediss://')).run(send);
    expect([code, team.service.asked]).toEqual([expect.toSatisfy((one) => one === 3 || one === 9), []]);
  });

  it('refuses a machine with another secret', async () => {
    const team = await newTeam();
    expect(await team.newMachine().run(send)).toMatchObject({ code: 0 });
    const stranger = team.newMachine(team.url.replace(secret, otherSecret));
    const { code, stderr } = await stranger.run([...send, '--again']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('another secret')]);
    expect(team.service.asked).toHaveLength(1);
  });

  it('with data of a newer version is refused', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    await machine.run(send);
    const { redis } = team.server;
    await redis.call('HSET', `${prefixOf(`${team.service.url} team`)}meta`, 'version', 99);
    const { code, stderr } = await machine.run([...send, '--again']);
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
    const refused = await machine.run(send);
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
    await expect.poll(waiting.stderr).toContain(why);
    await silenced(team, running);
    expect([0, 10]).toContain(await waiting.ended);
    process.kill(running.pid, 'SIGCONT');
    expect([0, 10]).toContain(await running.ended);
    expect([twice(team.service), team.service.asked.length]).toEqual([[], 200]);
    // The late answers of the stopped process have settled its rows.
    const { stdout } = await other.run(asJob);
    expect(summaryIn(stdout)).toMatchObject({ team: { sent: 200, unsure: 0, left: 0 } });
  });

  it('that is killed and starts again with its data continues', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 200);
    const running = machine.start(asJob);
    await untilAsked(team, 30, running);
    await team.server.kill();
    await expect.poll(() => running.stderr()).toContain('waiting for it');
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
    expect([0, 10]).toContain((await machine.run(asJob)).code);
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
      await expect.poll(() => running.stderr()).toContain('waiting for it');
      const before = team.service.asked.length;
      await silenced(team, running);
      const { code, stdout } = await other.run(asJob);
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

  it('that does not answer can be left with a third Ctrl-C', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const cable = await newCable(team.url);
    const [machine, other] = [team.newMachine(cable.url), team.newMachine()];
    for (const one of [machine, other]) writePeople(one, 300);
    const running = machine.start(asJob);
    const told = async (text: string) => {
      await expect.poll(running.stderr).toContain(text);
    };
    await untilAsked(team, 30, running);
    cable.cut();
    process.kill(running.pid, 'SIGINT');
    await told('press Ctrl-C again to stop immediately');
    await sleep(600);
    process.kill(running.pid, 'SIGINT');
    await told('press Ctrl-C again to end without that');
    process.kill(running.pid, 'SIGINT');
    expect(await running.ended).toBeNull();
    cable.mend();
    await silenced(team, running);
    expect(await other.run(asJob)).toMatchObject({ code: 10 });
    expect(twice(team.service)).toEqual([]);
  });

  it('that is gone does not keep a run alive that is interrupted', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 3 }));
    const machine = team.newMachine();
    writePeople(machine, 200);
    const words = asJob.filter((word) => word !== '--no-pace');
    const running = machine.start([...words, '--rate', '40/s']);
    await untilAsked(team, 15, running);
    await team.server.kill();
    await expect.poll(() => running.stderr()).toContain('waiting for it');
    process.kill(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
  });

  it('that is gone does not stop what sends no message: it is paced alone, with a note', async () => {
    const team = await newTeam();
    const machine = team.newMachine();
    const { url } = team.service;
    const key = 'sk_test_0123456789abcdef';
    const words = ['profiles', 'add', 'acme', '--base-url', url, '--plan', 'growth', '--key-stdin'];
    expect(await machine.run(words, {}, key)).toMatchObject({ code: 0 });
    await team.server.kill();
    const { code, stderr } = await machine.run(['templates', 'list', '--profile', 'acme']);
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
    await expect.poll(() => running.stderr()).toContain('waiting for it');
    // Requests that were admitted before it went may still be on their way.
    const sentInASecond = async () => {
      const before = team.service.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return team.service.asked.length - before;
    };
    await expect.poll(sentInASecond).toBe(0);
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
    const { code } = await machine.run([...asJob, '--retry-unsure']);
    expect(code).toBe(0);
  });

  it('frees the rows of a killed process as unsure after its silence, and others send the rest', async () => {
    const team = await newTeam((asked) => (asked.phone.endsWith('010') ? { reply: 'hang' } : { reply: 200 }));
    const [dying, other] = [team.newMachine(), team.newMachine()];
    for (const machine of [dying, other]) writePeople(machine, 100);
    const first = dying.start(asJob);
    await expect.poll(() => team.service.asked.length).toBe(100);
    await killed(first);
    await silenced(team, first);
    const { code, stdout } = await other.run(asJob);
    const { unsure, skipped } = summaryIn(stdout);
    expect([code, twice(team.service)]).toEqual([10, []]);
    expect(Number(unsure) + Number(Object(skipped).unsure)).toBeGreaterThanOrEqual(1);
  });
});
