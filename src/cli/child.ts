import { closeSync, openSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, configuration, fsError } from '../base/errors.ts';
import { createFolder, hasMode } from '../base/files.ts';
import type { Attached, EndSignal, Env, Host } from '../base/host.ts';
import { readIfPresent } from '../base/liveness.ts';
import { replaceFile } from '../base/replace-file.ts';
import { hasProcessGroups, isWindows, launcherOf, pathWith } from '../base/system.ts';
import { signalExit } from './output/reporter.ts';

export interface ChildCommand {
  readonly command: readonly string[];
  readonly stateFolder: string;
  /** Environment variables that replace those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Runs when the command has ended, before its background processes are ended. */
  readonly afterwards?: Afterwards | undefined;
}

type Afterwards = (exit: number) => Promise<void>;

type Send = (signal: EndSignal | 'SIGKILL' | 0) => boolean;

/** Grace periods in milliseconds, for the command and for its background processes. */
const patience = { command: 5_000, leftovers: 2_000 };
const poll = 20;
/** Milliseconds within which signals count as one Ctrl-C, which a terminal and npx both send. */
const oneCtrlC = 500;

/**
 * Runs a command with the streams of this process. Without a terminal it gets a process group, which receives all
 * signals and is ended after the command. In a terminal it stays in this group, which receives Ctrl-C and Ctrl-Z and may
 * read from the terminal. Resolves to its exit code.
 */
export async function runCommand(
  host: Host,
  { command, stateFolder, variables = {}, afterwards }: ChildCommand,
): Promise<number> {
  if (host.signal.aborted) return signalExit(host.signal.reason);
  const env = childEnvironment(host.env, { folder: await ownFolder(stateFolder, host), stateFolder, variables });
  const apart = hasProcessGroups && !hasTerminal();
  const { pid, ended } = await start(host, command, { env, apart });
  const send: Send = (signal) => host.kill(apart ? -pid : pid, signal);
  const forwardDuring = forwarding(send, { host, apart });
  const exit = await forwardDuring(() => exitOf(ended));
  const isLeft = send(0);
  try {
    // A signal ends this wait; the processes are ended below.
    await afterwards?.(exit);
  } finally {
    if (isLeft) await forwardDuring(() => clear(send));
  }
  return exit;
}

async function exitOf(ended: Attached['ended']): Promise<number> {
  const { code, signal } = await ended;
  return code ?? 128 + (signal ? (await import('node:os')).constants.signals[signal] : 0);
}

/** Forwards signals to the command during `act`. */
function forwarding(send: Send, { host, apart }: Omit<Forwarding, 'over'>): <T>(act: () => Promise<T>) => Promise<T> {
  return async (act) => {
    const over = new AbortController();
    const release = host.handleSignals(forward(send, { host, apart, over: over.signal }));
    try {
      return await act();
    } finally {
      release();
      over.abort();
    }
  };
}

async function start(host: Host, command: readonly string[], options: Parameters<Host['spawnAttached']>[1]) {
  try {
    const { pid, ended } = host.spawnAttached(command, options);
    return { pid: pid ?? (await never(ended)), ended };
  } catch (error) {
    throw unstartable(error, command[0] ?? '');
  }
}

async function never(ended: Promise<unknown>): Promise<never> {
  await ended;
  throw new Error('the command ended before it was started');
}

interface Forwarding {
  readonly host: Host;
  readonly apart: boolean;
  /** Aborted when the command has ended. */
  readonly over: AbortSignal;
}

/** Forwards the first signal; kills the command after the grace period, or at a second signal. */
function forward(send: Send, { host, apart, over }: Forwarding): (signal: EndSignal) => void {
  let first: number | undefined;
  return (signal) => {
    // The terminal sends Ctrl-C to the command too, which may handle it and continue.
    if (signal === 'SIGINT' && !apart) return;
    if (first === undefined) {
      first = host.now();
      send(signal);
      sleep(patience.command, undefined, { signal: over }).then(
        () => send('SIGKILL'),
        () => {},
      );
    } else if (host.now() > first + oneCtrlC) send('SIGKILL');
  };
}

/** Ends the remaining processes of the command's group, except those of the superuser. */
async function clear(send: Send): Promise<void> {
  if (!send('SIGTERM')) return;
  for (let waited = 0; waited < patience.leftovers; waited += poll) {
    await sleep(poll);
    if (!send(0)) return;
  }
  send('SIGKILL');
}

function unstartable(error: unknown, program: string): unknown {
  const fault = fsError(error);
  if (!fault || !(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')))
    return error;
  const details = { cause: error, hint: program.includes(' ') ? separateWords : scriptHint };
  if (fault.code === 'ENOENT')
    return new CliError('noCommand', 'no-command', `there is no command "${program}"`, details);
  return new CliError('unrunnable', 'unrunnable', `"${program}" cannot be run: ${fault.reason}`, details);
}

/** Windows starts a script such as `npm.cmd` only within cmd. */
const scriptHint = isWindows ? 'run a script such as npm with cmd /c' : undefined;
const separateWords = "pass each word separately; sh -c '…' runs a shell command line";

/** Variables that would override the key passed to the command. */
const cleared = new Set(['BIZMSG_PROFILE', 'BIZMSG_MODE']);

interface Given {
  /** The first folder in PATH. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The environment of this process with the command's variables, without those that contradict them. */
function childEnvironment(env: Env, { folder, stateFolder, variables }: Given): Env {
  const hasKey = 'BIZMSG_API_KEY' in variables;
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !(hasKey && cleared.has(name)))),
    // The path may be relative, and the command may change its folder.
    ...(env['BIZMSG_STATE_DIR'] !== undefined && { BIZMSG_STATE_DIR: stateFolder }),
    PATH: pathWith(folder, env),
    ...variables,
  };
}

/** Creates a folder with a `bizmsg` that runs this program. Its name is a hash of its content, so it is reused. */
async function ownFolder(stateFolder: string, { self, pid }: Pick<Host, 'self' | 'pid'>): Promise<string> {
  const { createHash } = await import('node:crypto');
  const launcher = launcherOf(self);
  const hash = createHash('sha256').update(launcher.text).digest('hex').slice(0, 16);
  const folder = resolve(stateFolder, 'bin', hash);
  if (folder.includes(delimiter)) {
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-folder', `${folder} cannot be in PATH, because its name contains a ${delimiter}`, hint);
  }
  place(folder, launcher, pid);
  return folder;
}

function place(folder: string, { name, text }: ReturnType<typeof launcherOf>, pid: number): void {
  const path = join(folder, name);
  if (readIfPresent(path) === text && hasMode(path, 0o700)) return;
  createFolder(folder);
  const draft = `${path}.${pid}.new`;
  writeFileSync(draft, text, { mode: 0o700 });
  replaceFile(draft, path);
}

/** Whether this process has a controlling terminal, even if all its streams are redirected. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
