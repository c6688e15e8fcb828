import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, configuration } from '../base/errors.ts';
import { fsError, createFolder } from '../base/files.ts';
import type { Attached, EndSignal, Env, Host } from '../base/host.ts';
import { readIfPresent } from '../base/liveness.ts';
import { signalExit } from './output/reporter.ts';

export interface ChildCommand {
  readonly command: readonly string[];
  readonly stateFolder: string;
  /** Environment variables that replace those of this process; together they identify the command. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs when the command has ended, before its background processes are ended. */
  readonly afterwards?: Afterwards | undefined;
}

type Afterwards = (exit: number) => Promise<void>;

type Send = (signal: EndSignal | 'SIGKILL' | 0) => boolean;

/** Grace periods in milliseconds: for the command, for its background processes, and for those after SIGKILL. */
const patience = { command: 5_000, leftovers: 2_000, killed: 1_000 };
const poll = 20;
/** Milliseconds within which signals count as one Ctrl-C, which a terminal and npx both send. */
const oneCtrlC = 500;

/** Runs a command with the streams of this process. Resolves to its exit code when all its processes have ended. */
export async function runCommand(
  host: Host,
  { command, stateFolder, variables, afterwards }: ChildCommand,
): Promise<number> {
  if (host.signal.aborted) return signalExit(host.signal.reason);
  const env = childEnvironment(host.env, { folder: await ownFolder(stateFolder, host), stateFolder, variables });
  // A command can read from its terminal, and be stopped by Ctrl-Z, only in the terminal's session.
  const apart = !hasTerminal(host);
  const { pid, ended } = await start(host, command, { env, apart });
  const marks = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const head = { pid, apart, owner: host.pid, marks };
  const send: Send = (signal) => signalFamily(head, signal, host.kill);
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

/** Forwards signals to the command's processes during `act`. */
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
  /** Aborted when all processes have ended. */
  readonly over: AbortSignal;
}

