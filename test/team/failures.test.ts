import { describe, expect, it } from 'vitest';
import { killed, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import { isLong } from '../support/long-tests.ts';
import { noRedis } from '../support/redis.ts';
import { newCable, newTeam, persistent, secret, silenced, twice } from './rig.ts';

const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name', '--no-pace', '--at-most', '100000'];
const asJob = [...batch, '--job', 'welcome', '-o', 'json'];
const send = ['send-template', '+12025550101', 'welcome', '-p', 'Ada'];

describe.skipIf(noRedis !== undefined)("a team's server", () => {
  it.each([
    ['a batch', asJob],
    ['a single message', send],
  ])('that is not reachable sends nothing: %s', async (_, argv) => {
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
    expect(await right.bin(send)).toMatchObject({ code: 0 });
  });

  it('without TLS is not used by a rediss:// URL', async () => {
    const team = await newTeam();
    const { code } = await team.newMachine(team.url.replace('redis://', 'rediss://')).bin(send);
    expect([code, team.service.asked]).toEqual([expect.toSatisfy((one) => one === 3 || one === 9), []]);
  });

  it('refuses a machine with another secret', async () => {
    const team = await newTeam();
    expect(await team.newMachine().bin(send)).toMatchObject({ code: 0 });
    const stranger = team.newMachine(team.url.replace(secret, [...secret].reverse().join('')));
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

  it(
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
