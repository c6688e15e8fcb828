import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { batch, killed, repeated, summaryIn, untilAsked, writePeople } from '../e2e/runs-rig.ts';
import type { Running } from '../support/bin.ts';
import { errorIn } from '../support/json-lines.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { type TcpProxy, openProxy } from '../support/tcp-proxy.ts';
import { type Machine, missingPostgres, newTeam, ownPostgres, silence, type Team } from './rig.ts';

const rows = 300;

function job(machine: Machine, ...more: readonly string[]): readonly string[] {
  return batch(writePeople(machine, rows), '--job', 'welcome', '--concurrency', '4', ...more);
}

/** Answers after a while, so that something can happen meanwhile. */
const slowly = () => ({ reply: 200, after: 10 }) as const;

/** A team whose machine reaches the server through a proxy. */
async function behindProxy(): Promise<{ team: Team; proxy: TcpProxy; machine: Machine }> {
  const team = await newTeam(slowly);
  const proxy = await openProxy(team.server.port);
  const line = team.line.replace(`:${team.server.port}/`, `:${proxy.port}/`);
  return { team, proxy, machine: team.machine({ line }) };
}

/** The end of a run, and how many people got a message, some of them twice. */
async function allSent({ service }: Team, running: Running) {
  const code = await running.ended;
  return { code, people: new Set(service.asked.map(({ phone }) => phone)).size, twice: repeated(service) };
}

const all = { code: 0, people: rows, twice: [] };

