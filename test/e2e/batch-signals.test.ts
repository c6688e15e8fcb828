import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary, cleanEnv, type Running } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { posixOnly } from '../support/system.ts';
import type { World } from '../support/world.ts';
import * as rig from './rig.ts';

posixOnly('they run a POSIX shell');

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends a batch with %i while it waits for stdin, and nothing is stored', async (signal, code) => {
  const world = await rig.newWorld();
  const running = redirected(world, ['contacts', 'import', '-']);
  const state = join(world.home, '.local/state/bizmsg');
  const opened = () => existsSync(join(state, 'local.db'));
  await expect.poll(opened).toBe(true);
  alive(running.pid, signal);
  expect(await running.ended).toBe(code);
  expect(running.stderr()).toContain('interrupted; nothing was sent');
  expect((await world.run(['batches', 'list', '-o', 'json'])).stdout).toBe('[]\n');
});

/** Runs the binary in a shell with redirections, and with an open stdin. */
function redirected({ home, env }: World, argv: readonly string[], redirection = ''): Running {
  const script = `exec "$@" ${redirection}`;
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, binary, ...argv], { env: cleanEnv(home, env) });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  return { pid: child.pid ?? 0, stdout: () => '', stderr: () => stderr, ended };
}

describe('a batch whose output is not read', () => {
  async function stalled() {
    const world = await rig.newWorld();
    const path = join(world.home, 'pipe');
    makePipe(path);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    // More than the pipe takes.
    const argv = ['send-batch', 'welcome', rig.writePeople(world, 2_000), '-o', 'ndjson'];
    const running = redirected(world, argv, `> ${path}`);
    await rig.untilSent(world, 300, running);
    alive(running.pid, 'SIGINT');
    return { running, pipe };
  }

  it('ends on the second Ctrl-C', async () => {
    const { running, pipe } = await stalled();
    onTestFinished(() => closeSync(pipe));
    let isOver = false;
    void running.ended.then(() => (isOver = true));
    // A second signal right after the first counts as the same key press.
    const again = () => isOver || (alive(running.pid, 'SIGINT') && isOver);
    await expect.poll(again, { interval: 50 }).toBe(true);
    // A third Ctrl-C during the exit would end it by the signal itself.
    expect([130, null]).toContain(await running.ended);
  });

  it('exits 130 after Ctrl-C when the reader dies', async () => {
    const { running, pipe } = await stalled();
    closeSync(pipe);
    expect(await running.ended).toBe(130);
  });
});
