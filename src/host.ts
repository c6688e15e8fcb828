import type { Readable, Writable } from 'node:stream';

export type Env = Readonly<Record<string, string | undefined>>;

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };
export type Input = Readable & { readonly isTTY?: boolean };

export interface Child {
  readonly pid: number | undefined;
  /** Lets this process end while the child lives on. */
  unref(): void;
}

export interface SpawnOptions {
  readonly env: Env;
  /** A file that takes the child's output; it is made 0600. */
  readonly log: string;
}

/** The process as the program sees it. `bin` makes the real one, tests make their own. */
export interface Host {
  /** What follows the program's name. */
  readonly argv: readonly string[];
  readonly env: Env;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly home: string;
  readonly pid: number;
  /** The command line that starts this same bizmsg again. */
  readonly self: readonly string[];
  /** Aborted by SIGINT, SIGTERM and SIGHUP; the reason is the signal's name. */
  readonly signal: AbortSignal;
  now(): number;
  random(): number;
  /** Signal 0 asks whether the process lives. */
  kill(pid: number, signal: 0 | 'SIGTERM' | 'SIGKILL'): boolean;
  /** Starts a process that outlives this one. */
  spawnDetached(command: readonly string[], options: SpawnOptions): Child;
}
