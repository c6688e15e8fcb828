import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary, cleanEnv, type Running } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { posixOnly } from '../support/system.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';
import { some } from '../support/long-tests.ts';

posixOnly('they run a POSIX shell');

/** Runs the binary in a shell with redirections, and with an open stdin. */
function redirected({ home, env }: World, argv: readonly string[], redirection = ''): Running {
  const script = `exec "$@" ${redirection}`;
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, binary, ...argv], { env: cleanEnv(home, env) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (text.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (text.stderr += part.toString()));
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  return { pid: child.pid ?? 0, stdout: () => text.stdout, stderr: () => text.stderr, ended };
}

function pipeIn({ home }: World): string {
  const path = join(home, 'pipe');
  makePipe(path);
  return path;
}

/** A full pipe that stays blocked while the returned descriptor is open. */
function fill(path: string): number {
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(pipe, Buffer.alloc(4_096));
  } catch {
    return pipe;
  }
}

describe('an import', () => {
  it('refuses a named pipe without a writer', async () => {
    const world = await rig.newWorld();
    const running = redirected(world, ['contacts', 'import', pipeIn(world)]);
    expect(await running.ended).toBe(2);
    expect(running.stderr()).toContain('it is not a regular file\n  give "-"');
  });

  it.each(
    some([
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ]),
  )('with an open stdin ends on %s with exit %i, and stores no copy', async (signal, code) => {
    const world = await rig.newWorld();
    const running = redirected(world, ['contacts', 'import', '-']);
    const state = join(world.home, '.local/state/bizmsg');
    const drafts = () => readdirSync(state, { recursive: true }).filter((path) => String(path).includes('.bizmsg-'));
    await expect.poll(drafts).toHaveLength(1);
    alive(running.pid, signal);
    expect(await running.ended).toBe(code);
    expect([running.stderr(), drafts()]).toEqual([expect.stringContaining('interrupted; nothing was sent'), []]);
  });
});

describe('a batch whose output is not read', () => {
  const argv = (file: string) => ['send-batch', 'welcome', file, '-o', 'ndjson'];

  async function stalled() {
    const world = await rig.newWorld();
    const path = pipeIn(world);
    const pipe = fill(path);
    const running = redirected(world, argv(rig.writePeople(world, 200)), `> ${path}`);
    await rig.untilSent(world, rig.concurrency, running);
    alive(running.pid, 'SIGINT');
    await expect.poll(running.stderr).toContain('stopping');
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
    expect(running.stderr()).toContain('run the same command again');
  });
});
