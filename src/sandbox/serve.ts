import type { Host } from '../base/host.ts';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CliError, configuration } from '../base/errors.ts';
import { ownText, readIfPresent } from '../base/files.ts';
import { Connection } from '../base/sqlite-connection.ts';
import { failureOf, holderOf, isBusy } from '../base/sqlite-errors.ts';
import { createLocatorFolder, removeLocator, writeLocator } from './remote/locator.ts';
import { findRunning } from './remote/running.ts';
import type { Sandbox } from './sandbox.ts';
import type { PageFiles } from './control/page.ts';
import { startServer } from './http.ts';
import { openStateFile, type StateFile } from './state/file.ts';

export interface ServeOptions {
  /** Creates the sandbox from its saved state. */
  readonly sandbox: (file: StateFile | undefined) => Sandbox;
  readonly stateFolder: string;
  /** The folder, used by this sandbox only; null for a sandbox that stores nothing. */
  readonly data: string | null;
  readonly port?: number | undefined;
  /** Milliseconds without a request until it ends. */
  readonly idle?: number | undefined;
  readonly background: boolean;
  /** The command-line options it was started with. */
  readonly words?: readonly string[] | undefined;
  readonly build: string;
  readonly host: Pick<Host, 'pid' | 'now' | 'later' | 'sqlite'>;
  readonly warn?: ((text: string) => void) | undefined;
}

const patience = 5_000;

type Ending = 'stopped' | 'idle';

export type LocatedSandbox = Awaited<ReturnType<typeof serve>>;

/** Serves a sandbox over HTTP from its own folder, and writes the locator that lets clients find it. */
export async function serve(options: ServeOptions) {
  const { stateFolder, data, background, words = [], build, host } = options;
  createLocatorFolder(stateFolder);
  const undo: Step[] = [];
  try {
    const sandbox = options.sandbox(data === null ? undefined : await openFileIn(data, options, undo));
    undo.push(() => sandbox.close());
    const { port, url, loopback, token, ending } = await startListening(sandbox, options, undo);
    const keys = { sandbox: sandbox.keys.sandbox, live: sandbox.keys.live };
    const locator = { port, url, loopback, pid: host.pid, token, build, data, background, words, keys };
    writeLocator(stateFolder, locator);
    // Clients must not find a sandbox that is closing, and its timers must not fire.
    undo.push(
      () => sandbox.close(),
      () => removeLocator(stateFolder, locator),
    );
    let closing: Promise<void> | undefined;
    // The caller closes the sandbox when `ending` resolves, on a stop request or after the idle time.
    return { sandbox, locator, ending, close: () => (closing ??= undoAll(undo)) };
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

type Step = () => unknown;

/** Runs the steps in reverse order; a failed step does not stop the others. */
async function undoAll(steps: Step[]): Promise<void> {
  const step = steps.pop();
  try {
    await step?.();
  } finally {
    if (steps.length > 0) await undoAll(steps);
  }
}

/** Locks the folder and opens its file. The lock is released once everything is saved. */
async function openFileIn(data: string, options: ServeOptions, undo: Step[]): Promise<StateFile> {
  const { host, warn = () => {} } = options;
  const path = join(data, 'lock');
  const lock = new Connection(path, { schema: [], sync: 'OFF' }, host.sqlite());
  undo.push(() => lock.close());
  await waitForLock(path, lock, options);
  undo.push(() => lock.all({ sql: 'ROLLBACK', values: [] }));
  const file = openStateFile(data, { host, isOurs: () => lock.isCurrent(), warn });
  undo.push(file.close);
  return file;
}

/** An owner without a locator is starting or ending, so it waits for that. */
async function waitForLock(path: string, lock: Connection, { data, stateFolder, host }: ServeOptions): Promise<void> {
  const deadline = host.now() + patience;
  while (!hasLocked(path, lock)) {
    const [other] = await findRunning(stateFolder, (locator) => locator.data === data);
    if (other || host.now() > deadline) throw alreadyRunning(other?.url ?? holderOf(path));
    await wait(10);
  }
}

/** The kernel ends the transaction with the process, also for other containers. */
function hasLocked(path: string, lock: Connection): boolean {
  try {
    lock.all({ sql: 'BEGIN EXCLUSIVE', values: [] });
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw failureOf(path, error);
  }
}

async function startListening(sandbox: Sandbox, options: ServeOptions, undo: Step[]) {
  // A new one at every start: another program may have taken the port of the last one, and asked its page for the token.
  const token = randomBytes(24).toString('hex');
  let end: (ending: Ending) => void = () => {};
  const ending = new Promise<Ending>((resolve) => (end = resolve));
  const { port, url, loopback, close } = await startServer({
    ...options,
    pid: options.host.pid,
    usualPort: keptPort(options.data),
    sandbox,
    token,
    onStop: () => end('stopped'),
    onIdle: () => end('idle'),
    page: readPage(),
  });
  undo.push(close);
  if (options.data !== null) writeFileSync(join(options.data, 'port'), String(port), { mode: 0o600 });
  return { port, url, loopback, token, ending };
}

/** Read at the start, so that an upgrade cannot replace the files of a running sandbox. */
function readPage(): PageFiles {
  const folder = join(import.meta.dirname, __PAGE__);
  return { script: ownText(join(folder, 'page.js')), style: ownText(join(folder, 'page.css')) };
}

/** A sandbox that is started again is found at its address: an application may have it in its environment. */
function keptPort(data: string | null): number | undefined {
  const text = data === null ? undefined : readIfPresent(join(data, 'port'));
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** Takes the sandbox's address, or the name of its process if it has no address yet. */
export function alreadyRunning(where: string): CliError {
  return configuration(
    'sandbox-running',
    `this sandbox is already running: ${where}`,
    'stop it with bizmsg sandbox stop, or use it; to start a separate one: ' +
      'BIZMSG_STATE_DIR=/elsewhere bizmsg sandbox start --background',
  );
}
