import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { noteInterval } from '../../src/cli/output/progress.ts';
import type { Host } from '../../src/base/host.ts';
import { type Answering, serve } from '../client/servers.ts';
import { lookupTimeout } from '../../src/session/connect.ts';
import { limitsOf, paceOf } from '../../src/session/pace.ts';
import type { BatchRate } from '../../src/session/session.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome, testKey } from '../support/fake-service.ts';
import { counted, paceDatabase, profiled } from '../support/pace.ts';
import { thrown } from '../support/thrown.ts';

const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada'];

/** Milliseconds between two looks of the ledger at its turn, which repeat while a disk is slow. */
const ledgerTurn = 10;

/** A clock whose timers fire immediately and advance it, except those that renew claims or keep the turn. */
function hastyClock(): Pick<Host, 'steady' | 'later'> {
  let time = 1_000_000;
  const later: Host['later'] = (milliseconds, run) => {
    if (milliseconds === noteInterval) return () => {};
    const due = time + (milliseconds === ledgerTurn ? 0 : milliseconds);
    const immediate = setImmediate(() => {
      time = Math.max(time, due);
      run();
    });
    return () => clearImmediate(immediate);
  };
  return { steady: () => time, later };
}

const well: Answering = (_, __, response) => response.end('{"message_id":"msg_1"}');

async function machine(plan: 'growth' | 'enterprise', rate?: number, answers: Answering[] = [], key = testKey) {
  const service = await serve((...asked) => (answers.shift() ?? well)(...asked));
  const home = await profiled(service.url, plan, rate, key);
  const clock = hastyClock();
  const state = join(home, '.local/state/bizmsg');
  const run = async (argv: readonly string[], options: Partial<CliOptions> = {}) => {
    const ran = await cli(argv, { home, ...clock, ...options });
    return { ...ran, stderr: ran.stderr.replaceAll(/^note: with a sandbox key .*\n/gm, '') };
  };
  return { service, run, clock, home, state, database: paceDatabase(home) };
}

it('makes a single request wait for those of other processes, and reports it', async () => {
  const { run, clock, service } = await machine('enterprise', 3);
  const began = clock.steady();
  const ran = [];
  for (let request = 0; request < 4; request += 1) ran.push(await run(send));
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const note = /^note: the limit of 3 requests a minute is used up on this machine; going on in \d+\.\d s\n$/;
  expect(ran.map(({ stderr }) => stderr).join('')).toMatch(note);
  expect(clock.steady() - began).toBeGreaterThanOrEqual(60_000);
  expect(service.seen).toHaveLength(4);
});

it('a live message that is refused as sent before leaves its slot to others', async () => {
  const { run, clock, service } = await machine('enterprise', 2, [], 'sk_live_7Rw1Kc5NbY6uJe0SqMvA');
  const began = clock.steady();
  const other = ['send-template', '+12025550102', 'order_update', '-p', 'Eve'];
  const codes = [];
  for (const words of [send, send, other]) codes.push((await run([...words, '--mode', 'live'])).code);
  expect([codes, service.seen.length]).toEqual([[0, 11, 0], 2]);
  expect(clock.steady() - began).toBeLessThan(60_000);
});

it.each([
  ['lists', ['templates', 'list']],
  ['one raw request', ['api', '/api/public/templates']],
  ['what creates something', ['contacts', 'create', '--set', 'phone=+12025550101']],
])('also counts %s', async (_, argv) => {
  const { run, home } = await machine('growth');
  await run(argv);
  expect(counted(home)).toBe(1);
});

it('shares the minute between a batch and single requests', async () => {
  const { run, clock, home } = await machine('enterprise', 10);
  const file = join(home, 'people.csv');
  writeFileSync(file, `phone\n${Array.from({ length: 8 }, (_, row) => `+1202555010${row}\n`).join('')}`);
  await run(send);
  await run(send);
  const began = clock.steady();
  expect((await run(['send-batch', 'order_update', file])).code).toBe(0);
  expect(clock.steady() - began).toBeGreaterThanOrEqual(59_000);
});

it('does not wait or record requests with --dry-run', async () => {
  const argv = [...send, '--dry-run'];
  const { run, clock, database } = await machine('enterprise', 1);
  const began = clock.steady();
  await run(argv);
  await run(argv);
  expect(existsSync(database)).toBe(false);
  // The timers of this clock fire immediately, and a dry run looks for the template's text.
  expect(clock.steady() - began).toBeLessThanOrEqual(2 * lookupTimeout);
});

