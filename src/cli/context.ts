import type { Client } from '../client/client.ts';
import type { Host } from '../base/host.ts';
import type { Caller, Target } from '../session/profiles/resolve.ts';
import type { Profiles } from '../session/profiles/profiles.ts';
import type { Remote } from '../sandbox/remote/remote.ts';
import type { Interaction, Session } from '../session/session.ts';
import { asked, type Who } from '../session/current-caller.ts';
import { connect, type Connection } from '../session/connect.ts';
import type { Diagnosis } from '../doctor/check.ts';
import type { Completions } from './complete/install.ts';
import type { Globals } from './globals.ts';
import { type Progress, withSpinner } from './output/progress.ts';
import { createPrompts, type Prompts } from './prompts.ts';
import type { Reporter } from './output/reporter.ts';
import type { RunClient, RunOptions } from '../session/run-client.ts';
import type { Sandboxes } from '../session/sandboxes.ts';
import type { Wanted, Watch } from './watch.ts';

/** What a command may use. Each part is made on first use, so that none costs before. */
export interface Context extends Prompts {
  /** The command line and its process, for what calls the service. */
  readonly session: Session;
  readonly given: Globals;
  /** What was typed after the program's name. */
  readonly typed: readonly string[];
  /** Aborted when the user or the system wants this process to end. */
  readonly signal: AbortSignal;
  /** Said on stderr; --quiet silences it. */
  note(code: string, message: string): void;
  helpFor(words: readonly string[]): Promise<string>;
  who(): Promise<Who>;
  /** The service, called as who this command line says. */
  client(): Promise<Client>;
  clientFor(target: Target): Promise<Client>;
  /** The same service as `client()`, for many requests at a pace. */
  clientForRun(options?: RunOptions): Promise<RunClient>;
  profiles(): Promise<Profiles>;
  /** What signs events: the given secret, else that of the environment or the profile. It is printed nowhere. */
  signingSecret(given?: string): Promise<string | undefined>;
  /** Which one that is, for people. */
  secretOwner(): Promise<string>;
  sandboxes(): Promise<Sandboxes>;
  /** The control plane of the sandbox that the profile `local` means, started if need be. */
  sandbox(): Promise<Remote>;
  /** The events of the service that is called, from now on; it fails where nobody would hear them. */
  watch(wanted?: Wanted): Promise<Watch>;
  /** What shells need to complete the words of this program. */
  completions(): Promise<Completions>;
  /** Keeps the names of templates of the service that is called, for a shell to offer. */
  learnTemplates(names: readonly string[]): Promise<void>;
  /** Whether nothing may go to another machine (`BIZMSG_ONLY`). */
  onlyLocal(): Promise<boolean>;
  /** The keys and webhook secrets of the environment and of the stored profiles. They are printed nowhere. */
  knownKeys(): Promise<readonly string[]>;
  diagnose(): Promise<Diagnosis>;
  progress(): Promise<Progress>;
  /** Whether lines are read as they come, and not data at the end. */
  readonly showsLines: boolean;
}

/** What the frame alone needs of it. */
export interface CliContext extends Context {
  /** Whether what was called is the sandbox on this machine. */
  simulated(): boolean;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly host: Host;
  readonly given: Globals;
  readonly reporter: Reporter;
  readonly helpFor: (words: readonly string[]) => Promise<string>;
  readonly command?: string;
}

export function createContext({ host, given, reporter, helpFor, command = '' }: ContextOptions): CliContext {
  const sandboxes = once(async () => (await import('../session/sandboxes.ts')).openSandboxes(host));
  const prompts = createPrompts(host, given);
  const interaction: Interaction = {
    confirm: (question) => createPrompts(host, { ...given, yes: false }).confirm(question),
    spin: (text, work) => withSpinner(text, { host, given }, work),
  };
  const session: Session = { host, given, reporter, interaction, command, sandboxes };
  const note = (code: string, message: string) => void (given.quiet || reporter.note(code, message));
  const connections: Connection[] = [];

  const connected = async (caller: Parameters<typeof connect>[1]): Promise<Client> => {
    const connection = await connect(session, caller);
    connections.push(connection);
    return connection.client;
  };

  const resolved = async (): Promise<Caller> => {
    const [{ resolve }, about] = await Promise.all([import('../session/profiles/resolve.ts'), asked(host, given)]);
    return resolve(about);
  };

  return {
    session,
    given,
    typed: host.argv,
    signal: host.signal,
    ...prompts,
    note,
    helpFor,
    who: async () => {
      const [{ explain }, { winnerOf }] = await Promise.all([
        import('../session/profiles/explain.ts'),
        import('../session/current-caller.ts'),
      ]);
      const { caller, problem, candidates } = explain(await asked(host, given));
      return { winner: caller && winnerOf(caller, await sandboxes()), problem, candidates };
    },
    client: once(async () => connected(await resolved())),
    clientFor: connected,
    clientForRun: async (options) => {
      const [{ openRunClient }, caller] = await Promise.all([import('../session/run-client.ts'), resolved()]);
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
    signingSecret: async (given) => {
      const secret = (await import('../session/signing-secret.ts')).signingSecret(host, session.given, given);
      if (secret !== undefined) reporter.hide(secret);
      return secret;
    },
    secretOwner: async () => (await import('../session/signing-secret.ts')).secretOwner(host, given),
    sandboxes,
    sandbox: once(async () => {
      const found = await sandboxes();
      return found.remote(await found.ensure());
    }),
    watch: async (wanted = 'told') =>
      (await import('./watch.ts')).openWatch({ host, given, sandboxes: await sandboxes(), note }, wanted),
    completions: async () => (await import('./complete/install.ts')).openCompletions(host),
    learnTemplates: async (names) =>
      (await import('./complete/templates.ts')).learnTemplates(host, await resolved(), names),
    onlyLocal: async () => (await import('../session/profiles/environment.ts')).onlyLocal(host.env),
    knownKeys: async () => {
      const [{ knownKeys }, { loadStore }] = await Promise.all([
        import('../session/profiles/store.ts'),
        asked(host, given),
      ]);
      return knownKeys(host.env, loadStore);
    },
    diagnose: async () => (await import('../doctor/diagnose.ts')).diagnose(session),
    progress: async () => (await import('./output/progress.ts')).createProgress(host, given, reporter),
    get showsLines() {
      const { output, json, columns, query } = given;
      if (json || columns !== undefined || query !== undefined) return false;
      return output === undefined ? host.stdout.isTTY : output === 'table';
    },
    simulated: () => connections.some(({ simulated }) => simulated),
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
