import { join } from 'node:path';
import { configuration } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { acquire } from '../../base/lock.ts';
import { isElsewhere } from '../../base/liveness.ts';
import { sleep } from '../time/clock.ts';
import { runsElsewhere } from './elsewhere.ts';
import { findSandbox, type Locator, locatorFolder } from './locator.ts';

export interface StartOptions {
  readonly stateFolder: string;
  readonly host: Pick<Host, 'env' | 'pid' | 'kill' | 'now' | 'signal' | 'spawnDetached'>;
  /** The command line that serves the default folder in the background. */
  readonly command: readonly string[];
  /** A background sandbox of another build makes way for one of this. */
  readonly build: string;
  /** Milliseconds until it must be there. */
  readonly patience?: number;
}

interface Attempt extends StartOptions {
  readonly deadline: number;
  readonly log: string;
}

const poll = 10;

/** The sandbox of this machine. Of commands that find none at the same instant, one starts it and all get it. */
export async function findOrStart(options: StartOptions): Promise<Locator> {
  const { stateFolder, host, patience = 15_000 } = options;
  const attempt = { ...options, deadline: host.now() + patience, log: join(stateFolder, 'sandbox.log') };
  for (;;) {
    const found = findSandbox(stateFolder, (pid) => host.kill(pid, 0));
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

/** Under the lock, so whatever stands now was not there at the first look, or is of another build. */
async function start(attempt: Attempt): Promise<Locator> {
  const { stateFolder, host, command, log } = attempt;
  const found = await replaceable(attempt);
  if (found) return found;
  const child = host.spawnDetached(command, { env: host.env, log });
  child.unref();
  for (;;) {
    const isDead = child.pid === undefined || !host.kill(child.pid, 0);
    const started = findSandbox(stateFolder, (pid) => host.kill(pid, 0));
    if (started) return started;
    if (isDead) throw configuration('sandbox-start', 'the sandbox did not start', `its log says why: ${log}`);
    await pause(attempt);
  }
}

/** Ends the one that is in the way; what may stay is returned. */
async function replaceable(attempt: Attempt): Promise<Locator | undefined> {
  const { stateFolder, host } = attempt;
  let told: string | undefined;
  for (;;) {
    const found = findSandbox(stateFolder, (pid) => host.kill(pid, 0));
    if (!found || isUsable(found, attempt)) return found;
    if (isElsewhere(found.start)) throw runsElsewhere(found, 'with another version of bizmsg');
    if (told !== found.token) host.kill(found.pid, 'SIGTERM');
    told = found.token;
    await pause(attempt);
  }
}

/** One in the foreground belongs to whoever started it, so it is used as it is. */
function isUsable({ build, background }: Locator, wanted: StartOptions): boolean {
  return build === wanted.build || !background;
}

async function pause({ host, deadline, log }: Attempt): Promise<void> {
  if (host.now() > deadline) {
    throw configuration('sandbox-start', 'the sandbox is not ready in time', `its log may say why: ${log}`);
  }
  await sleep(poll, host.signal);
}
