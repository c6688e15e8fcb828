import { chmodSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announceListener } from '../../src/webhooks/listeners.ts';
import { deadPort, serveProxy } from '../client/servers.ts';
import { bin } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import { callerOf, newHome, openHostile, testKey } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { posixOnly } from '../support/system.ts';
import { openWorld } from '../support/world.ts';
import { examined, secureService, storeAcme, storeText } from './doctor-rig.ts';
import { objects } from '../support/json-lines.ts';

describe('doctor', () => {
  it('makes one GET for each family, and no other call', async () => {
    const world = await openWorld();
    onTestFinished(() => world.close());
    await examined(world);
    const audits = world.sandbox.keys.list().flatMap(({ id }) => world.sandbox.audit(id));
    expect(audits.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /api/public/contacts',
      'GET /api/public/templates',
      'GET /api/public/campaigns',
    ]);
  });

  it('trusts the certificate in --ca-file', async () => {
    const home = newHome();
    const { port, cert } = await secureService();
    storeAcme(home, { baseUrl: `https://127.0.0.1:${port}`, key: testKey });
    const file = storeText(newHome(), cert);
    const { code, calls, checks } = await examined({ home }, '--ca-file', file);
    expect([code, calls]).toEqual([0, 3]);
    expect(checks['certificate']).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(/Acme Ltd.* 89 days/),
    });
  });

  it('uses the proxy that requests use', async () => {
    const home = newHome();
    const { port, cert } = await secureService();
    storeAcme(home, { baseUrl: 'https://api.bizmsg.test', key: testKey });
    const { url, asked } = await serveProxy(port);
    const file = storeText(newHome(), cert);
    const { code, checks } = await examined({ home, env: { HTTPS_PROXY: url } }, '--ca-file', file);
    expect(checks['proxy']).toMatchObject({ status: 'pass', message: expect.stringContaining('HTTPS_PROXY') });
    expect(checks['certificate']).toMatchObject({ message: expect.stringContaining('not for api.bizmsg.test') });
    expect([code, asked.length]).toEqual([9, 1]);
  });

  it('exits with the code of the first failure', async () => {
    posixOnly('a file has no mode');
    const home = newHome();
    const path = storeAcme(home, { baseUrl: `https://127.0.0.1:${await deadPort()}`, key: testKey });
    chmodSync(path, 0o640);
    const { code, wrong } = await examined({ home });
    expect([code, wrong]).toEqual([3, ['config', 'connection']]);
  });

  it('does not start a sandbox, and shows how to', async () => {
    const { code, calls, checks } = await examined({ home: newHome() }, '--profile', 'local');
    expect([code, calls]).toEqual([0, 0]);
    expect(checks['address']).toMatchObject({ status: 'skip', remedy: 'bizmsg sandbox start --background' });
  });

  it('suggests a login if no profile is in use', async () => {
    const { code, checks } = await examined({ home: newHome() });
    expect(code).toBe(3);
    expect(checks['caller']).toMatchObject({
      status: 'fail',
      remedy: expect.stringMatching(/bizmsg login.*--profile local/),
    });
  });

  it('finds a key of another mode than --mode', async () => {
    const { code, wrong } = await examined({ home: newHome(), env: callerOf('https://a.test') }, '--mode', 'live');
    expect([code, wrong]).toEqual([11, ['caller']]);
  });

  it('does not send a key over plain http', async () => {
    const { code, calls, wrong } = await examined({ home: newHome(), env: callerOf('http://a.test') });
    expect([code, calls, wrong]).toEqual([11, 0, ['address']]);
  });

  it('checks a running sandbox with --profile local', async () => {
    const home = newHome();
    await serveLocal(home, { plan: 'starter' });
    const { code, calls, checks } = await examined({ home }, '--profile', 'local');
    expect([code, calls]).toEqual([0, 3]);
    expect(checks['plan']).toMatchObject({ message: '60 requests a minute' });
    expect(checks['sandbox']).toMatchObject({ message: expect.stringContaining('running at http://127.0.0.1:') });
  });

  it('refuses --dry-run, because it sends requests', async () => {
    expect((await cli(['doctor', '--dry-run'], { home: newHome() })).code).toBe(2);
  });

  it('refuses -o id before it sends anything', async () => {
    const { home, env, seen } = await openHostile((_, __, response) => response.end('[]'));
    const { code, stderr } = await cli(['doctor', '-o', 'id'], { home, env });
    expect([code, stderr.includes('doctor has no id'), seen]).toEqual([2, true, []]);
  });

  it('removes nothing, not even files of ended processes', async () => {
    const home = newHome();
    const state = join(home, '.local/state/bizmsg');
    await serveLocal(home);
    announceListener(state, {
      id: 'a1b2c3d4e5f6',
      url: 'http://127.0.0.1:4781/',
      port: 4781,
      pid: 2 ** 22 + 1,
      startedAt: 1,
    });
    const [name = ''] = readdirSync(join(state, 'sandboxes'));
    const living = readFileSync(join(state, 'sandboxes', name), 'utf8');
    const dead = { ...JSON.parse(living), pid: 2 ** 22 + 1, port: 4999, start: '1' };
    writeFileSync(join(state, 'sandboxes/4999.json'), JSON.stringify(dead), { mode: 0o600 });
    const files = () =>
      readdirSync(state, { recursive: true, encoding: 'utf8' }).toSorted((a, b) => a.localeCompare(b));
    const before = files();
    const { code, checks } = await examined({ home }, '--profile', 'local');
    expect([code, files()]).toEqual([0, before]);
    expect(checks['leftovers']).toMatchObject({
      status: 'pass',
      message: '2 traces of dead processes; the next command clears them',
    });
  });

  it('names the file of a process that it cannot read', async () => {
    const home = newHome();
    await serveLocal(home);
    const path = join(home, '.local/state/bizmsg/sandboxes/4999.json');
    writeFileSync(path, '{', { mode: 0o600 });
    const { checks } = await examined({ home }, '--profile', 'local');
    expect(checks['leftovers']).toMatchObject({ status: 'warn', remedy: `rm ${path}` });
  });

  it('finds that the protection against duplicate sends cannot work', async () => {
    const home = newHome();
    mkdirSync(join(home, '.local/state/bizmsg/ledger.db'), { recursive: true });
    const { code, checks } = await examined({ home }, '--profile', 'local');
    expect([code, checks['ledger']?.['status']]).toEqual([3, 'fail']);
  });

  it('finds damage in the logs, changes nothing, and says what a backup needs', async () => {
    const home = newHome();
    const state = join(home, '.local/state/bizmsg');
    await serveLocal(home);
    await cli(['contacts', 'create', '--set', 'phone=+12025550141', '--profile', 'local'], { home });
    const whole = await examined({ home }, '--profile', 'local');
    expect(whole.checks['logs']).toMatchObject({ status: 'pass', message: 'no damage' });
    expect(whole.checks['backup']?.['message']).toMatch(/\.config[/\\]bizmsg \(with the keys\) and .*ledger\.secret$/);
    truncateSync(join(state, 'logs.db'), 5_000);
    const files = readdirSync(state);
    const { code, checks } = await examined({ home }, '--profile', 'local');
    expect(checks['logs']).toMatchObject({ status: 'warn', remedy: expect.stringContaining('logs.db.away') });
    expect([code, readdirSync(state)]).toEqual([0, files]);
  });

  it('warns about a state folder on a network file system', async () => {
    const world = await openWorld();
    onTestFinished(() => world.close());
    const preload = fileURLToPath(new URL('../support/network-disk-preload.cjs', import.meta.url));
    const { code, stdout } = await world.bin(['doctor'], { ...world.env, NODE_OPTIONS: `--require=${preload}` });
    expect(code).toBe(0);
    expect(stdout).toMatch(/on a network file system \(NFS\)[^]*BIZMSG_STATE_DIR/);
  });

  it('finds no failure in a healthy set-up', async () => {
    const world = await openWorld();
    onTestFinished(() => world.close());
    const { code, stdout, stderr } = await bin(['doctor'], { home: world.home, env: world.env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('3 API calls made; each counts toward');
  });
});

