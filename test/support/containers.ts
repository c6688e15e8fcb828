import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type BinOptions, type Running, startBin } from './bin.ts';
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
export function startContained(argv: readonly string[], options: BinOptions): Contained {
  const running = startBin(argv, options, ['unshare', ...isolated]);
  const { pid } = running;
  onTestFinished(() => void alive(pid, 'SIGKILL'));
  const inner = () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  return {
    ...running,
    kill: (signal) => alive(inner(), signal),
    keepNamespace() {
      const fd = openSync(`/proc/${inner()}/ns/pid`, 'r');
      onTestFinished(() => closeSync(fd));
    },
  };
}
