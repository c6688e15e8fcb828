import { once } from 'node:events';
import { copyFileSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type CliError, configuration, fsError, unsafe } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { statsOf } from '../../base/files.ts';
import { acquire, nameOf } from '../../base/lock.ts';
import { hostIn, isElsewhere, readIfPresent } from '../../base/liveness.ts';
import { sleep } from '../time/clock.ts';
import { findSandbox, type Locator, locatorFolder } from './locator.ts';

export interface StartOptions {
  readonly stateFolder: string;
  readonly host: Pick<Host, 'env' | 'pid' | 'kill' | 'now' | 'signal' | 'spawnDetached'>;
  /** The command that serves the default folder in the background. */
  readonly command: readonly string[];
  /** A background sandbox of another build is replaced. */
  readonly build: string;
  /** Milliseconds that the start may take (default: 15 s). */
  readonly timeout?: number;
}

interface Attempt extends StartOptions {
  readonly deadline: number;
  readonly log: string;
}

const poll = 10;

/** Finds the default sandbox or starts it. If several commands do this together, one of them starts it. */
export async function findOrStart(options: StartOptions): Promise<Locator> {
  const { stateFolder, host, timeout = 15_000 } = options;
  const attempt = { ...options, deadline: host.now() + timeout, log: logFile(stateFolder) };
  for (;;) {
    const found = findSandbox(stateFolder, host.kill);
    if (found && isUsable(found, options)) return found;
    const claim = acquire(join(locatorFolder(stateFolder), 'start.lock'), { pid: host.pid, kill: host.kill });
    if (claim.held) {
      try {
        return await start(attempt);
      } finally {
        claim.release();
      }
    }
    await pause(attempt);
  }
}

/** Called under the lock. Looks again, because another command may have started one. */
async function start(attempt: Attempt): Promise<Locator> {
  const { stateFolder, host, command, log } = attempt;
  const found = await usableOrStopped(attempt);
  if (found) return found;
  rotate(log);
  const logged = statsOf(log)?.size ?? 0;
  const child = host.spawnDetached(command, { env: host.env, log });
  child.unref();
  for (;;) {
    const isDead = child.pid === undefined || !host.kill(child.pid, 0);
    const started = findSandbox(stateFolder, host.kill);
    if (started) return started;
    if (isDead) throw notStarted(log, logged);
    await pause(attempt);
  }
}

/** With the error that the sandbox has written to its log. */
function notStarted(log: string, from: number): CliError {
  const text = Buffer.from(readIfPresent(log) ?? '')
    .subarray(from)
    .toString();
  const [, reason, hint = ''] = /^error: (.+)\n((?: {2}.+\n)*)/m.exec(text) ?? [];
  if (reason === undefined)
    return configuration('sandbox-start', 'the sandbox did not start', `its log may say why: ${log}`);
  const next = hint.replaceAll(/^ {2}/gm, '').trim();
  return configuration('sandbox-start', `the sandbox did not start: ${reason}`, next || `its log: ${log}`);
}

/** Stops a sandbox of another build; returns one that can be used. */
async function usableOrStopped(attempt: Attempt): Promise<Locator | undefined> {
  const { stateFolder, host } = attempt;
  let signaled: string | undefined;
  for (;;) {
    const found = findSandbox(stateFolder, host.kill);
    if (!found || isUsable(found, attempt)) return found;
    if (isElsewhere(found.start)) throw runsElsewhere(found, 'with another version of bizmsg');
    if (signaled !== found.token) host.kill(found.pid, 'SIGTERM');
    signaled = found.token;
    await pause(attempt);
  }
}

/** A foreground sandbox is used even if it is from another build. */
function isUsable({ build, background }: Locator, wanted: StartOptions): boolean {
  return build === wanted.build || !background;
}

async function pause({ host, deadline, log }: Attempt): Promise<void> {
  if (host.now() > deadline) {
    throw configuration('sandbox-start', 'the sandbox was not ready in time', `its log may say why: ${log}`);
  }
  await sleep(poll, host.signal);
}

/** Throws if it cannot connect: a sandbox in another container may share this folder but not this network. */
export async function refuseUnreachable(locator: Locator): Promise<void> {
  const { hostname, port } = new URL(locator.url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  try {
    await once(socket, 'connect');
  } catch {
    throw runsElsewhere(locator, 'which cannot be reached from here');
  } finally {
    socket.destroy();
  }
}

function runsElsewhere({ url, pid, start }: Locator, why: string): CliError {
  const by = nameOf({ pid, host: hostIn(start) });
  const hint = 'stop it there, or set BIZMSG_STATE_DIR to another folder';
  return unsafe('sandbox-elsewhere', `the sandbox at ${url} belongs to ${by}, ${why}`, hint);
}

const largest = 1024 * 1024;

/** The output of the background sandbox. */
export function logFile(stateFolder: string): string {
  return join(stateFolder, 'sandbox.log');
}

/** Moves the text of a large log to `sandbox.log.1`. The file stays, because the sandbox appends to its open descriptor. */
export function rotate(log: string): void {
  if ((statsOf(log)?.size ?? 0) < largest) return;
  try {
    copyFileSync(log, `${log}.1`);
    truncateSync(log);
  } catch (error) {
    // The log is not worth a failure.
    if (!fsError(error)) throw error;
  }
}
