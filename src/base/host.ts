import type { Readable, Writable } from 'node:stream';
import type { Later } from './sleep.ts';
import type { Row, Value } from './transaction.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** stdout or stderr. */
export interface Output {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Whether it is a regular file. */
  readonly isFile?: boolean;
  /**
   * Resolves once the text is written. A closed reader is not an error, one that reads nothing after a signal is. Errors
   * have `isOutput`, which distinguishes them from a failed write to a file: neither names its target.
   */
  write(text: string | Uint8Array): Promise<void>;
}

/** A child process that inherits stdin, stdout and stderr. */
export interface Attached {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Rejects if it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** The used part of `node:sqlite`. */
export interface Sqlite {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number }) => SqliteConnection;
}

declare global {
  namespace NodeJS {
    interface Process {
      /** The types of Node 20 do not have it. */
      getBuiltinModule(id: 'node:sqlite'): Sqlite | undefined;
    }
  }
}

interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  all(...values: readonly Value[]): readonly Row[];
}

/** Signals that ask a process to end. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The operating system process behind an interface. `bin` creates the real one, tests create their own. */
export interface Host {
  /** Arguments after the program name. */
  readonly argv: readonly string[];
  readonly env: Env;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether stdin is a terminal. Known without opening the stream. */
  readonly stdinIsTerminal: boolean;
  /** The raw streams, for reading stdin and for prompts. */
  readonly streams: { readonly stdin: Readable; readonly stderr: Writable };
  /** Reads a pipe to its end, without streams, which take 4 ms to load. */
  readStdin(): string;
  readonly home: string;
  /** Node version. */
  readonly node: string;
  readonly pid: number;
  /** The pid of the shell, for example. */
  readonly parent: number;
  /** Command line that starts the same bizmsg again. */
  readonly self: readonly string[];
  /** Aborted by SIGINT, SIGTERM and SIGHUP; the reason is the signal's name. */
  readonly signal: AbortSignal;
  /**
   * Passes signals to `listener` instead of aborting `signal`, until the returned function is called. With `onUnread`,
   * a closed stdout does not end the process either: each failed write calls it.
   */
  handleSignals(listener: (signal: EndSignal) => void, onUnread?: () => void): () => void;
  now(): number;
  /** Milliseconds since this machine started: monotonic, and the same for all its processes. */
  steady(): number;
  readonly later: Later;
  random(): number;
  /** Signal 0 checks whether the process is alive; a negative pid means a process group. */
  kill(pid: number, signal: 0 | EndSignal | 'SIGKILL'): boolean;
  /** Loads SQLite; undefined if this Node has none. */
  sqlite(): Sqlite | undefined;
  /** Starts a process that outlives this one, once it is `unref`ed. `log` gets its output, with mode 0600. */
  spawnDetached(
    command: readonly string[],
    options: { readonly env: Env; readonly log: string },
  ): { readonly pid?: number | undefined; unref(): void };
  /** `apart`: in a new session, so that it leads a process group and has no terminal. */
  spawnAttached(command: readonly string[], options: { readonly env: Env; readonly apart: boolean }): Attached;
}

/** Returns the milliseconds since now. Either clock may stand still or jump. */
export function startAge({ now, steady }: Pick<Host, 'now' | 'steady'>): () => number {
  const [time, moment] = [now(), steady()];
  return () => Math.max(now() - time, steady() - moment);
}
