import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, fsError } from '../base/errors.ts';
import { createStateFolder } from '../base/files.ts';
import type { Attached, EndSignal, Env, Host } from '../base/host.ts';
import { isWindows, launcherOf, pathWith } from '../base/system.ts';
import { signalExit } from '../cli/output/reporter.ts';

export interface ChildCommand {
  readonly command: readonly string[];
  readonly stateFolder: string;
  /** Replace all BIZMSG_* of this process's environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Runs when the command has ended, before its background processes are ended. */
  readonly afterwards?: ((exit: number) => Promise<void>) | undefined;
}

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
  { command, afterwards, stateFolder, variables }: ChildCommand,
): Promise<number> {
  if (host.signal.aborted) return signalExit(host.signal.reason);
  const folder = placeLauncher(stateFolder, host.self);
  const isApart = !isWindows && !hasTerminal();
  try {
    const { pid, ended } = await start(host, command, {
      env: environment(host.env, folder, variables),
      apart: isApart,
    });
    const send: Send = (signal) => host.kill(isApart ? -pid : pid, signal);
    const exit = await forwarding(() => exitOf(ended), send, { host, isApart });
    const isLeft = send(0);
    try {
      // A signal ends this wait; the processes are ended below.
      await afterwards?.(exit);
    } finally {
      if (isLeft) await forwarding(() => clear(send), send, { host, isApart });
    }
    return exit;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(host: Host, command: readonly string[], options: Parameters<Host['spawnAttached']>[1]) {
  try {
    const { pid, ended } = host.spawnAttached(command, options);
    // Without a process, it is rejected.
    if (pid === undefined) await ended;
    return { pid: pid ?? 0, ended };
  } catch (error) {
    throw unstartable(error, command[0] ?? '');
  }
}

async function exitOf(ended: Attached['ended']): Promise<number> {
  const { code, signal } = await ended;
  return code ?? 128 + (signal ? (await import('node:os')).constants.signals[signal] : 0);
}

/** Forwards a signal to the command during `act`; kills it after the grace period, or at a second signal. */
async function forwarding<T>(
  act: () => Promise<T>,
  send: Send,
  { host, isApart }: { readonly host: Host; readonly isApart: boolean },
): Promise<T> {
  let first: number | undefined;
  let cancel = () => {};
  const release = host.handleSignals((signal) => {
    // The terminal sends Ctrl-C to the command too, which may handle it and continue.
    if (signal === 'SIGINT' && !isApart) return;
    if (first !== undefined && host.now() <= first + oneCtrlC) return;
    send(first === undefined ? signal : 'SIGKILL');
    if (first === undefined) cancel = host.later(patience.command, () => send('SIGKILL'));
    first ??= host.now();
  });
  try {
    return await act();
  } finally {
    release();
    cancel();
  }
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
  if (!fault) return error;
  const words = program.includes(' ') ? "pass each word separately; sh -c '…' runs a shell command line" : undefined;
  if (fault.code === 'ENOENT') {
    const hint = words ?? 'check its spelling and PATH; a program in this folder begins with ./';
    return new CliError('noCommand', 'no-command', `there is no command "${program}"`, { cause: error, hint });
  }
  const hint = words ?? 'check that it is a program, and that you may execute it';
  return new CliError('unrunnable', 'unrunnable', `"${program}" cannot be run: ${fault.reason}`, {
    cause: error,
    hint,
  });
}

/** The environment of this process; with variables of the command, those replace all BIZMSG_*. */
function environment(env: Env, folder: string, variables: ChildCommand['variables']): Env {
  const entries = Object.entries(env).filter(([name]) => !variables || !name.startsWith('BIZMSG_'));
  return { ...Object.fromEntries(entries), PATH: pathWith(folder, env), ...variables };
}

/** Creates a folder for PATH, with a `bizmsg` that runs this program. */
function placeLauncher(stateFolder: string, self: readonly string[]): string {
  const { name, text } = launcherOf(self);
  createStateFolder(stateFolder);
  const folder = mkdtempSync(join(resolve(stateFolder), 'bin-'));
  writeFileSync(join(folder, name), text, { mode: 0o700 });
  return folder;
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
