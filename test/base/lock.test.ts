import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquire, nameOf } from '../../src/base/lock.ts';
import { longestSilence, processStart } from '../../src/base/liveness.ts';
import { makePipe } from '../support/disk.ts';
import { isLong } from '../support/long-tests.ts';
import { modeOf, ownFile, posixOnly } from '../support/system.ts';

const me = { pid: process.pid, kill: (pid: number) => pid === process.pid };
const dead = '999999 12345 abcd\n';

describe('a lock', () => {
  it('is held by one owner until it is released', () => {
    const path = temporary();
    const first = acquire(path, me);
    expect(acquire(path, me)).toMatchObject({ held: false, by: { pid: process.pid, host: undefined } });
    if (first.held) first.release();
    expect(acquire(path, me).held).toBe(true);
  });

  it('is a private file, and creates no others', () => {
    const path = temporary();
    const claim = acquire(path, me);
    expect(modeOf(path)).toBe(ownFile);
    expect(acquire(path, me).held).toBe(false);
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
    if (claim.held) claim.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('is not free, and blocks no one, if another user has put a pipe in its place', () => {
    const path = temporary();
    makePipe(path);
    // It ends the wait of a process that opens the pipe.
    const writer = spawn('sh', ['-c', 'while : > "$1"; do sleep 0.1; done', 'sh', path]);
    onTestFinished(() => void writer.kill());
    expect(acquire(path, me)).toEqual({ held: false, by: undefined });
  });

  it.each([
    ['its owner is dead', dead],
    ['another process has the pid of its owner', `${process.pid} 12345 abcd\n`],
    ['a crash left it empty', ''],
    ['its content is invalid', 'nonsense'],
  ])('is free if %s', (_, content) => {
    const path = temporary();
    writeFileSync(path, content);
    expect(acquire(path, me).held).toBe(true);
    expect(acquire(path, me).held).toBe(false);
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
  });

  it('is free if the process that was replacing a dead owner has died', () => {
    const path = temporary();
    writeFileSync(path, dead);
    writeFileSync(`${path}.abcd`, '999998 12345 dcba\n');
    expect(acquire(path, me).held).toBe(true);
  });

  it('is not free while another process replaces the dead owner', () => {
    const path = temporary();
    writeFileSync(path, dead);
    writeFileSync(`${path}.abcd`, `${process.pid} - dcba\n`);
    expect(acquire(path, me).held).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(dead);
  });
});

describe('a lock of another container', () => {
  const elsewhere = '1 12345@boot.namespace.host-b abcd\n';

  it('is held as long as it is renewed, even if another process here has that pid', () => {
    const path = temporary();
    writeFileSync(path, elsewhere);
    const claim = acquire(path, { pid: process.pid, kill: () => false });
    expect(claim).toMatchObject({ held: false, by: { pid: 1, host: 'host-b' } });
    expect(claim.held || nameOf(claim.by)).toBe('process 1 on host-b');
  });

  it('is free 90 seconds after its last renewal', () => {
    const path = temporary();
    writeFileSync(path, elsewhere);
    age(path, longestSilence - 5_000);
    expect(acquire(path, me).held).toBe(false);
    age(path, longestSilence + 5_000);
    expect(acquire(path, me).held).toBe(true);
  });

  it('is renewed by its owner every 20 seconds until it is released', () => {
    const path = temporary();
    const timers = new Map<() => void, number>();
    const later = (milliseconds: number, run: () => void) => {
      timers.set(run, milliseconds);
      return () => void timers.delete(run);
    };
    const claim = acquire(path, { ...me, later });
    expect([...timers.values()]).toEqual([20_000]);
    age(path, longestSilence);
    for (const run of timers.keys()) run();
    expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(longestSilence);
    if (claim.held) claim.release();
    expect(timers.size).toBe(0);
  });

  it('is lost when another process takes it over', () => {
    posixOnly('an open file cannot be replaced');
    const path = temporary();
    const claim = acquire(path, me);
    expect(claim.held && claim.isHeld()).toBe(true);
    const successor = acquire(path, { pid: process.pid, kill: () => false });
    expect(successor.held && successor.isHeld()).toBe(true);
    expect(claim.held && claim.isHeld()).toBe(false);
  });

  function age(path: string, milliseconds: number): void {
    const time = (Date.now() - milliseconds) / 1000;
    utimesSync(path, time, time);
  }
});

describe('a process', () => {
  it.runIf(process.platform === 'linux')('that was killed but not reaped is dead', async () => {
    // The shell becomes a process that never reaps its child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line]: unknown[] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(' Z ');
    const path = temporary();
    writeFileSync(path, `${pid} 12345 abcd\n`);
    expect(processStart(pid)).toBeUndefined();
    expect(acquire(path, { pid: process.pid, kill: () => true }).held).toBe(true);
    parent.kill();
  });
});

it('has one owner if several processes find the same dead owner at the same time', async () => {
  const path = temporary();
  const script = await racer();
  for (let round = 0; round < (isLong ? 4 : 2); round++) {
    writeFileSync(path, `999999 12345 ${round}abc\n`);
    const instant = String(Date.now() + 300);
    const racers = Array.from({ length: 6 }, () => spawn(process.execPath, [script, path, instant]));
    const results = await Promise.all(racers.map(({ stdout }) => once(stdout, 'data')));
    const ends = racers.map((racer) => once(racer, 'exit'));
    for (const racer of racers) racer.stdin.end();
    await Promise.all(ends);
    expect(results.filter(([result]) => String(result) === 'held')).toHaveLength(1);
  }
}, 60_000);

/** A script that acquires the lock at a given time, and holds it until all others have tried. */
async function racer(): Promise<string> {
  const home = folder('racer');
  const file = join(home, 'racer.mjs');
  const main = `
    import { acquire } from './lock.mjs';
    const [path, instant] = process.argv.slice(2);
    const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
    while (Date.now() < Number(instant));
    process.stdout.write(acquire(path, { pid: process.pid, kill }).held ? 'held' : 'not held');
    process.stdin.resume();
  `;
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/base/lock.ts', import.meta.url)),
    platform: 'node',
  });
  await bundle.write({ file: join(home, 'lock.mjs'), format: 'esm' });
  await bundle.close();
  writeFileSync(file, main);
  return file;
}

function temporary(): string {
  return join(folder('lock'), 'lock');
}

function folder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `bizmsg-${name}-`));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
