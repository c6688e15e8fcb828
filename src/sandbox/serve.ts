import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { configuration } from '../errors.ts';
import type { CliError } from '../errors.ts';
import { makeFolder } from '../folder.ts';
import { acquire } from '../lock.ts';
import type { Probe } from '../process-life.ts';
import { sleep } from './clock.ts';
import type { Locator } from './locator.ts';
import { findSandbox, locatorFolder, removeLocator, writeLocator } from './locator.ts';
import type { Sandbox } from './sandbox.ts';
import type { RunningServer } from './server.ts';
import { startServer } from './server.ts';

export interface ServeOptions {
  readonly sandbox: Sandbox;
  readonly stateFolder: string;
  /** The folder that it has to itself; null when nothing is kept. */
  readonly data: string | null;
  readonly port?: number | undefined;
  /** Milliseconds without a request after which it ends. */
  readonly idle?: number | undefined;
  readonly background: boolean;
  readonly build: string;
  readonly pid: number;
  readonly kill: Probe;
  readonly now: () => number;
  readonly warn?: ((text: string) => void) | undefined;
}

const patience = 5_000;

export type Ending = 'stopped' | 'idle';

export interface Served {
  readonly locator: Locator;
  /** Settles when it is asked to stop, or was idle for too long; who started it then closes it. */
  readonly ending: Promise<Ending>;
  close(): Promise<void>;
}

/** A sandbox with a socket, a folder of its own, and the locator by which it is found. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { sandbox, stateFolder, data, background, build, pid, now } = options;
  locatorFolder(stateFolder);
  const release = data === null ? () => {} : await claim(data, options);
  let server: RunningServer | undefined;
  try {
    const token = randomBytes(24).toString('hex');
    let end: (ending: Ending) => void = () => {};
    const ending = new Promise<Ending>((resolve) => (end = resolve));
    server = await startServer({ ...options, token, onStop: () => end('stopped'), onIdle: () => end('idle') });
    const running = server;
    const { port, url } = running;
    const keys = { sandbox: sandbox.keys.sandbox, live: sandbox.keys.live };
    const locator = { port, url, pid, startedAt: now(), token, build, data, background, keys };
    writeLocator(stateFolder, locator);
    const close = async () => {
      // Nobody is to find it while it goes.
      removeLocator(stateFolder, locator);
      sandbox.close();
      // Before the port falls silent, which is what the one that waits to follow listens for.
      release();
      await running.close();
    };
    return { locator, ending, close };
  } catch (error) {
    await server?.close();
    release();
    throw error;
  }
}

/** Whoever holds it without a locator is about to end, or about to write one, and is waited for. */
async function claim(data: string, { stateFolder, pid, kill, now }: ServeOptions): Promise<() => void> {
  makeFolder(data);
  const deadline = now() + patience;
  for (;;) {
    const claimed = acquire(join(data, 'lock'), { pid, kill });
    if (claimed.held) return () => claimed.release();
    const other = findSandbox(stateFolder, kill, data);
    if (other || now() > deadline) throw alreadyRunning(other?.url ?? `process ${claimed.by}`);
    await sleep(10);
  }
}

/** Said of an address, or of a process that has none yet. */
export function alreadyRunning(where: string): CliError {
  return configuration(
    'sandbox-running',
    `this sandbox runs already: ${where}`,
    'stop it first with bizmsg sandbox stop, or use that one',
  );
}
