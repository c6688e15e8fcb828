import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import type { NewFault } from '../../src/sandbox/faults.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { cleanEnv, programText, type Running, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import { posixOnly } from '../support/system.ts';
import { openWorld, type World } from '../support/world.ts';
import { phoneOf, writePeople } from './batches-rig.ts';

/** Rows in flight at the beginning, with a sandbox key. */
export const concurrency = 16;

export async function newWorld(options: SandboxOptions = {}): Promise<World> {
  const world = await openWorld(options);
  onTestFinished(() => world.close());
  return world;
}

export function slow({ sandbox }: World, ms = 20): void {
  addFault(sandbox, { kind: 'latency', ms });
}

export function addFault({ faults }: World['sandbox'], effect: NewFault['effect'], more: Partial<NewFault> = {}): void {
  faults.add({ on: ['sendTemplate', 'createContact'], effect, ...more });
}

export { phoneOf, writePeople };

export type Place = Pick<World, 'home' | 'env'>;

export function start(place: Place, argv: readonly string[], input?: string, cwd?: string): Running {
  const running = startBin(argv, {
    ...place,
    ...(input !== undefined && { input }),
    ...(cwd !== undefined && { cwd }),
  });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  return running;
}

/** Resolves once the sandbox has this many messages, or when the process has ended. */
export async function untilSent({ sandbox }: World, count: number, running?: Running): Promise<void> {
  await Promise.race([untilChanged(sandbox, () => sandbox.counts().messages >= count), running?.ended ?? never]);
}

const never = new Promise<never>(() => {});

/** Resolves once it is so; looks at each change of the sandbox. */
async function untilChanged(sandbox: World['sandbox'], isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    const { stop } = sandbox.openFeed(null, () => {
      if (!isSo()) return;
      stop();
      resolve();
    });
    onTestFinished(stop);
  });
}

/** Recipients of more than one message. */
export function twice({ sandbox }: World): readonly string[] {
  const seen = new Set<string>();
  return sandbox.messages().flatMap(({ to }) => (seen.size === seen.add(to).size ? [to] : []));
}

/** Numbers of rows whose recipients got no message. */
export function unsentRows({ sandbox }: World, count: number): readonly number[] {
  const sent = new Set(sandbox.messages().map(({ to }) => to));
  return Array.from({ length: count }, (_, at) => at + 1).filter((row) => !sent.has(phoneOf(row)));
}

export function summaryIn(stdout: string): Readonly<Record<string, unknown>> {
  const summary = objects(stdout).at(-1);
  if (summary?.['type'] !== 'summary') throw new Error(`no summary: ${stdout}`);
  return summary;
}

/** Runs a shell script in which `bizmsg` is the binary under test. */
export async function shell(world: Pick<World, 'home' | 'env'>, script: string, cwd = world.home) {
  posixOnly('they run a POSIX shell');
  const own = `bizmsg() { ${programText} "$@"; }\n`;
  const options = { env: cleanEnv(world.home, world.env), extendEnv: false, reject: false, cwd } as const;
  const { exitCode, stdout, stderr } = await execa('bash', ['-c', own + script], { ...options, stdin: 'ignore' });
  return { code: exitCode ?? -1, stdout, stderr };
}
