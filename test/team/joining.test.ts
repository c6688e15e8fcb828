import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Ran } from '../support/cli.ts';
import { deadPort } from '../client/servers.ts';
import { commit, openProxy } from '../support/tcp-proxy.ts';
import * as rig from './rig.ts';
import type { Machine, Team } from './rig.ts';

// Servers are started, killed and copied.
vi.setConfig({ testTimeout: 300_000 });

/** Rows of the batch: three are sent or unsure, and the last ones wait. */
const rows = 6;
const unsure = { row: 2, single: 51 } as const;
const optedOut = 5;
const alone = { url: '' } as const;
/** 2 minutes take a second. */
const fast = { steady: () => 100 * performance.now() };

/** A team, and a machine that worked without it. */
async function begun(): Promise<{ readonly team: Team; readonly machine: Machine }> {
  const uncertain = new Set([unsure.row, unsure.single].map(rig.phoneOf));
  const team = await rig.newTeam(({ phone }) => ({ reply: uncertain.has(phone) ? 500 : 200 }));
  const machine = await team.machine();
  rig.writePeople(machine, rows);
  expect((await machine.run(['opt-outs', 'add', rig.phoneOf(optedOut)], alone)).code).toBe(0);
  expect((await machine.run(rig.batch(machine, '--first', '3'), alone)).code).toBe(10);
  expect((await machine.run(rig.single(50), alone)).code).toBe(0);
  expect((await machine.run(rig.single(unsure.single), alone)).code).toBe(13);
  return { team, machine };
}

function joined({ team, machine }: { readonly team: Team; readonly machine: Machine }): Promise<Ran> {
  return machine.run(...rig.joining(team.url));
}

/** Expects that it knows everything that the machine did, and sends only what waits. */
async function expectComplete({ service }: Team, machine: Machine, name = 'autumn') {
  const ran = await machine.run(rig.batch(machine, '--batch', name));
  const counts = { rows, sent: 4, unsure: 1, not_sent: 1, waiting: 0 };
  expect({ ...ran, ...rig.summaryIn(ran.stdout) }).toMatchObject({ code: 10, batch: name, ...counts });
  expect(await machine.list(['batches', 'report', name, '--outcome', 'unsure'])).toMatchObject([
    { phone: rig.phoneOf(unsure.row) },
  ]);
  expect(await machine.list(['opt-outs', 'list'])).toMatchObject([{ phone: rig.phoneOf(optedOut) }]);
  for (const row of [50, 1, 4]) await rig.expectRefused(machine, rig.single(row), { code: 'sent-before' });
  await rig.expectRefused(machine, rig.single(unsure.single), { code: 'sent-unsure' });
  await rig.expectRefused(machine, rig.single(optedOut), { code: 'opted-out' });
  expect(rig.tally(service)).toEqual({ 1: rows + 1 });
}

describe.skipIf(rig.isMissing)('a machine that worked alone', () => {
  it('must join before it uses the database of a team', async () => {
    const place = await begun();
    const { machine, team } = place;
    const before = team.service.asked.length;
    for (const words of [rig.batch(machine), rig.batch(machine, '--batch', 'other'), rig.resume(), rig.single(4)])
      await rig.expectRefused(machine, words, { hint: expect.stringContaining('team join') });
    expect(team.service.asked.length).toBe(before);
    expect(await joined(place)).toMatchObject({ code: 0 });
    await expectComplete(team, machine);
  });

  it('has its batches in the team once, even if it joined twice, and other machines have them, too', async () => {
    const place = await begun();
    for (const _ of [1, 2]) expect(await joined(place)).toMatchObject({ code: 0 });
    const other = await place.team.machine();
    rig.writePeople(other, rows);
    await expectComplete(place.team, other);
    const batches = await other.list(['batches', 'list']);
    expect([batches.length, batches]).toEqual([1, await place.machine.list(['batches', 'list'])]);
  });

  it('refuses to join while a process works on a batch', async () => {
    const team = await rig.newTeam(() => ({ reply: 'hang' }));
    const machine = await team.machine();
    rig.writePeople(machine, rows);
    const running = machine.start(rig.batch(machine), alone);
    await Promise.race([team.service.until(1), running.ended]);
    const [words, options] = rig.joining(team.url);
    await rig.expectRefused(machine, words, { code: 'batch-working' }, options);
    await rig.kill(team.service, running);
    expect((await machine.run(words, options)).code).toBe(0);
    expect(await machine.list(['batches', 'report', 'autumn', '--outcome', 'unsure'])).not.toEqual([]);
  });

  it('keeps its batch beside one of the team that has the same name, and the later of two opt-outs', async () => {
    const [first, second] = [await begun(), await begun()];
    expect(await joined(first)).toMatchObject({ code: 0 });
    const later = await second.machine.run(['opt-outs', 'list', '-o', 'json'], alone);
    const [words, options] = rig.joining(first.team.url);
    expect(await second.machine.run(words, options)).toMatchObject({ code: 0 });
    const names = (await first.machine.list(['batches', 'list'])).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['autumn', 'autumn-2']));
    expect(await first.machine.list(['opt-outs', 'list'])).toEqual(JSON.parse(later.stdout));
  });
});

