import type { Readable, Writable } from 'node:stream';

export type Env = Readonly<Record<string, string | undefined>>;

/** Text that was given up because its reader took nothing for a while after a signal. */
export interface Unprinted {
  readonly bytes: number;
  readonly lines: number;
}

/** Where text goes. */
export interface Output {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Whether it is a regular file. */
  readonly isFile?: boolean;
  readonly unprinted: Unprinted;
  /** Settles once all of it has left, or was given up; a reader that went away is not a failure. */
  write(text: string | Uint8Array): Promise<void>;
}

interface Child {
  readonly pid?: number | undefined;
  /** Lets this process end while the child lives on. */
  unref(): void;
}

interface SpawnOptions {
  readonly env: Env;
  /** A file that takes the child's output; it is made 0600. */
  readonly log: string;
}

/** A process that has this one's stdin, stdout and stderr. */
export interface Attached {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Rejects when it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

interface AttachOptions {
  readonly env: Env;
  /** In a session of its own, so that it leads a process group and has no terminal. */
  readonly apart: boolean;
}

/** What asks a process to end. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The process as the program sees it. `bin` makes the real one, tests make their own. */
export interface Host {
  /** What follows the program's name. */
  readonly argv: readonly string[];
  readonly env: Env;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether stdin is a terminal, known without touching it. */
  readonly stdinIsTerminal: boolean;
  /** The streams themselves, for what reads stdin or draws on the terminal. */
  readonly streams: { readonly stdin: Readable; readonly stderr: Writable };
  readonly home: string;
  /** The version of Node. */
  readonly node: string;
  readonly pid: number;
  /** The command line that starts this same bizmsg again. */
  readonly self: readonly string[];
  /** Aborted by SIGINT, SIGTERM and SIGHUP; the reason is the signal's name. */
  readonly signal: AbortSignal;
  /**
   * From now on they neither abort that nor end this process, but are told, until what is returned is called; where
   * `unread` is given, a reader of stdout who went away is told so too, again and again, and ends nothing either.
   */
  takeSignals(listener: (signal: EndSignal) => void, unread?: () => void): () => void;
  now(): number;
  /** Milliseconds since this machine began: the same for all its processes, and never set back. */
  steady(): number;
  readonly later: Later;
  random(): number;
  /** Signal 0 asks whether the process lives; a number below zero means a process group. */
  kill(pid: number, signal: 0 | EndSignal | 'SIGKILL'): boolean;
  /** Starts a process that outlives this one. */
  spawnDetached(command: readonly string[], options: SpawnOptions): Child;
  spawnAttached(command: readonly string[], options: AttachOptions): Attached;
}

/** Runs it after so many milliseconds; what is returned calls it off. */
export type Later = (milliseconds: number, run: () => void) => () => void;
