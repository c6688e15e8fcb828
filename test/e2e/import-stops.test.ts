import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deadPort, serve } from '../client/servers.ts';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './import-rig.ts';

const rows = 300;

describe('a run stops, and can be continued,', () => {
  it('when the first three rows failed, with a clear message', async () => {
    const world = await rig.newWorld();
    writeFileSync(
      join(world.home, 'bad.csv'),
      'phone,tags\n+12025550141,x\n+12025550142,x\n+12025550143,x\n+12025550144,x\n',
    );
    const argv = ['contacts', 'import', join(world.home, 'bad.csv'), '--concurrency', '1'];
    const error = errorIn((await world.run([...argv, '-o', 'json'])).stderr);
    const message = /^the first 3 rows failed or are unsure; the last: the service answered 400 /;
    expect(error).toMatchObject({ code: 'too-many-errors', message: expect.stringMatching(message) });
  });

  it('but not because of invalid rows, which are found before sending', async () => {
    const world = await rig.newWorld();
    const bad = Array.from({ length: 50 }, () => 'x\n').join('');
    writeFileSync(join(world.home, 'bad.csv'), `phone\n${bad}+12025550141\n`);
    const { code, stdout } = await world.run(['send-batch', 'welcome', join(world.home, 'bad.csv'), '-o', 'json']);
    expect([code, rig.summaryIn(stdout)]).toMatchObject([10, { sent: 1, failed: 50, stopped: null }]);
  });

  it('when the key is revoked, with a new key, also after a kill', async () => {
    const world = await rig.newWorld();
    rig.slow(world);
    const argv = ['send-batch', 'welcome', rig.writePeople(world, rows), '-o', 'json'];
    const running = rig.start(world, argv);
    await rig.untilSent(world, 100, running);
    world.sandbox.keys.revoke(world.sandbox.keys.sandbox);
    expect(await running.ended).toBe(4);
    const sent = world.sandbox.counts().messages;
    expect(rig.summaryIn(running.stdout())).toMatchObject({ sent, failed: 0, unsure: 0, not_reached: rows - sent });
    expect(errorIn(running.stderr())).toMatchObject({
      code: 'unauthorized',
      hint: expect.stringContaining(`${rows - sent} rows were not sent; once the key is accepted`),
    });
    const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.create('full').text };
    const crashing = rig.start({ home: world.home, env }, [...argv, '--continue']);
    await rig.untilSent(world, 150, crashing);
    alive(crashing.pid, 'SIGKILL');
    await crashing.ended;
    const ended = await world.run([...argv, '--continue'], { env });
    const [run, ...others] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    expect([ended.code, run, others]).toMatchObject([10, { state: 'finished', rows, failed: 0, left: 0 }, []]);
    expect([run.sent + run.unsure, run.unsure <= rig.concurrency]).toEqual([rows, true]);
    expect([rig.twice(world), rig.unsentRows(world, rows).length <= run.unsure]).toEqual([[], true]);
  });

  it('when a 429 asks for too long a wait', async () => {
    const home = newHome();
    const service = await serve((_, __, response) => {
      const isFull = service.seen.length > 50;
      response.writeHead(isFull ? 429 : 201, { 'Retry-After': '3600' }).end('{}');
    });
    const argv = ['contacts', 'import', rig.writePeople({ home }, rows), '-o', 'json'];
    const { code, stdout, stderr } = await bin(argv, { home, env: callerOf(service.url) });
    expect([code, rig.summaryIn(stdout)]).toMatchObject([
      7,
      { sent: 50, failed: 0, unsure: 0, not_reached: rows - 50 },
    ]);
    expect(errorIn(stderr)).toMatchObject({ hint: expect.stringContaining('run the same command again') });
  });

  it('when such a 429 arrives while other rows wait for a shorter time', async () => {
    const home = newHome();
    const service = await serve((_, __, response) => {
      response.writeHead(429, { 'Retry-After': service.seen.length % 2 === 1 ? '100' : '3600' }).end('{}');
    });
    const argv = ['contacts', 'import', rig.writePeople({ home }, rows), '-o', 'json', '--concurrency', '2'];
    const { code, stdout } = await bin(argv, { home, env: callerOf(service.url) });
    expect([code, rig.summaryIn(stdout)]).toMatchObject([7, { sent: 0, failed: 0, unsure: 0, not_reached: rows }]);
  });
});

describe('a run with an unreachable service', () => {
  it('waits until it is back: no row is lost or sent twice', { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    onTestFinished(() => home.remove());
    const port = await deadPort();
    const serving = () => startSandbox(home.path, port);
    let sandbox = await serving();
    const env = await envOf(home.path);
    await bin(['sandbox', 'fault', 'add', '--on', 'send-template', '--latency', '20ms'], { home: home.path });
    const file = rig.writePeople({ home: home.path }, 600);
    const running = rig.start({ home: home.path, env }, ['send-batch', 'welcome', file, '-o', 'ndjson']);
    await expect.poll(() => running.stdout().split('\n').length).toBeGreaterThan(100);
    alive(sandbox.pid, 'SIGKILL');
    await sandbox.ended;
    sandbox = await serving();
    const code = await running.ended;
    const summary = rig.summaryIn(running.stdout());
    const unsure = Number(summary['unsure']);
    expect(summary).toMatchObject({ rows: 600, sent: 600 - unsure, failed: 0, not_reached: 0, stopped: null });
    expect([code, unsure <= rig.concurrency]).toEqual([unsure > 0 ? 10 : 0, true]);
    expect(running.stderr()).toMatch(/waiting for it, for 2 minutes at most[^]*the service answers again/);
    const listed = await bin(['sandbox', 'messages', '-o', 'json', '--limit', '1000'], { home: home.path });
    const messages = JSON.parse(listed.stdout);
    const recipients = new Set(messages.map(({ to }: { readonly to: string }) => to));
    expect(recipients.size).toBe(messages.length);
    expect(600 - recipients.size).toBeLessThanOrEqual(unsure);
    alive(sandbox.pid, 'SIGTERM');
    await sandbox.ended;
  });
});

async function startSandbox(home: string, port: number) {
  const words = ['sandbox', 'start', '--port', String(port), '-o', 'ndjson'];
  const sandbox = startBin(words, { home });
  onTestFinished(() => void alive(sandbox.pid, 'SIGKILL'));
  await expect.poll(sandbox.stdout).toContain('"ready"');
  return sandbox;
}

async function envOf(home: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await bin(['sandbox', 'env', '-o', 'json'], { home });
  return JSON.parse(stdout);
}