/** Forwards the first signal; kills the command after the grace period, or at a second signal. */
function forward(send: Send, { host, apart, over }: Forwarding): (signal: EndSignal) => void {
  let first: number | undefined;
  return (signal) => {
    // The terminal sends Ctrl-C to the command too, which may handle it and continue.
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

/** Ends the remaining processes of the command, except those of the superuser. */
async function clear(send: Send): Promise<void> {
  if (!send('SIGTERM')) return;
  for (let waited = 0; waited < patience.leftovers; waited += poll) {
    await sleep(poll);
    if (!send(0)) return;
  }
  for (let waited = 0; waited < patience.killed && send('SIGKILL'); waited += poll) await sleep(poll);
}

function unstartable(error: unknown, program: string): unknown {
  const fault = fsError(error);
  if (!fault || !(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')))
    return error;
  const details = { cause: error, ...(program.includes(' ') && { hint: separateWords }) };
  if (fault.code === 'ENOENT')
    return new CliError('noCommand', 'no-command', `there is no command "${program}"`, details);
  return new CliError('unrunnable', 'unrunnable', `"${program}" cannot be run: ${fault.reason}`, details);
}

const separateWords = "pass each word separately; sh -c '…' runs a shell command line";

/** Variables that would override the key passed to the command. */
const cleared = new Set(['BIZMSG_PROFILE', 'BIZMSG_MODE']);
/** The default PATH of a shell. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';

interface Given {
  /** The first folder in PATH. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The environment of this process with the command's variables, without those that contradict them. */
function childEnvironment(env: Env, { folder, stateFolder, variables }: Given): Env {
  const path = env['PATH'] ?? usualPath;
  const hasKey = 'BIZMSG_API_KEY' in variables;
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !(hasKey && cleared.has(name)))),
    // The path may be relative, and the command may change its folder.
    ...(env['BIZMSG_STATE_DIR'] !== undefined && { BIZMSG_STATE_DIR: stateFolder }),
    PATH: path.split(':')[0] === folder ? path : `${folder}:${path}`,
    ...variables,
  };
}

/** Creates a folder with a `bizmsg` that runs this program. Its name is a hash of its content, so it is reused. */
async function ownFolder(stateFolder: string, { self, pid }: Pick<Host, 'self' | 'pid'>): Promise<string> {
  const { createHash } = await import('node:crypto');
  const script = `#!/bin/sh\nexec ${self.map(quoted).join(' ')} "$@"\n`;
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const folder = resolve(stateFolder, 'bin', hash);
  if (folder.includes(':')) {
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-folder', `${folder} cannot be in PATH, because its name contains a colon`, hint);
  }
  place(folder, script, pid);
  return folder;
}

function place(folder: string, script: string, pid: number): void {
  const path = join(folder, 'bizmsg');
  if (readIfPresent(path) === script && isOurs(path)) return;
  createFolder(folder);
  const draft = `${path}.${pid}.new`;
  writeFileSync(draft, script, { mode: 0o700 });
  renameSync(draft, path);
}

function isOurs(path: string): boolean {
  return (statSync(path).mode & 0o777) === 0o700;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Identifies the processes of a command. */
interface Head {
  readonly pid: number;
  /** Whether it runs in its own session. */
  readonly apart: boolean;
  /** Its parent process. */
  readonly owner: number;
  /** Lines of its environment that identify it. */
  readonly marks: readonly string[];
}

/** Sends a signal to every process of a command; false if all have ended. */
function signalFamily(head: Head, signal: Parameters<Host['kill']>[1], kill: Host['kill']): boolean {
  const { pid, apart } = head;
  const table = processTable();
  if (!table) return kill(apart ? -pid : pid, signal);
  const members = membersOf(head, table);
  // The group gets the signal in one step, including processes that start meanwhile.
  const inGroup = apart ? members.filter(({ group }) => group === pid) : [];
  if (inGroup.length > 0) kill(-pid, signal);
  for (const member of members) if (!inGroup.includes(member)) kill(member.pid, signal);
  return members.length > 0;
}

/** Whether a process has a controlling terminal. */
function hasTerminal({ pid, stdinIsTerminal }: Pick<Host, 'pid' | 'stdinIsTerminal'>): boolean {
  const own = statOf(pid);
  return own ? own.terminal !== 0 : stdinIsTerminal;
}

/** Whether this process gets the terminal's Ctrl-C. */
function isInForeground(pid: number): boolean {
  const own = statOf(pid);
  return !own || own.foreground === own.group;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly terminal: number;
  /** The foreground process group of its terminal. */
  readonly foreground: number;
  /** Its start time in kernel ticks. */
  readonly start: number;
}

/**
 * The command with its session, or in a shared session the processes with its environment; and all their descendants.
 * Daemons, which have their own session and no parent, are left running.
 */
function membersOf(head: Head, table: readonly Process[]): readonly Process[] {
  const owner = table.find(({ pid }) => pid === head.owner);
  // The command and its session ended, and another process has its id.
  if (table.some(({ pid, parent }) => pid === head.pid && parent !== head.owner)) return [];
  const isAkin = (one: Process) => {
    if (one.pid === head.pid && one.parent === head.owner) return true;
    return head.apart ? one.session === head.pid : owner !== undefined && isMarked(one, owner, head.marks);
  };
  const kin = new Set(table.filter((one) => one !== owner && isAkin(one)).map(({ pid }) => pid));
  const parents = new Map(table.map(({ pid, parent }) => [pid, parent]));
  return table.filter(({ pid }) => descends(pid, kin, parents));
}

function descends(pid: number, from: ReadonlySet<number>, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) {
    if (from.has(at)) return true;
  }
  return false;
}

function isMarked({ pid, session, start }: Process, owner: Process, marks: readonly string[]): boolean {
  if (session !== owner.session || start < owner.start) return false;
  const lines = readIfPresent(`/proc/${pid}/environ`)?.split('\0') ?? [];
  return marks.every((mark) => lines.includes(mark));
}

/** All running processes; undefined if /proc is not available. */
function processTable(): readonly Process[] | undefined {
  try {
    const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
    return all.length > 0 ? all : undefined;
  } catch {
    return undefined;
  }
}

function statOf(pid: number): Process | undefined {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  // The name before the last parenthesis may contain spaces and parentheses.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const [parent = 0, group = 0, session = 0, terminal = 0, foreground = 0] = fields.map(Number);
  return { pid, parent, group, session, terminal, foreground, start: Number(fields[18]) };
}