describe.skipIf(rig.isMissing)('team join that is cut off', () => {
  it.each([
    ...[1, 2, 3, 4, 5, 6, 7].map((at) => ({ at, instead: 'request' }) as const),
    { at: 7, instead: 'answer' } as const,
  ])('loses and doubles nothing, at the $instead of COMMIT $at', async ({ at, instead }) => {
    const { team, machine } = await begun();
    // Makes the tables.
    await (await team.machine()).run(['batches', 'list']);
    const proxy = await openProxy(team.server.port);
    const [words] = rig.joining('');
    const url = team.url.replace(String(team.server.port), String(proxy.port));
    proxy.cut = { at: commit, nth: at, instead };
    const running = machine.start(words, { stdin: url, url: '' });
    proxy.onCut = () => process.kill(running.pid, 'SIGKILL');
    expect(await running.ended).toBe(null);
    // It may go on alone before it joins again.
    expect((await machine.run(rig.batch(machine, '--first', '4'), alone)).code).toBeOneOf([10, 11]);
    expect(await joined({ team, machine })).toMatchObject({ code: 0 });
    await expectComplete(team, machine);
  });
});

describe.skipIf(rig.isMissing)('a machine of a team', () => {
  it('does not send without it, until it leaves', async () => {
    const team = await rig.newTeam();
    const machine = await team.machine();
    rig.writePeople(machine, rows);
    expect((await machine.run(rig.batch(machine, '--first', '3'))).code).toBe(0);
    for (const words of [rig.batch(machine), rig.batch(machine, '--batch', 'other'), rig.resume(), rig.single(9)])
      await rig.expectRefused(machine, words, { hint: expect.stringMatching(/team leave/) }, alone);
    expect(rig.tally(team.service)).toEqual({ 1: 3 });
    expect((await machine.run(['team', 'leave', '--yes'], alone)).code).toBe(0);
    expect((await machine.run(rig.single(9), alone)).code).toBe(0);
  });

  it('refuses a clock that differs from the one of the server by more than 30 seconds', async () => {
    const team = await rig.newTeam();
    const machine = await team.machine();
    for (const ahead of [-40_000, 40_000])
      expect(await machine.run(rig.single(1), { now: () => Date.now() + ahead })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('clock-wrong'),
      });
    expect((await machine.run(rig.single(1), { now: () => Date.now() + 15_000 })).code).toBe(0);
  });

  it('shows which process works', async () => {
    const team = await rig.newTeam(() => ({ reply: 'hang' }));
    const [machine, other] = [await team.machine({ boot: 'aaaaaaaa-aaaa' }), await team.machine()];
    rig.writePeople(machine, rows);
    const running = machine.start(rig.batch(machine));
    await Promise.race([team.service.until(1), running.ended]);
    const { stdout } = await other.run(['team', 'status']);
    expect(stdout).toContain(`process ${running.pid} on `);
    expect(execFileSync('ps', ['axo', 'args'], { encoding: 'utf8' })).not.toContain(rig.password);
    await rig.kill(team.service, running);
    // 90 s later, another machine goes on with what waits.
    const rest = rig.resume('--exclude-from', join(machine.home, 'people.csv'));
    expect(await other.run(rest, fast)).toMatchObject({ code: 10 });
    expect(team.service.asked.length).toBeLessThan(rows);
  });

  it('shows the team without its password', async () => {
    const team = await rig.newTeam();
    const machine = await team.machine({ url: undefined });
    const show = async (words: readonly string[], options = {}) => {
      const { code, stdout, stderr } = await machine.run(words, options);
      expect(stdout + stderr).not.toContain(rig.password);
      return { code, stdout };
    };
    const [words, options] = rig.joining(team.url);
    await show([...words, '--debug'], options);
    const address = `127.0.0.1:${team.server.port}`;
    expect((await show(['team', 'status'])).stdout).toContain(address);
    expect((await show(['whoami'])).stdout).toContain(`Team     ${address}`);
    for (const line of ['team status -o csv', 'profiles list -o json', 'whoami -o json', 'doctor -o json'])
      await show(line.split(' '));
    await show(rig.single(1, '--debug'));
    const wrong = [
      rig.urlOf(await deadPort(), 'x'),
      `${team.url}-missing`,
      `${rig.password}://${rig.password}@x:y`,
      rig.password,
    ];
    for (const url of wrong) {
      const [words, options] = rig.joining(url);
      expect(await show(words, { ...options, ...fast })).not.toMatchObject({ code: 0 });
    }
  });

  it('keeps its URL readable by its user only', async () => {
    const team = await rig.newTeam();
    const machine = await team.machine({ url: undefined });
    expect((await machine.run(...rig.joining(team.url))).code).toBe(0);
    const files = readdirSync(machine.home, { recursive: true, encoding: 'utf8' })
      .map((name) => join(machine.home, name))
      .filter((path) => statSync(path).isFile());
    const holding = files.filter((path) => readFileSync(path).includes(rig.password));
    expect(holding.length).toBeGreaterThan(0);
    expect(holding.filter((path) => (statSync(path).mode & 0o77) !== 0)).toEqual([]);
  });
});
