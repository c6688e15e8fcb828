import { spawn } from 'node:child_process';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/main.ts';
import { loadSqlite } from '../../bin/sqlite.js';
import { readIfPresent } from '../../src/base/files.ts';
import type { Attached, Host, Output } from '../../src/base/host.ts';
import { homeEnv, posixOnly } from './system.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** The width of the terminal; undefined if both outputs are pipes. */
  readonly terminal?: number;
  /** Makes stdin a terminal as well, on which these streams show questions and read keys. */
  readonly keyboard?: { readonly stdin: Readable; readonly stderr: Writable };
  /** The kind of stdout if only stderr is the terminal. */
  readonly stdout?: 'pipe' | 'file';
  readonly home: string;
  /** The simulated version of Node. */
  readonly node?: string;
  readonly later?: Host['later'];
  readonly now?: Host['now'];
  readonly steady?: Host['steady'];
  readonly sqlite?: Host['sqlite'];
  readonly pid?: number;
  readonly parent?: number;
  readonly kill?: Host['kill'];
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** A command in this process, and its output so far. */
export interface RunningCli {
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ran>;
}

/** Runs a command line in this process. */
export async function cli(argv: readonly string[], options: CliOptions): Promise<Ran> {
  return startCli(argv, options).ended;
}

export function startCli(argv: readonly string[], options: CliOptions): RunningCli {
  const out = collector(options.stdout ? undefined : options.terminal, options.stdout === 'file');
  const err = collector(options.terminal);
  const host: Host = {
    argv,
    env: { ...homeEnv(options.home), ...options.env },
    stdout: out.output,
    stderr: err.output,
    stdinIsTerminal: options.keyboard !== undefined,
    streams: options.keyboard ?? { stdin: stdin(options.stdin), stderr: new PassThrough() },
    readStdin: () => String(options.stdin),
    home: options.home,
    node: options.node ?? process.versions.node,
    pid: options.pid ?? process.pid,
    parent: options.parent ?? process.ppid,
    self: [process.execPath, fileURLToPath(new URL('../../bin/bizmsg.js', import.meta.url))],
    signal: options.signal ?? new AbortController().signal,
    handleSignals: () => () => {},
    now: options.now ?? Date.now,
    steady: options.steady ?? (() => performance.now()),
    later: options.later ?? later,
    random: Math.random,
    kill: options.kill ?? kill,
    sqlite: options.sqlite ?? loadSqlite,
    spawnDetached: () => {
      throw new Error('a test in this process must not start a detached process');
    },
    spawnAttached: (command, childOptions) => attached(command, childOptions, [out.output, err.output]),
  };
  const ended = main(host).then((code) => ({ code, stdout: out.text(), stderr: err.text() }));
  return { stdout: out.text, stderr: err.text, ended };
}

/** Stops the sandboxes of a home, if any. */
export async function stopSandboxes(home: string): Promise<void> {
  await cli(['sandbox', 'stop'], { home });
}

function collector(columns: number | undefined, isFile = false): { output: Output; text: () => string } {
  let text = '';
  const write = async (part: string | Uint8Array) => void (text += Buffer.from(part).toString());
  return { output: { isTTY: columns !== undefined, columns, isFile, write }, text: () => text };
}

function stdin(text: string | Buffer | undefined): Readable {
  return text === undefined ? new PassThrough() : Readable.from([text]);
}

export function later(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

/** Runs a child without stdin, and collects its output. */
function attached(
  [program = '', ...words]: readonly string[],
  { env, apart }: Parameters<Host['spawnAttached']>[1],
  [out, err]: readonly [Output, Output],
): Attached {
  const child = spawn(program, words, { env: { ...env }, detached: apart, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (part: Buffer) => void out.write(part.toString()));
  child.stderr.on('data', (part: Buffer) => void err.write(part.toString()));
  const ended = new Promise<Awaited<Attached['ended']>>((resolve, reject) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
    child.on('error', reject);
  });
  return { pid: child.pid, ended };
}

/** Whether a process exists; sends it a signal, if given. */
export function alive(pid: number, signal: Parameters<Host['kill']>[1] = 0): boolean {
  if (signal !== 0 && signal !== 'SIGKILL') posixOnly('a signal ends a process immediately');
  return kill(pid, signal);
}

/** False for a zombie, too. */
export function isRunning(pid: number): boolean {
  return alive(pid) && !/\) [ZX] /.test(readIfPresent(`/proc/${pid}/stat`) ?? '');
}

function kill(pid: number, signal: Parameters<Host['kill']>[1] = 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
