import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRows } from '../../src/cli/output/rows.ts';
import { authorityFile, deadPort, serve } from '../client/servers.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { callerOf, newHome, openHostile, testKey } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { newWorld } from '../support/world.ts';
import { storeAcme } from './profile-store.ts';

/** Runs doctor and parses its JSON report. */
async function examined(options: CliOptions, ...argv: readonly string[]) {
  const { code, stdout } = await cli(['doctor', '-o', 'json', ...argv], options);
  const rows: unknown = JSON.parse(stdout);
  if (!isRows(rows)) throw new Error(`not a list: ${stdout}`);
  const checks = Object.fromEntries(rows.map((row) => [String(row['name']), row]));
  const wrong = rows.filter(({ name, status }) => name !== 'node' && (status === 'fail' || status === 'warn'));
  return { code, checks, wrong: wrong.map(({ name }) => name) };
}

describe('doctor', () => {
  it('makes one GET, and no other call', async () => {
    const world = await newWorld();
    const { code, wrong, checks } = await examined(world);
    expect([code, wrong]).toEqual([0, []]);
    expect(Object.keys(checks)).toEqual(['node', 'state', 'profile', 'service', 'clock']);
    const audits = world.sandbox.keys.list().flatMap(({ id }) => world.sandbox.audit(id));
    expect(audits.map(({ method, target }) => `${method} ${target}`)).toEqual(['GET /api/public/templates']);
  });

  it('exits with the code of the first failure', async () => {
    const home = newHome();
    storeAcme(home, { baseUrl: `https://127.0.0.1:${await deadPort()}`, key: testKey });
    mkdirSync(join(home, '.local/state/bizmsg/ledger.db'), { recursive: true });
    const { code, wrong } = await examined({ home });
    expect([code, wrong]).toEqual([3, ['state', 'service']]);
  });
});

it('suggests a login if no profile is in use', async () => {
  const { code, checks } = await examined({ home: newHome() });
  expect(code).toBe(3);
  const remedy: unknown = expect.stringMatching(/bizmsg login.*--profile local/);
  expect(checks['profile']).toMatchObject({ status: 'fail', remedy });
  expect(checks['service']).toMatchObject({ status: 'skip' });
});

describe('the check of the sandbox of this machine', () => {
  it('starts none, and shows how to', async () => {
    const { code, checks } = await examined({ home: newHome() }, '--profile', 'local');
    expect(code).toBe(0);
    expect(checks['profile']).toMatchObject({ status: 'pass', message: 'local, named by --profile' });
    expect(checks['service']).toMatchObject({ status: 'skip', remedy: 'bizmsg sandbox start --background' });
  });

  it('calls a running one', async () => {
    const home = newHome();
    await serveLocal(home);
    const { code, checks } = await examined({ home }, '--profile', 'local');
    expect(code).toBe(0);
    expect(checks['profile']).toMatchObject({ message: expect.stringContaining(' for http://127.0.0.1:') });
    expect(checks['service']).toMatchObject({ status: 'pass' });
  });
});

describe('the check of the service, if that responds with', () => {
  it.each([
    [401, 4, 'fail', 'create keys in the account settings'],
    [403, 0, 'warn', 'its scope and the plan'],
    [404, 5, 'fail', 'does the base URL belong to the API?'],
    [429, 0, 'warn', 'wait a minute'],
    [500, 8, 'fail', 'contact the support'],
  ])('%i', async (answer, exit, status, remedy) => {
    const { home, env, seen } = await openHostile((_, __, response) => {
      response.writeHead(answer, { 'Retry-After': '60' }).end('{}');
    });
    const { code, checks } = await examined({ home, env });
    expect(checks['service']).toMatchObject({ status, remedy: expect.stringContaining(remedy) });
    expect([code, seen.length]).toEqual([exit, 1]);
  });

  it('nothing, waits for --timeout and does not retry', async () => {
    const { home, env, seen } = await openHostile(() => {});
    const { code, checks } = await examined({ home, env }, '--timeout', '300ms');
    expect(checks['service']).toMatchObject({ status: 'fail', message: expect.stringContaining('within 0.3 s') });
    expect([code, seen.length]).toEqual([9, 1]);
  });

  it('nothing, stops on Ctrl-C', async () => {
    const leaving = new AbortController();
    const { home, env } = await openHostile(() => leaving.abort('SIGINT'));
    const { code, stdout } = await cli(['doctor'], { home, env, signal: leaving.signal });
    expect([code, stdout]).toEqual([130, '']);
  });

  it.each([
    [-3_600, 0, 'warn', 'ahead of that of the service'],
    [-90_000, 3, 'fail', 'the clock of this machine is 25 hours ahead of that of the service'],
    [90_000, 3, 'fail', 'the clock of this machine is 25 hours behind that of the service'],
  ])('a date %i s from now, checks the clock', async (seconds, exit, status, message) => {
    const { home, env } = await openHostile((_, __, response) => {
      response.writeHead(200, { Date: new Date(Date.now() + seconds * 1_000).toUTCString() }).end('[]');
    });
    const { code, checks } = await examined({ home, env });
    expect([code, checks['clock']]).toMatchObject([exit, { status, message: expect.stringContaining(message) }]);
  });
});

