import type { Later } from '../base/host.ts';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type CliError, configuration, unsafe } from '../base/errors.ts';
import { createFolder } from '../base/files.ts';
import { startHeartbeat, type Probe } from '../base/liveness.ts';
import { acquire, type Claim, type Holder, nameOf } from '../base/lock.ts';
import { sleep } from './time/clock.ts';
import type { Journal } from './state/store.ts';
import { findSandbox, type Locator, locatorFolder, removeLocator, writeLocator } from './remote/locator.ts';
import type { Sandbox } from './sandbox.ts';
import { startServer } from './http.ts';
import { openFileJournal } from './state/file-journal.ts';

export interface ServeOptions {
  /** Makes it, on what its folder keeps. */
  readonly sandbox: (journal: Journal | undefined) => Sandbox;
  readonly stateFolder: string;
  /** The folder that it has to itself; null when nothing is kept. */
  readonly data: string | null;
  readonly port?: number | undefined;
  /** Milliseconds without a request after which it ends. */
  readonly idle?: number | undefined;
  readonly background: boolean;
  /** The options that it was started with. */
  readonly words?: readonly string[] | undefined;
  readonly build: string;
  readonly pid: number;
  readonly kill: Probe;
  readonly now: () => number;
  readonly later: Later;
  readonly warn?: ((text: string) => void) | undefined;
}

const patience = 5_000;

type Ending = 'stopped' | 'idle';

export interface Served {
  readonly sandbox: Sandbox;
  readonly locator: Locator;
  /** Settles when it is asked to stop, or was idle for too long; who started it then closes it. */
  readonly ending: Promise<Ending>;
  close(): Promise<void>;
}

/** A sandbox with a socket, a folder of its own, and the locator by which it is found. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { stateFolder, data, background, words = [], build, pid, now } = options;
  locatorFolder(stateFolder);
  const undo: Step[] = [];
  try {
    const journal = data === null ? undefined : await storeIn(data, options, undo);
    const sandbox = options.sandbox(journal);
    undo.push(() => sandbox.close());
    const { port, url, loopback, token, ending } = await listening(sandbox, options, undo);
    const keys = { sandbox: sandbox.keys.sandbox, live: sandbox.keys.live };
    const locator = { port, url, loopback, pid, startedAt: now(), token, build, data, background, words, keys };
    const announcing = announce(sandbox, locator, options);
    // Nobody is to find it while it goes, and nothing falls due in it any more.
    undo.push(
      () => sandbox.close(),
      () => announcing.end(),
    );
    let closing: Promise<void> | undefined;
    return { sandbox, locator, ending, close: () => (closing ??= undone(undo)) };
  } catch (error) {
    await undone(undo);
    throw error;
  }
}

/** Keeps the locator up to date with the limit and the data id of the sandbox. */
function announce(sandbox: Sandbox, locator: Locator, { stateFolder, later, warn }: ServeOptions) {
  let isOver = false;
  const write = () => writeLocator(stateFolder, { ...locator, minute: sandbox.minute(), dataId: sandbox.dataId() });
  const stopBeating = startHeartbeat(write(), later, write);
  sandbox.onLocatorChange(() => {
    if (isOver) return;
    try {
      write();
    } catch (error) {
      warn?.(`callers do not learn of the change of plan, clock or data: ${String(error)}`);
    }
  });
  return {
    end: () => {
      stopBeating();
      isOver = true;
      removeLocator(stateFolder, locator);
    },
  };
}

type Step = () => unknown;

/** The last one first, and the others even when it fails. */
async function undone(steps: Step[]): Promise<void> {
  const step = steps.pop();
  try {
    await step?.();
  } finally {
    if (steps.length > 0) await undone(steps);
  }
}

/** The lock is let go after the journal is closed: whoever is to follow waits for that, and reads all. */
async function storeIn(data: string, options: ServeOptions, undo: Step[]): Promise<Journal> {
  const { later, warn } = options;
  const held = await claim(data, options);
  undo.push(() => held.release());
  const journal = openFileJournal(data, { later, isOurs: held.isHeld, warn });
  undo.push(journal.close);
  return journal;
}

async function listening(sandbox: Sandbox, options: ServeOptions, undo: Step[]) {
  const token = randomBytes(24).toString('hex');
  let end: (ending: Ending) => void = () => {};
  const ending = new Promise<Ending>((resolve) => (end = resolve));
  const onStop = () => end('stopped');
  const onIdle = () => end('idle');
  const { port, url, loopback, close } = await startServer({ ...options, sandbox, token, onStop, onIdle });
  undo.push(close);
  return { port, url, loopback, token, ending };
}

type Held = Extract<Claim, { held: true }>;

/** Whoever holds it without a locator is about to end, or about to write one, and is waited for. */
async function claim(data: string, { stateFolder, pid, kill, now, later }: ServeOptions): Promise<Held> {
  createFolder(data);
  const deadline = now() + patience;
  for (;;) {
    const claimed = acquire(join(data, 'lock'), { pid, kill, later });
    if (claimed.held) return claimed;
    if (claimed.by?.host !== undefined) throw heldElsewhere(data, claimed.by);
    const other = findSandbox(stateFolder, kill, data);
    if (other || now() > deadline) throw alreadyRunning(other?.url ?? nameOf(claimed.by));
    await sleep(10);
  }
}

/** A sandbox in another container or on another machine may be out of reach from here. */
function heldElsewhere(data: string, by: Holder): CliError {
  const hint =
    'stop it there; if it was killed, wait 90 seconds; or use a folder of your own: --data DIR or BIZMSG_STATE_DIR';
  return unsafe('sandbox-elsewhere', `${nameOf(by)} serves this sandbox: ${data}`, hint);
}

/** Said of an address, or of a process that has none yet. */
export function alreadyRunning(where: string): CliError {
  return configuration(
    'sandbox-running',
    `this sandbox runs already: ${where}`,
    'stop it first with bizmsg sandbox stop, or use that one; ' +
      'BIZMSG_STATE_DIR=/elsewhere bizmsg sandbox start --background is one of its own',
  );
}
