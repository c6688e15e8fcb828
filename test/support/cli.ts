import { PassThrough, Readable } from 'node:stream';
import { tree } from '../../src/commands/index.ts';
import { run } from '../../src/cli/run.ts';
import type { Host, Output } from '../../src/host.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The terminal's width; without it both outputs are pipes. */
  readonly terminal?: number;
  readonly home: string;
}

/** One command line in this process, as `main` would run it. */
export async function cli(argv: readonly string[], options: CliOptions): Promise<Ran> {
  const out = collector(options.terminal);
  const err = collector(options.terminal);
  const host: Host = {
    argv,
    env: { HOME: options.home, ...options.env },
    stdout: out.output,
    stderr: err.output,
    stdinIsTerminal: false,
    streams: { stdin: stdin(options.stdin), stderr: new PassThrough() },
    home: options.home,
    pid: process.pid,
    self: [process.execPath, new URL('../../bin/bizmsg.js', import.meta.url).pathname],
    signal: new AbortController().signal,
    now: Date.now,
    random: Math.random,
    kill: alive,
    spawnDetached: () => {
      throw new Error('a test in process starts no process');
    },
  };
  const code = await run(host, tree);
  return { code, stdout: out.text(), stderr: err.text() };
}

function collector(columns: number | undefined): { output: Output; text: () => string } {
  let text = '';
  const write = async (part: string) => void (text += part);
  return { output: { isTTY: columns !== undefined, columns, write }, text: () => text };
}

function stdin(text: string | undefined): Readable {
  return text === undefined ? new PassThrough() : Readable.from([text]);
}

export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
