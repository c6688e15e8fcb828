import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { batch, phoneOf, repeated, summaryIn, writePeople } from '../e2e/runs-rig.ts';
import { messageRow } from '../../src/ledger/identity.ts';
import { isRecord } from '../../src/contract/readers.ts';
import { errorIn } from '../support/json-lines.ts';
import { bin } from '../support/bin.ts';
import { freePort, sharedPostgres } from '../support/postgres.ts';
import { teamSecret } from '../support/team.ts';
import { type Machine, missingPostgres, newTeam, type Team } from './rig.ts';

const single = ['send-template', phoneOf(1), 'welcome', '-p', 'Adalovelace', '--yes', '-o', 'json'];

/** All rows of all tables. */
function everything(team: Team): string {
  return team.server.dump(new URL(team.url).pathname.slice(1));
}

function listed(text: string): readonly Readonly<Record<string, unknown>>[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

async function asked(machine: Machine, ...words: readonly string[]) {
  const { code, stdout, stderr } = await machine.bin([...words, '-o', 'json']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return listed(stdout);
}

describe.skipIf(missingPostgres !== undefined)('the server of a team', () => {
  it('holds no phone, name, param, key, path, command line or words of the service', async () => {
    const team = await newTeam(({ phone }) => ({
      reply: phone === phoneOf(3) ? 422 : phone === phoneOf(4) ? 'reset' : 200,
    }));
    const machine = team.machine();
    const file = writePeople(machine, 5);
    writeFileSync(
      file,
      `phone,name\n${phoneOf(2)},Zuse\nnonsense,Hopper\n${phoneOf(3)},Turing\n${phoneOf(4)},Noether\n`,
    );
    await machine.bin(batch(file, '--job', 'welcome'));
    await machine.bin(single);
    const text = everything(team);
    expect(text).toContain('people.csv');
    for (const secret of [/\+?1202\d{4}/, /Zuse|Hopper|Turing|Noether|Adalovelace/, /sk_live/, /nonsense/, /--job/])
      expect(text).not.toMatch(secret);
    expect(text).not.toContain(machine.home);
    expect(text).not.toContain('status 422');
    expect(text).not.toContain(teamSecret);
  });

  it('does not reveal whether a number was messaged without the secret of the line', async () => {
    const team = await newTeam();
    await team.machine().bin(single);
    const message = { template: 'welcome', to: phoneOf(1), params: ['Adalovelace'] };
    const who = (secret: string) => Buffer.from(messageRow(secret, message).subarray(0, 12)).toString('hex');
    expect(everything(team)).toContain(who(teamSecret));
    const [check = ''] = team.sql('SELECT secret_check FROM ledger').split('\n');
    for (const guess of ['', check, '00'.repeat(32)]) expect(everything(team)).not.toContain(who(guess));
  });

  it('has the runs of all machines, which each of them can list, show, resolve, close and forget', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone === phoneOf(2) ? 'reset' : 200 }));
    const [one, other] = [team.machine(), team.machine()];
    expect((await one.bin(batch(writePeople(one, 3), '--job', 'welcome'))).code).toBe(10);
    const [run] = await asked(other, 'runs', 'list');
    expect(run).toMatchObject({ job: 'welcome', sent: 2, unsure: 1, file: 'people.csv' });
    const id = String(run?.['id']);
    expect(await asked(other, 'runs', 'show', 'welcome')).toMatchObject([
      { line: 2, outcome: 'sent', id: 'msg_1' },
      { line: 3, outcome: 'unsure', reason: 'connection-lost' },
      { line: 4, outcome: 'sent' },
    ]);
    expect((await other.bin(['runs', 'resolve', id, '--sent'])).code).toBe(0);
    expect(await asked(one, 'runs', 'list')).toMatchObject([{ sent: 3, unsure: 0 }]);
    expect((await other.bin(['runs', 'forget', id, '--yes'])).code).toBe(0);
    expect(await asked(one, 'runs', 'list')).toEqual([]);
  });

  it('is described by team status and doctor', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const team = await newTeam(({ phone }) => ({ reply: 200, ...(phone !== phoneOf(1) && { until: held }) }));
    const machine = team.machine();
    const running = machine.start(batch(writePeople(machine, 10), '--job', 'welcome'));
    await team.service.until(10);
    const status = await team.machine().bin(['team', 'status']);
    expect(status.stdout).toContain(`${machine.name} (1 at work, 9 rows in flight)`);
    release();
    await running.ended;
    const { stdout } = await machine.bin(['doctor', '-o', 'tsv', '--columns', 'name,status']);
    expect(stdout).toMatch(/^team\tpass$/m);
  });

  it('without fsync gets no live messages', async () => {
    const team = await newTeam(undefined, await sharedPostgres());
    const { code, stderr } = await team.machine().bin(single);
    expect([code, errorIn(stderr)]).toMatchObject([3, { code: 'team-unsafe' }]);
    expect(team.service.asked).toEqual([]);
  });

  it('is shared by two profiles of one machine', async () => {
    const team = await newTeam();
    const { home, env } = team.machine();
    const { BIZMSG_API_KEY: key = '', BIZMSG_BASE_URL: url = '' } = env;
    const run = async (words: readonly string[], input = '') => bin(words, { home, input });
    for (const name of ['acme', 'berta']) {
      const login = ['login', '--no-check', '--yes', '--profile', name, '--base-url', url, '--account', 'shop'];
      await run([...login, '--key-stdin'], key);
      const { code, stdout, stderr } = await run(['profiles', 'set', name, '--team-stdin'], team.line);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toContain(teamSecret);
    }
    expect((await run([...single, '--profile', 'acme'])).code).toBe(0);
    const again = [...single, '--profile', 'berta'];
    expect(await run(again)).toMatchObject({ code: 11, stderr: expect.stringContaining('the same message was sent') });
    expect((await run([...again, '--no-team'])).code).toBe(0);
    expect(team.service.asked).toHaveLength(2);
  });
});

const bouncer = '/usr/sbin/pgbouncer';

it.skipIf(missingPostgres !== undefined || !existsSync(bouncer))(
  'a team works through PgBouncer in transaction mode',
  async () => {
    const team = await newTeam();
    const folder = mkdtempSync(join(tmpdir(), 'bizmsg-bouncer-'));
    chmodSync(folder, 0o777);
    const port = await freePort();
    writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n');
    writeFileSync(
      join(folder, 'bouncer.ini'),
      `[databases]\n* = host=127.0.0.1 port=${team.server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
auth_type = any\nauth_file = ${folder}/users.txt\npool_mode = transaction\ndefault_pool_size = 2\nunix_socket_dir =\n`.replace(
        '* = host',
        `* = user=postgres host`,
      ),
    );
    const child = spawn(
      'setpriv',
      ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', bouncer, join(folder, 'bouncer.ini')],
      {
        stdio: 'ignore',
      },
    );
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    await sleep(500);
    const line = team.line.replace(`:${team.server.port}/`, `:${port}/`);
    const machines = [team.machine({ line }), team.machine({ line }), team.machine({ line })];
    const ended = await Promise.all(
      machines.map((machine) => machine.bin(batch(writePeople(machine, 200), '--job', 'welcome'))),
    );
    expect(ended.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '', '']);
    expect([team.service.asked.length, repeated(team.service)]).toEqual([200, []]);
    expect(ended.reduce((sum, { stdout }) => sum + Number(summaryIn(stdout)['sent']), 0)).toBe(200);
  },
);