const broken = () =>
  openHostile((_, __, response) => response.writeHead(500).end('{"message":"a '.padEnd(90, 'long ')));

describe('the report of doctor', () => {
  it('shows the status of each check, with its fix below', async () => {
    const { stdout } = await cli(['doctor'], { home: newHome(), node: '24.1.0' });
    expect(stdout).toContain('This machine\n  ok    node        24.1.0\n');
    expect(stdout).toMatch(/^ {2}fail {2}caller {6}no profile is in use\n {22}add one with bizmsg login/m);
    expect(stdout).toMatch(/\n\nNo API calls made\.\n1 failure\.\n$/);
  });

  it('looks the same in a pipe', async () => {
    const caller = await broken();
    const [piped, shown] = [
      await cli(['doctor', '--profile', 'local'], caller),
      await cli(['doctor', '--profile', 'local', '--no-color'], { ...caller, terminal: 400 }),
    ];
    expect(piped.stdout).toBe(shown.stdout);
  });

  it.each([40, 60, 80])('fits a terminal of %i columns, except for long words', async (terminal) => {
    const { stdout } = await cli(['doctor', '--no-color'], { ...(await broken()), terminal });
    const long = stdout.split('\n').filter((line) => line.length > terminal);
    expect(long.filter((line) => /\S\s+\S/.test(line))).toEqual([]);
  });

  it('shows a fix that several checks share once, below the last', async () => {
    const { stdout } = await cli(['doctor'], await broken());
    expect(stdout.match(/contact the support/g)).toHaveLength(1);
    expect(stdout).toMatch(/fail {2}campaigns .*\n.*contact the support/);
  });

  it.each(['ndjson', 'csv', 'tsv'])('has one check per line in %s', async (form) => {
    const { stdout } = await cli(['doctor', '-o', form], await broken());
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(15);
    expect(lines[0]).toContain(form === 'ndjson' ? '"group":"machine"' : 'name');
  });

  it('supports --columns and --query', async () => {
    const caller = await broken();
    const columns = await cli(['doctor', '-o', 'ndjson', '--columns', 'name,status'], caller);
    const query = await cli(['doctor', '--query', 'checks[?status==`fail`].name'], caller);
    expect(objects(columns.stdout)[0]).toEqual({ name: 'node', status: expect.any(String) });
    expect(query.stdout).toBe('contacts\ntemplates\ncampaigns\n');
  });
});
