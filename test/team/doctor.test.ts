import { describe, expect, it } from 'vitest';
import { noRedis, startRedis } from '../support/redis.ts';
import { newTeam, otherSecret, persistent, secret } from './rig.ts';
import { writePeople } from '../e2e/runs-rig.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

const send = ['send-template', '+12025550101', 'welcome', '-p', 'Ada'];

describe.skipIf(noRedis !== undefined)('doctor', () => {
  it('checks the server of a team', async () => {
    const team = await newTeam(undefined, persistent);
    const { stdout } = await team.newMachine().run(['doctor']);
    expect(stdout).toMatch(
      /Team\n +ok +server .*127\.0\.0\.1:\d+\/0, [\d.]+, connected in \d+ ms, answers in \d+ ms\n/,
    );
    expect(stdout).toMatch(
      /ok +persistence .*on the disk before it is answered\n +ok +ledger .*the secret fits; 0 runs/,
    );
  });

  it('says that a crash may lose a second with everysec', async () => {
    const team = await newTeam(undefined, ['--appendonly', 'yes', '--appendfsync', 'everysec']);
    expect((await team.newMachine().run(['doctor'])).stdout).toMatch(/warn +persistence .*may lose its last second/);
  });

  it.each([
    ['no append-only file', [], 'appendonly yes'],
    ['an eviction policy', ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'], 'noeviction'],
    ['no memory left', ['--appendonly', 'yes', '--maxmemory', '1'], 'maxmemory'],
  ])('and send-template refuse a server with %s', async (_, settings, hint) => {
    const team = await newTeam(undefined, settings);
    const machine = team.newMachine();
    expect((await machine.run(['doctor'])).stdout).toMatch(new RegExp(`fail +persistence .*\\n.*${hint}`));
    const { code, stderr } = await machine.run(send);
    expect([code, stderr, team.service.asked]).toEqual([3, expect.stringContaining(hint), []]);
  });

  it('leaves a server without persistence to sandbox keys, with a note', async () => {
    const team = await newTeam(undefined, []);
    const machine = team.newMachine();
    writePeople(machine, 3);
    const batch = ['send-batch', 'welcome', 'people.csv', '--param-column', 'name'];
    const { code, stderr } = await machine.run(batch, { BIZMSG_API_KEY: 'sk_test_0123456789abcdef' });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/forgets what was sent.*set appendonly yes/)]);
    expect(team.service.asked).toHaveLength(3);
  });

  it('reports another secret and a lost server', async () => {
    const team = await newTeam();
    await team.newMachine().run(send);
    const stranger = team.newMachine(team.url.replace(secret, otherSecret));
    expect((await stranger.run(['doctor'])).stdout).toMatch(/fail +ledger .*another secret/);
    await team.server.kill();
    const { stdout } = await team.newMachine().run(['doctor']);
    expect(stdout).toMatch(/fail +server .*cannot reach 127\.0\.0\.1.*\n +start the server, or /);
  });
});

it.skipIf(noRedis !== undefined)('team new notes what the server lacks', async () => {
  const server = await startRedis();
  const { code, stderr } = await cli(['team', 'new', `redis://127.0.0.1:${server.address.port}`], { home: newHome() });
  expect([code, stderr]).toEqual([0, expect.stringContaining('set appendonly yes')]);
  await server.stop();
});
