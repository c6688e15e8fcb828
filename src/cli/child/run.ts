import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../../base/errors.ts';
import { fileFault } from '../../base/files.ts';
import type { Attached, EndSignal, Host } from '../../base/host.ts';
import { signalExit } from '../report.ts';
import { childEnvironment } from './environment.ts';
import { hasTerminal, isInForeground, signalFamily } from './family.ts';
import { ownFolder } from './shim.ts';

export interface Run {
  readonly command: readonly string[];
  readonly stateFolder: string;
  /** What its environment has in place of this process's; no other command's has the same. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs once the command has ended, while its background processes live on. */
  readonly afterwards?: Afterwards | undefined;
}

export type Afterwards = (exit: number) => Promise<void>;

type Send = (signal: EndSignal | 'SIGKILL' | 0) => boolean;

/** Milliseconds for a command that was told to end, for what it left behind, and for that once it is killed. */
const patience = { command: 5_000, leftovers: 2_000, killed: 1_000 };
const poll = 20;
/** A terminal and npx both pass one Ctrl-C on. */
const oneCtrlC = 500;

/** Runs a command on this process's own streams. Resolves to its exit code once none of its processes is left. */
export async function runCommand(host: Host, { command, stateFolder, variables, afterwards }: Run): Promise<number> {
  if (host.signal.aborted) return signalExit(host.signal.reason);
  const env = childEnvironment(host.env, { folder: await ownFolder(stateFolder, host), stateFolder, variables });
  // Only in the session of its terminal can a command read from it, and be stopped by its keys.
  const apart = !hasTerminal(host);
  const { pid, ended } = await start(host, command, { env, apart });
  const marks = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const head = { pid, apart, owner: host.pid, marks };
  const send: Send = (signal) => signalFamily(head, signal, host.kill);
  const pass = passing(send, { host, apart });
  const exit = await pass(() => exitOf(ended));
  const isLeft = send(0);
  try {
    // A signal ends this wait; the processes are ended below.
    await afterwards?.(exit);
  } finally {
    if (isLeft) await pass(() => clear(send));
  }
  return exit;
}

async function exitOf(ended: Attached['ended']): Promise<number> {
  const { code, signal } = await ended;
  return code ?? 128 + (signal ? (await import('node:os')).constants.signals[signal] : 0);
}

/** Passes signals on to the command's processes while something is done. */
function passing(send: Send, { host, apart }: Omit<Passing, 'over'>): <T>(act: () => Promise<T>) => Promise<T> {
  return async (act) => {
    const over = new AbortController();
    const release = host.takeSignals(passingOn(send, { host, apart, over: over.signal }));
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
  throw new Error('it ended before it was started');
}

interface Passing {
  readonly host: Host;
  readonly apart: boolean;
  /** Aborted when there is nobody left to be killed. */
  readonly over: AbortSignal;
}

/** A command that does not end when it is told to is killed; so is one whose user tells it twice. */
function passingOn(send: Send, { host, apart, over }: Passing): (signal: EndSignal) => void {
  let first: number | undefined;
  return (signal) => {
    // The terminal has told the command too, which may well go on.
    if (signal === 'SIGINT' && !apart && isInForeground(host.pid)) return;
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

/** Ends what the command left, but for what only the superuser may end. */
async function clear(send: Send): Promise<void> {
  if (!send('SIGTERM')) return;
  for (let waited = 0; waited < patience.leftovers; waited += poll) {
    await sleep(poll);
    if (!send(0)) return;
  }
  for (let waited = 0; waited < patience.killed && send('SIGKILL'); waited += poll) await sleep(poll);
}

function unstartable(error: unknown, program: string): unknown {
  const fault = fileFault(error);
  if (!fault || !(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')))
    return error;
  const details = { cause: error, ...(program.includes(' ') && { hint: aLine }) };
  if (fault.code === 'ENOENT')
    return new CliError('noCommand', 'no-command', `there is no command "${program}"`, details);
  return new CliError('unrunnable', 'unrunnable', `"${program}" cannot be run: ${fault.reason}`, details);
}

const aLine = "each word stands by itself; a line of shell is run by sh -c '…'";
