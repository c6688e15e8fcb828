import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faster } from '../e2e/rig.ts';
import { newDatabase } from '../support/postgres.ts';
import * as rig from './rig.ts';

describe.skipIf(rig.isMissing)('the database of another team', () => {
  it('is not used instead of the one that a machine has sent with', async () => {
    const [team, other] = [await rig.newTeam(), await rig.newTeam()];
    const machine = await team.machine();
    rig.writePeople(machine, 3);
    expect((await machine.run(rig.batch(machine))).code).toBe(0);
    // Makes its tables. It has had more transactions.
    expect((await (await other.machine()).run(rig.single(1))).code).toBe(0);
    other.server.sql('UPDATE bizmsg.meta SET tick = tick + 1000', rig.databaseIn(other.url));
    const [words, options] = rig.joining(other.url);
    for (const asked of [rig.batch(machine), rig.single(1)])
      await rig.expectRefused(machine, asked, { code: 'team-other' }, { url: other.url });
    await rig.expectRefused(machine, words, { code: 'team-other' }, options);
    expect(rig.tally(team.service)).toEqual({ 1: 3 });
    expect((await machine.run(rig.batch(machine))).code).toBe(0);
  });

  it('does not keep a command that lists batches from ending', async () => {
    const [team, other] = [await rig.newTeam(), await rig.newTeam()];
    const machine = await team.machine();
    expect((await machine.run(rig.single(1))).code).toBe(0);
    expect((await (await other.machine()).run(rig.single(1))).code).toBe(0);
    const running = machine.start(['batches', 'list'], { url: other.url });
    expect(await running.ended).toBe(11);
  });
});

describe.skipIf(rig.isMissing)('a join that was cut off', () => {
  it('knows what the machine has sent alone since', async () => {
    const team = await rig.newTeam();
    const machine = await team.machine();
    rig.writePeople(machine, 4);
    expect((await machine.run(rig.batch(machine, '--first', '2'), { url: '' })).code).toBe(0);
    const state = join(machine.home, '.local', 'state', 'bizmsg');
    const copy = join(machine.home, 'copy');
    cpSync(state, copy, { recursive: true });
    const [words, options] = rig.joining(team.url);
    expect((await machine.run(words, options)).code).toBe(0);
    // It was cut off before it removed here what it had copied.
    cpSync(copy, state, { recursive: true });
    expect((await machine.run(['team', 'leave', '--yes'], { url: '' })).code).toBe(0);
    expect((await machine.run(rig.resume(), { url: '' })).code).toBe(0);
    expect((await machine.run(words, options)).code).toBe(0);
    expect((await machine.run(rig.batch(machine))).code).toBe(0);
    expect(rig.tally(team.service)).toEqual({ 1: 4 });
  });
});

describe.skipIf(rig.isMissing)('a machine that names the account differently', () => {
  it('gets a note when it joins, also if the team has sent nothing yet', async () => {
    const team = await rig.newTeam();
    const [first, second] = [await team.machine({ url: undefined }), await team.machine({ url: undefined })];
    const [words, options] = rig.joining(team.url);
    expect((await first.run(words, options)).stderr).not.toContain('other-accounts');
    const renamed = ['profiles', 'set', 'acme', '--account', 'flowers'];
    expect((await second.run(renamed, { url: '' })).code).toBe(0);
    expect((await second.run(words, options)).stderr).toMatch(/other-accounts.*not yet for flowers/);
  });
});

describe.skipIf(rig.isMissing)('without its team, a machine that has one', () => {
  it.each([
    [['batches', 'list']],
    [['history', rig.phoneOf(1)]],
    [['history', 'delete', rig.phoneOf(1), '--yes']],
    [['doctor']],
  ])('shows that %j does not look there', async (words) => {
    const team = await rig.newTeam();
    const machine = await team.machine();
    expect((await machine.run(rig.single(1))).code).toBe(0);
    const [without, within] = [await machine.run(words, { url: '' }), await machine.run(words)];
    expect(without.stdout + without.stderr).toContain('BIZMSG_TEAM');
    expect(within.stdout + within.stderr).not.toContain('BIZMSG_TEAM');
  });
});

describe.skipIf(rig.isMissing)('a join that is refused', () => {
  async function refused(url: (team: rig.Team) => string) {
    const team = await rig.newTeam();
    const machine = await team.machine({ url: undefined });
    // The minified program, which may lack a check.
    const ran = await machine.bin(...rig.joining(url(team)));
    expect((await machine.run(rig.single(1), { url: '' })).code).toBe(0);
    return ran;
  }

  const secret = 'b@d/%zz';

  it.each([
    ['a password that is not escaped', () => `postgres://bizmsg:${secret}@127.0.0.1:1/x`, 2],
    ['a broken escape', () => 'postgres://bizmsg:%zz@127.0.0.1:1/x', 2],
    ['an unknown parameter', ({ url }: rig.Team) => `${url}?unknown=1`, 3],
    ['a server without TLS', ({ url }: rig.Team) => `${url}?sslmode=verify-full`, 9],
  ])('says why: %s', async (_, url, code) => {
    const ran = await refused(url);
    expect(ran).toMatchObject({ code, stderr: expect.not.stringContaining('b@d') });
    expect(rig.errorIn(ran.stderr)).toMatchObject({ hint: expect.stringMatching(/escape|%40|TLS|sslmode/) });
  });

  it.each([
    ['its schema is of something else', 'CREATE SCHEMA bizmsg; CREATE TABLE bizmsg.batch (x int)'],
    ['its schema is not shown to this user', "CREATE SCHEMA bizmsg; COMMENT ON SCHEMA bizmsg IS '1'"],
    ['a newer bizmsg made its tables', "CREATE SCHEMA bizmsg; COMMENT ON SCHEMA bizmsg IS '99'"],
  ])('says why: %s', async (_, sql) => {
    const ran = await refused(({ server }) => {
      const url = newDatabase(server);
      server.sql(sql, rig.databaseIn(url));
      return url;
    });
    const error = { code: expect.stringMatching(/^database-/), hint: expect.not.stringContaining('STATE_DIR') };
    expect({ code: ran.code, error: rig.errorIn(ran.stderr) }).toMatchObject({ code: 3, error });
  });
});

it.skipIf(rig.isMissing)(
  'an outage of the server loses nothing: a batch waits for 2 minutes, and sends the rest later',
  async () => {
    const team = await rig.newTeam(undefined, await rig.ownPostgres());
    const [machine, { service, server }] = [await team.machine(), team];
    rig.writePeople(machine, 80);
    const running = machine.start(rig.batch(machine, '--rate', '3000/m'), { env: faster(100) });
    await Promise.race([service.until(10), running.ended]);
    await server.kill();
    expect(await running.ended).toBe(9);
    expect((await machine.run(rig.single(99), { steady: () => 100 * performance.now() })).code).toBe(9);
    await server.start();
    expect((await machine.bin(rig.batch(machine))).code).toBeOneOf([0, 10]);
    await rig.settleUnsure(machine, service);
    expect((await machine.run(rig.resume())).code).toBeOneOf([0, 11]);
    expect(rig.tally(service)).toEqual({ 1: 80 });
  },
);
