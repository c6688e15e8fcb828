import { describe, expect, it, onTestFinished } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import * as rig from './rig.ts';

describe('a batch with an unreachable service', () => {
  it('waits until it is back: no row is lost or sent twice', { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    onTestFinished(() => home.remove());
    const port = await deadPort();
    const local = (line: string) => bin(line.split(' '), { home: home.path });
    const serving = () => startSandbox(home.path, port);
    let sandbox = await serving();
    const env = JSON.parse((await local('sandbox env -o json')).stdout);
    await local('sandbox fault send-template=20ms');
    const file = rig.writePeople({ home: home.path }, 600);
    const running = rig.start({ home: home.path, env }, ['send-batch', 'welcome', file, '-o', 'ndjson']);
    await expect.poll(() => running.stdout().split('\n').length).toBeGreaterThan(100);
    // It saves what it got; after kill -9, that of the last second would be missing.
    alive(sandbox.pid, 'SIGTERM');
    await sandbox.ended;
    sandbox = await serving();
    const code = await running.ended;
    const summary = rig.summaryIn(running.stdout());
    const unsure = Number(summary['unsure']);
    expect(summary).toMatchObject({ rows: 600, sent: 600 - unsure, failed: 0, waiting: 0, stopped: null });
    expect([code, unsure <= 64]).toEqual([unsure > 0 ? 10 : 0, true]);
    expect(running.stderr()).toMatch(/waiting for it, for 2 minutes at most[^]*the service answers again/);
    const messages = JSON.parse((await local('sandbox log --type messages -o json --limit 1000')).stdout);
    const recipients = new Set(messages.map(({ to }: { readonly to: string }) => to));
    expect(recipients.size).toBe(messages.length);
    expect(600 - recipients.size).toBeLessThanOrEqual(unsure);
    alive(sandbox.pid, 'SIGTERM');
    await sandbox.ended;
  });
});

async function startSandbox(home: string, port: number) {
  const sandbox = startBin(['sandbox', 'start', '--port', String(port), '-o', 'ndjson'], { home });
  onTestFinished(() => void alive(sandbox.pid, 'SIGKILL'));
  await expect.poll(sandbox.stdout).toContain('"ready"');
  return sandbox;
}
