import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, configuration } from '../base/errors.ts';
import { fsError, createFolder } from '../base/files.ts';
import type { Attached, EndSignal, Env, Host } from '../base/host.ts';
import { readIfPresent } from '../base/liveness.ts';
import { signalExit } from './output/reporter.ts';

export interface Run {
  readonly command: readonly string[];
  readonly stateFolder: string;
  /** What its environment has in place of this process's; no other command's has the same. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs once the command has ended, while its background processes live on. */
  readonly afterwards?: Afterwards | undefined;
}

type Afterwards = (exit: number) => Promise<void>;

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
    const release = host.handleSignals(passingOn(send, { host, apart, over: over.signal }));
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
  const fault = fsError(error);
  if (!fault || !(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')))
    return error;
  const details = { cause: error, ...(program.includes(' ') && { hint: aLine }) };
  if (fault.code === 'ENOENT')
    return new CliError('noCommand', 'no-command', `there is no command "${program}"`, details);
  return new CliError('unrunnable', 'unrunnable', `"${program}" cannot be run: ${fault.reason}`, details);
}

const aLine = "each word stands by itself; a line of shell is run by sh -c '…'";

/** They would have a command that is told its key call as somebody else. */
const cleared = new Set(['BIZMSG_PROFILE', 'BIZMSG_MODE']);
/** Where a shell looks that has no PATH. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';

interface Given {
  /** It comes first in PATH. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** This process's environment with what a command is given, and nothing that contradicts it. */
function childEnvironment(env: Env, { folder, stateFolder, variables }: Given): Env {
  const path = env['PATH'] ?? usualPath;
  const isToldKey = 'BIZMSG_API_KEY' in variables;
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !(isToldKey && cleared.has(name)))),
    // It may be relative, and the command may go to another folder.
    ...(env['BIZMSG_STATE_DIR'] !== undefined && { BIZMSG_STATE_DIR: stateFolder }),
    PATH: path.split(':')[0] === folder ? path : `${folder}:${path}`,
    ...variables,
  };
}

/** A folder whose `bizmsg` is this very one. It is named after what it holds, so that it is made once and stays. */
async function ownFolder(stateFolder: string, { self, pid }: Pick<Host, 'self' | 'pid'>): Promise<string> {
  const { createHash } = await import('node:crypto');
  const script = `#!/bin/sh\nexec ${self.map(quoted).join(' ')} "$@"\n`;
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const folder = resolve(stateFolder, 'bin', hash);
  if (folder.includes(':')) {
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-folder', `${folder} cannot be in PATH, as it has a colon in it`, hint);
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

/** By what the processes of a command are known. */
interface Head {
  readonly pid: number;
  /** Whether it leads a session of its own. */
  readonly apart: boolean;
  /** The process that started it. */
  readonly owner: number;
  /** Lines of its environment that no other command's has. */
  readonly marks: readonly string[];
}

/** Sends it to every process of a command; false when none is left. */
function signalFamily(head: Head, signal: Parameters<Host['kill']>[1], kill: Host['kill']): boolean {
  const { pid, apart } = head;
  const table = processTable();
  if (!table) return kill(apart ? -pid : pid, signal);
  const members = membersOf(head, table);
  // A group hears it at once, whatever it starts meanwhile.
  const inGroup = apart ? members.filter(({ group }) => group === pid) : [];
  if (inGroup.length > 0) kill(-pid, signal);
  for (const member of members) if (!inGroup.includes(member)) kill(member.pid, signal);
  return members.length > 0;
}

/** Whether a process has a terminal that can stop it and send it Ctrl-C. */
function hasTerminal({ pid, stdinIsTerminal }: Pick<Host, 'pid' | 'stdinIsTerminal'>): boolean {
  const own = statOf(pid);
  return own ? own.terminal !== 0 : stdinIsTerminal;
}

/** Whether a terminal's Ctrl-C means this process. */
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
  /** The process group that its terminal's keys mean. */
  readonly foreground: number;
  /** When it began, in the kernel's ticks. */
  readonly start: number;
}

/**
 * The command, and its session where it has one of its own; else what carries its environment in the session that it
 * shares. With what descends from those. What left for a session of its own, and lost its parent, was to stay.
 */
function membersOf(head: Head, table: readonly Process[]): readonly Process[] {
  const owner = table.find(({ pid }) => pid === head.owner);
  // The command ended, its whole session too, and the system gave its number to another process.
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

/** All that live; undefined where the kernel does not tell. */
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
  // The name before the last bracket may hold spaces and brackets.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const [parent = 0, group = 0, session = 0, terminal = 0, foreground = 0] = fields.map(Number);
  return { pid, parent, group, session, terminal, foreground, start: Number(fields[18]) };
}
