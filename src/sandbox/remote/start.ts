import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CliError, configuration, fsError } from '../../base/errors.ts';
import { readIfPresent, statsOf } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import { createLocatorFolder, defaultData } from './locator.ts';
import { openRemote } from './remote.ts';
import { findRunning, type RunningSandbox } from './running.ts';

export interface StartOptions {
  readonly stateFolder: string;
  readonly host: Pick<Host, 'env' | 'kill' | 'now' | 'signal' | 'spawnDetached'>;
  /** The command that serves the default folder in the background. */
  readonly command: readonly string[];
  /** A background sandbox of another build is replaced. */
  readonly build: string;
  /** Receives the notes of a sandbox that it has started, such as about a damaged state. */
  readonly note?: (text: string) => void;
}

interface Attempt extends StartOptions {
  readonly deadline: number;
  /** The file for the output of the background sandbox. */
  readonly log: string;
}

/** Milliseconds that a start may take. */
const timeout = 15_000;

/** Finds the sandbox of the default folder or starts it. If several commands do this together, one of them starts it. */
export async function findOrStart(options: StartOptions): Promise<RunningSandbox> {
  const { stateFolder, host } = options;
  const attempt = { ...options, deadline: host.now() + timeout, log: join(stateFolder, 'sandbox.log') };
  for (;;) {
    const running = await findDefault(stateFolder);
    if (running && isUsable(running, options)) return running;
    const release = claimStart(join(createLocatorFolder(stateFolder), 'start.lock'));
    if (release) return start(attempt).finally(release);
    await pause(attempt);
  }
}

async function findDefault(stateFolder: string): Promise<RunningSandbox | undefined> {
  const data = defaultData(stateFolder);
  return (await findRunning(stateFolder, (locator) => locator.data === data))[0];
}

/** A foreground sandbox is used even if it is from another build. */
function isUsable({ build, background }: RunningSandbox, wanted: StartOptions): boolean {
  return build === wanted.build || !background;
}

/** Undefined while another process starts it; a process that died meanwhile delays the next one. */
function claimStart(path: string): (() => void) | undefined {
  const release = () => rmSync(path, { force: true });
  try {
    // With a text, a full disk is reported here.
    writeFileSync(path, 'starting\n', { flag: 'wx', mode: 0o600 });
    return release;
  } catch (error) {
    if (fsError(error)?.code !== 'EEXIST') {
      release();
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    }
    if (Date.now() - (statsOf(path)?.mtimeMs ?? Infinity) > timeout) release();
    return undefined;
  }
}

/** Looks again first, because another command may have started one. */
async function start(attempt: Attempt): Promise<RunningSandbox> {
  const { stateFolder, host, command, log } = attempt;
  const other = await findDefault(stateFolder);
  if (other && isUsable(other, attempt)) return other;
  if (other) await openRemote(other).stop();
  // The log of the one before is kept.
  if (statsOf(log)) renameSync(log, `${log}.1`);
  const child = host.spawnDetached(command, { env: host.env, log });
  child.unref();
  for (;;) {
    const isDead = child.pid === undefined || !host.kill(child.pid, 0);
    const started = await findDefault(stateFolder);
    if (started) {
      for (const [, text = ''] of (readIfPresent(log) ?? '').matchAll(/^note: (.+)$/gm)) attempt.note?.(text);
      return started;
    }
    if (isDead) throw notStarted(log);
    await pause(attempt);
  }
}

/** With the error that the sandbox has written to its log. */
function notStarted(log: string): CliError {
  const [, reason, hint = ''] = /^error: (.+)\n((?: {2}.+\n)*)/m.exec(readIfPresent(log) ?? '') ?? [];
  if (reason === undefined)
    return configuration('sandbox-start', 'the sandbox did not start', `its log may say why: ${log}`);
  const next = hint.replaceAll(/^ {2}/gm, '').trim();
  return configuration('sandbox-start', `the sandbox did not start: ${reason}`, next || `its log: ${log}`);
}

async function pause({ host, deadline, log }: Attempt): Promise<void> {
  if (host.now() > deadline)
    throw configuration('sandbox-start', 'the sandbox was not ready in time', `its log may say why: ${log}`);
  await wait(10, undefined, { signal: host.signal });
}
