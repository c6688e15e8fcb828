import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { cleanEnv } from '../support/bin.ts';
import { blocksIn } from '../support/docs.ts';
import { installIn } from '../support/install.ts';
import { noRedis } from '../support/redis.ts';
import { envOf } from '../support/service.ts';
import { type Machine, newTeam, persistent, type Team, twice } from '../team/rig.ts';
import { writePeople } from './runs-rig.ts';

const [server = '', created = '', stored = ''] = blocksIn('docs/team.md', 'Set it up', 3);
const [used = ''] = blocksIn('docs/team.md', 'Use it', 1);
const [pods = ''] = blocksIn('docs/team.md', 'Kubernetes', 1);
const [matrix = ''] = blocksIn('docs/team.md', 'A CI matrix', 1);
const [parallel = ''] = blocksIn('docs/team.md', 'GNU parallel', 1);
const [cron = ''] = blocksIn('docs/team.md', 'Two cron hosts', 1);

const rows = 40;
const noParallel = spawnSync('parallel', ['--version']).error ? 'GNU parallel is not installed' : undefined;

/** Runs a line of the page on a machine, as a person or a scheduler there would. */
function shell({ home }: Machine, line: string, env: Readonly<Record<string, string>> = {}) {
  const installed = { PATH: installIn(home), SHELL: '/bin/sh' };
  return execa('sh', ['-c', line], {
    cwd: home,
    env: { ...cleanEnv(home, env), ...installed },
    extendEnv: false,
    reject: false,
  });
}

/** Machines with the file and the profile of the page, in which the team is stored as the page says. */
async function machinesOf(team: Team, count: number): Promise<readonly Machine[]> {
  const machines = Array.from({ length: count }, () => team.newMachine(''));
  const { BIZMSG_API_KEY: key = '', BIZMSG_BASE_URL: url = '' } = envOf(team.service);
  const [first] = machines;
  if (!first) return [];
  await shell(first, created.replace('10.0.0.5:6379', `127.0.0.1:${team.server.address.port}`));
  const url0 = readFileSync(join(first.home, 'team.txt'), 'utf8');
  for (const machine of machines) {
    writePeople(machine, rows);
    writeFileSync(join(machine.home, 'team.txt'), url0);
    const add = `echo ${key} | bizmsg profiles add acme --base-url ${url} --key-stdin`;
    const live = 'bizmsg keys switch-mode live --profile acme --yes';
    const [store = '', doctor = ''] = stored.trim().split('\n');
    for (const line of [add, live, store]) expect(await shell(machine, line)).toMatchObject({ exitCode: 0 });
    // The service of the test has no lists to check.
    expect((await shell(machine, doctor)).stdout).toMatch(/ok +ledger .*the secret fits/);
  }
  return machines;
}

describe.skipIf(noRedis !== undefined)('the page about teams', () => {
  it('starts a server as it must be', async () => {
    const [, ...settings] = server.trim().split(' ');
    expect(settings).toEqual([...persistent]);
  });

  it('stores the team in the profile, and sends each row by one machine', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const machines = await machinesOf(team, 2);
    const ran = await Promise.all(machines.map((machine) => shell(machine, `${used.trim()} --no-pace`)));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect([team.service.asked.length, twice(team.service)]).toEqual([rows, []]);
  });

  it('sends each row once by four pods', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const lists = Array.from(pods.matchAll(/(?:command|args): \[(.*)\]/g), ([, list = '']) => list.split(', '));
    const words = lists.flat().map((word) => word.replaceAll('"', ''));
    expect(pods).toMatch(/parallelism: 4\n +completions: 4/);
    const machines = Array.from({ length: 4 }, () => team.newMachine());
    const ran = await Promise.all(
      machines.map((machine) => {
        const people = writePeople(machine, rows);
        const line = [...words, '--no-pace'].map((word) => (word === '/data/people.csv' ? people : word)).join(' ');
        return shell(machine, line, { ...envOf(team.service), BIZMSG_TEAM: team.url });
      }),
    );
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect([team.service.asked.length, twice(team.service)]).toEqual([rows, []]);
  });

  it('sends each row once by the jobs of a matrix', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const [, line = ''] = /- run: npx (.*)/.exec(matrix) ?? [];
    const names = Array.from(matrix.matchAll(/^ +(BIZMSG_\w+):/gm), ([, name = '']) => name);
    const all: Record<string, string> = { ...envOf(team.service), BIZMSG_TEAM: team.url };
    const env = Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
    const ran = await Promise.all(
      [1, 2, 3, 4].map(() => {
        const machine = team.newMachine('');
        writePeople(machine, rows);
        return shell(machine, `${line} --no-pace`, env);
      }),
    );
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect([team.service.asked.length, twice(team.service)]).toEqual([rows, []]);
  });

  it.skipIf(noParallel !== undefined)('sends each row once with GNU parallel', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const [alpha, beta] = await machinesOf(team, 2);
    if (!alpha || !beta) throw new Error('there are two machines');
    const operator = team.newMachine('');
    // Runs the command in the home of that machine, instead of on another host.
    const ssh = join(operator.home, 'ssh');
    const homes = `case $host in alpha) HOME=${alpha.home};; beta) HOME=${beta.home};; esac`;
    writeFileSync(
      ssh,
      `#!/bin/sh\nwhile [ "$1" != alpha ] && [ "$1" != beta ]; do shift; done\nhost=$1; shift\n[ "$1" = -- ] && shift\n${homes}\nexport HOME\ncd\nexec sh -c "$*"\n`,
    );
    chmodSync(ssh, 0o755);
    const line = parallel.trim().replace("--profile acme'", "--profile acme --no-pace'");
    const { exitCode, stderr } = await shell(operator, line, { PARALLEL_SSH: ssh });
    expect([exitCode, team.service.asked.length, exitCode === 0 ? '' : stderr]).toEqual([0, rows, '']);
    expect(twice(team.service)).toEqual([]);
  });

  it('sends each row once by two cron hosts', async () => {
    const team = await newTeam(() => ({ reply: 200, after: 5 }));
    const machines = await machinesOf(team, 2);
    // cron passes \% as a percent sign.
    const line = cron.trim().split(' ').slice(5).join(' ').replaceAll('\\%', '%');
    const ran = await Promise.all(machines.map((machine) => shell(machine, `${line} --no-pace`)));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect([team.service.asked.length, twice(team.service)]).toEqual([rows, []]);
  });
});
