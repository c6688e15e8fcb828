import type { Host } from '../base/host.ts';
import type { Client } from '../client/client.ts';
import type { Remote } from '../sandbox/remote/remote.ts';
import { connect, type Connection, type TryLookup } from '../session/connect.ts';
import { currentCaller } from '../session/current-caller.ts';
import type { Profiles } from '../session/profiles/profiles.ts';
import type { Target } from '../session/profiles/resolve.ts';
import type { RunClient, RunOptions } from '../session/run-client.ts';
import type { Sandboxes } from '../session/sandboxes.ts';
import type { AnyCaller, Interaction, Session } from '../session/session.ts';
import type { Globals } from './globals.ts';
import { type Progress, withSpinner } from './output/progress.ts';
import type { Reporter } from './output/reporter.ts';
import { createPrompts, type Prompts } from './prompts.ts';

/** The interface of commands to the rest of the program. Each part is created on first use. */
export interface Context extends Prompts {
  /** The options and the process, for functions of the session room. */
  readonly session: Session;
  readonly given: Globals;
  /** The arguments after the program's name. */
  readonly typed: readonly string[];
  /** Aborted when the user or the system ends this process. */
  readonly signal: AbortSignal;
  /** Prints a note on stderr, unless --quiet is given. */
  note(code: string, message: string): void;
  /** Prints text for a person who is asked next. */
  say(text: string): void;
  helpFor(words: readonly string[]): Promise<string>;
  /** A command or a group, or all of them, for programs. */
  describe(words: readonly string[]): Promise<object>;
  /** The service, called as the current caller. */
  client(): Promise<Client>;
  /** Looks something up as the current caller. */
  readonly tryLookup: TryLookup;
  /** The service, called with this key at this address. */
  clientFor(target: Target): Promise<Client>;
  /** Like `client()`, for many requests at a pace. */
  clientForRun(options?: RunOptions): Promise<RunClient>;
  profiles(): Promise<Profiles>;
  sandboxes(): Promise<Sandboxes>;
  /** The control plane of the sandbox of the profile `local`, started on demand. */
  sandbox(): Promise<Remote>;
  progress(): Promise<Progress>;
  /** Whether the output is read line by line as it appears, not as data at the end. */
  readonly showsLines: boolean;
}

/** The context with the members that only `run` uses. */
export interface CliContext extends Context {
  /** Why no message reaches a phone; undefined if it does, or if nothing was called. */
  harmless(): 'simulated' | 'sandbox' | undefined;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly host: Host;
  readonly given: Globals;
  readonly reporter: Reporter;
  readonly helpFor: (words: readonly string[]) => Promise<string>;
  readonly describe: (words: readonly string[]) => Promise<object>;
  readonly command?: string;
}

export function createContext({ host, given, reporter, helpFor, describe, command = '' }: ContextOptions): CliContext {
  const sandboxes = once(async () => (await import('../session/sandboxes.ts')).openSandboxes(host));
  const prompts = createPrompts(host, given, () => note('keyboard', 'reading stdin from the keyboard; Ctrl-D ends it'));
  const interaction: Interaction = {
    confirm: (question) => createPrompts(host, { ...given, yes: false }).confirm(question),
    spin: (text, work) => withSpinner(text, { host, given }, work),
  };
  const session: Session = { host, given, reporter, interaction, command, sandboxes };
  const note = (code: string, message: string) => void (given.quiet || reporter.note(code, message));
  const connections: Connection[] = [];

  const connected = async (caller: AnyCaller) => {
    const connection = await connect(session, caller);
    connections.push(connection);
    return connection;
  };
  const own = once(async () => connected(await currentCaller(session)));

  return {
    session,
    given,
    typed: host.argv,
    signal: host.signal,
    ...prompts,
    note,
    say: reporter.say,
    helpFor,
    describe,
    client: async () => (await own()).client,
    tryLookup: async (look) => (await own()).tryLookup(look),
    clientFor: async (target) => (await connected(target)).client,
    clientForRun: async (options) => {
      const [{ openRunClient }, caller] = await Promise.all([
        import('../session/run-client.ts'),
        currentCaller(session),
      ]);
      const { connection, runClient } = await openRunClient(session, caller, options);
      connections.push(connection);
      return runClient;
    },
    profiles: once(async () => {
      const [{ openProfiles }, { configFolder }] = await Promise.all([
        import('../session/profiles/profiles.ts'),
        import('../session/profiles/environment.ts'),
      ]);
      return openProfiles({ folder: configFolder(host.env, host.home), flags: given, env: host.env });
    }),
    sandboxes,
    sandbox: once(async () => {
      const found = await sandboxes();
      return found.remote(await found.ensure());
    }),
    progress: async () => (await import('./output/progress.ts')).createProgress(host, given, reporter),
    get showsLines() {
      const { output, json, columns, query } = given;
      if (json || columns !== undefined || query !== undefined) return false;
      return output === undefined ? host.stdout.isTTY : output === 'table';
    },
    harmless: () => {
      if (connections.some(({ simulated }) => simulated)) return 'simulated';
      return connections.some(({ mode }) => mode === 'sandbox') ? 'sandbox' : undefined;
    },
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