it.each([
  ['clock', 'is before the day of the build', { now: () => 0 }, 'set the clock'],
  ['node', 'has no SQLite', { node: '20.19.0', sqlite: () => undefined }, '--omit=optional'],
])('fails if the %s %s', async (name, _, machine, remedy) => {
  const { code, checks } = await examined({ home: newHome(), ...machine }, '--profile', 'local');
  expect([code, checks[name]]).toMatchObject([3, { status: 'fail', remedy: expect.stringContaining(remedy) }]);
});

it('names --ca-file for an unknown certificate, and trusts that in it', async () => {
  const { url } = await serve((_, __, response) => response.end('{"data":[]}'), 'https');
  const place = { home: newHome(), env: callerOf(url) };
  const { code, checks } = await examined(place);
  expect([code, checks['service']]).toMatchObject([9, { remedy: expect.stringContaining('--ca-file') }]);
  const trusting = await examined(place, '--ca-file', authorityFile);
  expect([trusting.code, trusting.checks['service']]).toMatchObject([0, { status: 'pass' }]);
});

/** A home with the record of a live message, and its file. */
async function used() {
  const { home, url } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const folder = join(home, '.local/state/bizmsg');
  const sent = await cli(['send-template', phone, 'welcome'], { home, env: callerOf(url, 'sk_live_0123456789abcdef') });
  expect(sent.code).toBe(0);
  return { home, folder, file: join(folder, 'ledger.db') };
}

const phone = '+12025550141';

type Used = Awaited<ReturnType<typeof used>>;

const stateOf = async (home: string) => (await examined({ home }, '--profile', 'local')).checks['state'];

describe('the check of the state folder', () => {
  it('passes without one, and creates none', async () => {
    const home = newHome();
    expect(await stateOf(home)).toMatchObject({ status: 'pass' });
    expect(() => readdirSync(join(home, '.local/state/bizmsg'))).toThrow('ENOENT');
  });

  it('passes for a record in use, and changes nothing', async () => {
    const { home, folder } = await used();
    const files = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
    const before = files();
    expect(await stateOf(home)).toMatchObject({ status: 'pass', message: folder });
    expect(files()).toEqual(before);
  });

  it.each<[what: string, damage: (record: Used) => void, message: string]>([
    ['a folder for the record', ({ file }) => replaced(file, mkdirSync), 'it is a folder'],
    ['a pipe for the record', ({ file }) => replaced(file, makePipe), 'it is not a regular file'],
    ['a phone that changed in an index', ({ file }) => changePhone(file), 'is damaged'],
    ['a file that lost its end', ({ file }) => truncateSync(file, 5_000), 'is damaged'],
    ['a file for the folder', ({ folder }) => replaced(folder, (path) => writeFileSync(path, '')), 'a file exists'],
  ])('fails for %s', async (_, damage, text) => {
    const record = await used();
    damage(record);
    const message: unknown = expect.stringContaining(text);
    expect(await stateOf(record.home)).toMatchObject({ status: 'fail', exit: 3, message });
  });
});

function changePhone(path: string): void {
  const bytes = readFileSync(path);
  bytes.write('x', bytes.lastIndexOf(phone));
  writeFileSync(path, bytes);
}

function replaced(path: string, put: (path: string) => void): void {
  rmSync(path, { recursive: true });
  put(path);
}

describe('the report of doctor', () => {
  it('is one line if there is no problem', async () => {
    const { run } = await newWorld();
    expect(await run(['doctor'])).toEqual({ code: 0, stdout: '5 checks are fine.\n', stderr: '' });
  });

  it('has problems first, each with its remedy below', async () => {
    const { stdout } = await cli(['doctor'], { home: newHome(), node: '24.1.0' });
    const [problem, remedy, ...rest] = stdout.split('\n');
    expect(problem).toBe('fail  profile  no profile is in use');
    expect(remedy).toMatch(/^ {15}add one with bizmsg login/);
    expect(rest.slice(-2)).toEqual(['3 checks are fine.', '']);
  });

  it('has what is fine with --all', async () => {
    const { stdout } = await cli(['doctor', '--all'], { home: newHome(), node: '24.1.0' });
    expect(stdout).toMatch(/^fail {2}profile [^]*\nskip {2}service [^]*\nok {4}node {5}24\.1\.0, with SQLite\n/);
    expect(stdout).not.toContain('are fine');
  });
});