it('sends nothing if another process has locked the database for too long', async () => {
  const { run, database, service } = await machine('growth');
  await run(send);
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('no SQLite');
  const other = new sqlite.DatabaseSync(database, { timeout: 0 });
  onTestFinished(() => other.close());
  other.exec('BEGIN EXCLUSIVE');
  const { code, stderr } = await run(send);
  expect([code, stderr]).toEqual([11, expect.stringContaining(`has locked ${database} for too long`)]);
  expect(service.seen).toHaveLength(1);
});

it('starts a damaged database again, and reports it', async () => {
  const { run, home, database } = await machine('growth');
  await run(send);
  writeFileSync(database, 'not a database'.repeat(100));
  const { code, stderr } = await run(send);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: .*pace\.db was damaged and starts again; .*\n$/)]);
  expect(counted(home)).toBe(1);
});

it.each([
  ['what it asks', { 'Retry-After': '7' }, 7_000],
  ['two minutes where it asks for more', { 'Retry-After': '3600' }, 120_000],
  ['a moment where it asks nothing', {}, 1_000],
])('makes other processes wait after a 429: %s', async (_, headers, wait) => {
  const refusing: Answering = (_asked, __, response) => response.writeHead(429, headers).end('{}');
  const { run, clock } = await machine('growth', undefined, [refusing]);
  const began = clock.steady();
  expect((await run([...send, '--retries', '0'])).code).toBe(7);
  expect((await run(send)).code).toBe(0);
  expect(clock.steady() - began).toBeGreaterThanOrEqual(wait);
  expect(clock.steady() - began).toBeLessThan(wait + 1_000);
});

/** A dry run for one person. */
async function rehearsing() {
  const [{ url }, home] = [await serve(well), newHome()];
  const file = join(home, 'people.csv');
  writeFileSync(file, 'phone\n+12025550101\n');
  return { url, home, rehearse: ['send-batch', 'welcome', file, '--dry-run'] };
}

it.each([
  ['live', [], '60 a minute', true],
  ['live', ['--rate', '5/s'], '5 a second', false],
  ['live', ['--rate', 'none'], undefined, false],
  ['test', [], undefined, false],
])('paces a batch with a %s key and %j, without a known plan: %s', async (mode, words, pace, isNoted) => {
  const { url, home, rehearse } = await rehearsing();
  const env = { BIZMSG_BASE_URL: url, BIZMSG_API_KEY: `sk_${mode}_a1b2c3d4e5f6` };
  const { stdout, stderr } = await cli([...rehearse, '-o', 'table', ...words], { home, env });
  expect(/[\d,]+ a (?:minute|second)/.exec(stdout)?.[0]).toBe(pace);
  expect(stderr.includes('this live batch sends 60 a minute')).toBe(isNoted);
});

it('asks for the rate of an enterprise plan, not for the plan', async () => {
  const { url, home, rehearse } = await rehearsing();
  const login = `login --no-check --profile acme --base-url ${url} --plan enterprise --key-stdin`;
  await cli(login.split(' '), { home, stdin: 'sk_live_a1b2c3d4e5f6' });
  await cli(['keys', 'switch-mode', 'live', '--yes'], { home });
  expect((await cli(rehearse, { home })).stderr).toContain(
    'the rate of the enterprise plan of this account is not known, so this live batch sends 60 a minute; ' +
      'bizmsg profiles set acme --rate N/m, or --rate changes that\n',
  );
  await cli(['profiles', 'set', 'acme', '--rate', '2000/m'], { home });
  expect((await cli(rehearse, { home })).stderr).not.toContain('60 a minute');
});

/** A pace. */
const a = (perWindow: number, window = 60_000) => ({ perWindow, window });

it.each<[BatchRate, number, number]>([
  [{ share: 29 }, 100, 29],
  [{ share: 0.5 }, 60, 1],
])('the pace of %o of a plan with %i a minute is %i', (rate, perMinute, perWindow) => {
  expect(paceOf(rate, { perMinute })).toEqual(a(perWindow));
});

it('refuses a share of an unknown plan, and suggests a rate', () => {
  expect(thrown(() => paceOf({ share: 50 }, { perMinute: undefined }))).toMatchObject({
    exit: 'usage',
    message: "50% refers to the plan's rate limit, and the plan has none or is not known",
    hint: expect.stringContaining('300/m'),
  });
});

it.each([
  ['no rate', undefined, 300, []],
  ['a rate without a plan', a(20, 1_000), undefined, [a(20, 1_000)]],
  ['a lower rate', a(270), 300, [a(270)]],
  ['a rate above the plan', a(500), 300, [a(300)]],
  ['a rate per second above the plan', a(20, 1_000), 300, [a(300), a(20, 1_000)]],
  ['a rate per second below the plan', a(2, 1_000), 300, [a(2, 1_000), a(300)]],
])("keeps to the plan's minute with %s", (_, pace, perMinute, limits) => {
  expect(limitsOf(pace, { perMinute })).toEqual(limits);
});
