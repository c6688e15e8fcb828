import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { binary, type BinOptions, cleanEnv, type Running } from './bin.ts';
import { alive } from './cli.ts';

/** Arguments of `unshare` that give a command its own process namespace. */
const isolated = ['--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** The reason why tests with containers cannot run here, if any. */
export const noContainers: string | undefined =
  spawnSync('unshare', [...isolated, 'true']).status === 0 ? undefined : 'skipped: needs root and unshare';

export interface Contained extends Running {
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Keeps its process namespace, whose number another container could get otherwise. */
  keepNamespace(): void;
}

/** Starts the binary in its own process namespace, as in a container: as process 1, without others. */
export function startContained(argv: readonly string[], { home, env, input = '' }: BinOptions): Contained {
  const words = [...isolated, process.execPath, binary, ...argv];
  const child = spawn('unshare', words, { env: cleanEnv(home, env), detached: true });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (text.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (text.stderr += part.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  const pid = child.pid ?? 0;
  const inner = () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  return {
    pid,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    kill: (signal) => alive(inner(), signal),
    keepNamespace() {
      const fd = openSync(`/proc/${inner()}/ns/pid`, 'r');
      onTestFinished(() => closeSync(fd));
    },
  };
}