describe.skipIf(missingPostgres !== undefined)('with a team', () => {
  it('the rows in flight of a killed process become unsure after 90 seconds, and others send the rest', async () => {
    const team = await newTeam(({ before }) =>
      team.service.asked.length < 40 || before > 0 ? slowly() : { reply: 200 },
    );
    const [one, other] = [team.machine(), team.machine()];
    const running = one.start(job(one));
    await untilAsked(team, 40, running);
    await killed(running);
    silence(team, one);
    const ended = await other.bin(job(other));
    const { sent, unsure, skipped } = summaryIn(ended.stdout);
    expect(ended.code).toBe(10);
    expect(repeated(team.service)).toEqual([]);
    const held = Number(unsure) + Number(Object(skipped).unsure);
    expect(held).toBeLessThanOrEqual(4);
    expect(Number(sent) + held + Number(Object(skipped).this_run)).toBe(rows);
  });

  it('a process that joined sends what one that died has left', async () => {
    const team = await newTeam(slowly);
    const [one, other] = [team.machine(), team.machine()];
    const first = one.start(job(one));
    await untilAsked(team, 20, first);
    const second = other.start(job(other));
    await expect.poll(() => second.stderr(), { timeout: 20_000 }).toContain('another process is working on run');
    await killed(first);
    silence(team, one);
    expect([0, 10]).toContain(await second.ended);
    const [done = 0, unsure = 0] = team.sql('SELECT done, unsure FROM run').split('|').map(Number);
    expect([done + unsure, unsure <= 4, repeated(team.service)]).toEqual([rows, true, []]);
  });

  it('a process that was stopped for long claims again, and its late outcomes count', async () => {
    const team = await newTeam(slowly);
    const [one, other] = [team.machine(), team.machine()];
    const running = one.start(job(one));
    await untilAsked(team, 40, running);
    process.kill(running.pid, 'SIGSTOP');
    await sleep(300);
    silence(team, one);
    expect((await other.bin(job(other))).code).toBe(10);
    process.kill(running.pid, 'SIGCONT');
    expect([0, 10]).toContain(await running.ended);
    expect(repeated(team.service)).toEqual([]);
    expect(team.sql('SELECT done, unsure, leaving FROM run')).toBe(`${rows}|0|0`);
  });

  it('nothing is sent while the server does not answer, and the run goes on afterwards', async () => {
    const { team, proxy, machine } = await behindProxy();
    const running = machine.start(job(machine));
    await untilAsked(team, 40, running);
    proxy.mode = 'refuse';
    await sleep(500);
    const before = team.service.asked.length;
    await expect.poll(running.stderr).toContain('waiting for it');
    expect(team.service.asked.length).toBe(before);
    proxy.mode = 'pass';
    expect(await allSent(team, running)).toEqual(all);
  });

  it('a live send asks the server few times, since each time takes a round trip', async () => {
    const { proxy, machine } = await behindProxy();
    const send = (phone: string) => machine.bin(['send-template', phone, 'welcome', '-p', 'Ada', '--yes', '-o', 'id']);
    expect((await send('+12025550001')).code).toBe(0);
    const before = proxy.queries;
    expect((await send('+12025550002')).code).toBe(0);
    // Connecting, one read, claiming, settling, and sometimes removing what is old.
    expect(proxy.queries - before).toBeLessThanOrEqual(11);
  });

  it('a lost answer to COMMIT changes nothing', async () => {
    const { team, proxy, machine } = await behindProxy();
    const running = machine.start(job(machine));
    for (const count of [0, 20, 60, 100, 140]) {
      await untilAsked(team, count, running);
      await new Promise<void>((resolve) => {
        proxy.onCommit = resolve;
        proxy.mode = 'lose';
      });
    }
    expect(await allSent(team, running)).toEqual(all);
    expect(team.sql('SELECT planned, leaving, done, unsure FROM run')).toBe(`0|0|${rows}|0`);
  });

  it('a process that stops between the lock and COMMIT delays others by 10 seconds at most', async () => {
    const { team, proxy, machine } = await behindProxy();
    const running = machine.start(job(machine));
    await untilAsked(team, 20, running);
    await new Promise<void>((resolve) => {
      proxy.onCommit = resolve;
      proxy.mode = 'hold';
    });
    process.kill(running.pid, 'SIGSTOP');
    const other = team.machine();
    const single = await other.bin(['send-template', '+12025559999', 'welcome', '-p', 'Ada', '--yes', '-o', 'json']);
    expect(single).toMatchObject({ code: 0 });
    process.kill(running.pid, 'SIGCONT');
    expect([await running.ended, running.stderr()]).toEqual([0, expect.anything()]);
    expect(repeated(team.service)).toEqual([]);
  });

  it('a terminated session, a killed server and a restart lose and repeat nothing', { timeout: 120_000 }, async () => {
    const server = await ownPostgres();
    const team = await newTeam(slowly, server);
    const machine = team.machine();
    const running = machine.start(job(machine));
    for (const count of [20, 40, 60]) {
      await untilAsked(team, count, running);
      team.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bizmsg'`);
    }
    await untilAsked(team, 90, running);
    await server.kill();
    await server.start();
    await untilAsked(team, 150, running);
    await server.stop();
    await server.start();
    expect(await allSent(team, running)).toEqual(all);
  });

  it('a read-only server is waited for', async () => {
    const team = await newTeam(slowly);
    const machine = team.machine();
    const running = machine.start(job(machine));
    await untilAsked(team, 40, running);
    const name = nameOf(team);
    team.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const ending = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bizmsg' AND datname = '${name}'`;
    team.sql(ending);
    await expect.poll(() => running.stderr()).toContain('waiting for it');
    team.server.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    team.server.sql(ending);
    expect(await allSent(team, running)).toEqual(all);
  });

  it('a restored dump stops the machines that sent since, until the loss is accepted', async () => {
    const team = await newTeam();
    const machine = team.machine();
    expect((await machine.bin([...job(machine), '--first', '100'])).code).toBe(0);
    const backup = team.server.dump(nameOf(team));
    expect((await machine.bin(job(machine))).code).toBe(0);
    team.server.restore(nameOf(team), backup);
    const refused = await machine.bin(job(machine));
    expect([refused.code, errorIn(refused.stderr)]).toMatchObject([11, { code: 'ledger-older' }]);
    expect(team.service.asked).toHaveLength(rows);
    expect((await machine.bin([...job(machine), '--accept-loss', '--first', '101'])).code).toBe(0);
    expect(team.service.asked).toHaveLength(rows + 1);
  });

  it('tables of a newer version are refused', async () => {
    const team = await newTeam();
    team.sql('UPDATE ledger SET version = 2');
    const machine = team.machine();
    const { code, stderr } = await machine.bin(job(machine));
    expect([code, errorIn(stderr)]).toMatchObject([3, { code: 'team-newer' }]);
  });

  it('two machines that create a job within 10 milliseconds share it', { timeout: 120_000 }, async () => {
    const team = await newTeam();
    const [one, other] = [team.machine(), team.machine()];
    for (let round = 0; round < 5; round++) {
      const ended = await Promise.all(
        [one, other].map((each) => each.bin(batch(writePeople(each, 10), '--again', '--job', `j${round}`))),
      );
      expect(ended.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '']);
    }
    expect(team.service.asked).toHaveLength(50);
    expect(team.sql('SELECT count(*) FROM run')).toBe('5');
  });

  it('an open transaction of another program stops nothing', async () => {
    const team = await newTeam();
    const open = team.server.session(nameOf(team), 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
    const machine = team.machine();
    expect((await machine.bin(job(machine))).code).toBe(0);
    open.kill();
    await once(open, 'exit');
    // A version of the row for each transaction of the run, since none can be removed meanwhile.
    expect(Number(team.sql(`SELECT pg_relation_size('ledger')`))).toBeLessThan(100_000);
  });

  it.skipIf(!canMount())('a full disk is waited for', { timeout: 120_000 }, async () => {
    const server = await ownPostgres();
    const disk = `${server.folder}/disk`;
    mkdirSync(disk);
    mount(disk, 'size=40m');
    onTestFinished(() => asRoot('umount', '-l', disk));
    chownSync(disk, statSync(server.folder).uid, statSync(server.folder).gid);
    const team = await newTeam(slowly, server);
    const name = nameOf(team);
    server.sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
    server.sql(`ALTER DATABASE ${name} SET TABLESPACE small`);
    // Each change of a row takes room, since no version of it can be removed.
    const open = server.session(name, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
    onTestFinished(() => void open.kill());
    const machine = team.machine();
    const running = machine.start(job(machine));
    await untilAsked(team, 40, running);
    execFileSync('sh', ['-c', `cat /dev/zero > ${disk}/filler 2>/dev/null || true`]);
    await expect.poll(() => running.stderr()).toContain('its disk is full');
    rmSync(`${disk}/filler`);
    expect(await allSent(team, running)).toEqual(all);
  });
});

function nameOf({ url }: Team): string {
  return new URL(url).pathname.slice(1);
}
