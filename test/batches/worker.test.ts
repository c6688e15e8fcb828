import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWorker, isDead, workerName } from '../../src/base/worker.ts';
import { alive } from '../support/cli.ts';

const self = { pid: process.pid, random: Math.random };
const host = { kill: alive };

describe('the name of a worker', () => {
  it('differs each time, and has the pid', () => {
    const [one, other] = [workerName(self), workerName(self)];
    expect(one).not.toBe(other);
    expect(describeWorker(one)).toMatchObject({ pid: process.pid, host: undefined });
  });

  it('has the host of another machine', () => {
    const name = '77:123@0a1b2c3d-4e5f.4026531836.laptop-2.example:0123abcd';
    expect(describeWorker(name)).toMatchObject({ pid: 77, host: 'laptop-2.example' });
  });

  it.each([
    '',
    'worker',
    '0:123@0a.1.laptop:0123abcd',
    '77:123@0a.1.laptop;reboot:0123abcd',
    '77:123@0a.1.\u001b[31m:0123abcd',
    '77:123@0a.1.laptop:0123abcd\n',
    '1e9:123@0a.1.laptop:0123abcd',
  ])('%j is not one', (name) => {
    expect(describeWorker(name)).toBeUndefined();
    expect(isDead(name, host)).toBe(false);
  });
});

describe('a worker', () => {
  it('is alive while its process is', () => {
    expect(isDead(workerName(self), host)).toBe(false);
  });

  it('is dead once its process is gone', () => {
    const { pid } = spawnSync('true');
    expect(isDead(workerName(self).replace(`${process.pid}:`, `${pid}:`), host)).toBe(true);
  });

  it.skipIf(!existsSync('/proc'))('is dead once its process was killed, also if that is not reaped', async () => {
    // The shell becomes a process that never reaps its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill());
    const [line]: unknown[] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(' Z ');
    expect(isDead(workerName(self).replace(`${process.pid}:`, `${pid}:`), host)).toBe(true);
  });

  it.skipIf(!existsSync('/proc'))('is dead if another process has got its pid', () => {
    expect(isDead(workerName(self).replace(/:\d+@/, ':1@'), host)).toBe(true);
  });

  it.each(['77:123@0a1b2c3d-4e5f.4026531836.elsewhere:0123abcd', '77:-@-.1.elsewhere:0123abcd'])(
    'of another machine is not known to be dead: %s',
    (name) => expect(isDead(name, { kill: () => false })).toBe(false),
  );
});
