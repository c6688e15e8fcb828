import type { Host } from '../base/host.ts';
import { connect } from '../session/connect.ts';
import type { Team } from '../session/team-server.ts';
import { openTeam } from '../session/team.ts';
import { isInsideExec } from '../session/caller.ts';
import { ownStateFolder } from '../session/folders.ts';
import type { AnyCaller, Connection, Interaction } from '../session/session.ts';
import type { Context } from './command.ts';
import type { Globals } from './globals.ts';
import { withSpinner } from './output/progress.ts';
import type { Reporter } from './output/reporter.ts';
import { createPrompts } from './prompts.ts';

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
  readonly locate: Context['locate'];
}

export function createContext({ host, given, reporter, locate }: ContextOptions): CliContext {
  const stateFolder = once(() => ownStateFolder(host));
  const sandboxes = once(async () => (await import('../session/sandboxes.ts')).openSandboxes(host, stateFolder()));
  let opened: Promise<Team> | undefined;
  const prompts = createPrompts(host, given, () => note('keyboard', 'reading stdin from the keyboard; Ctrl-D ends it'));
  const interaction: Interaction = {
    confirm: (...question) => createPrompts(host, { ...given, yes: false }).confirm(...question),
    spin: (text, work) => withSpinner(text, { host, given }, work),
  };
  // Inside sandbox exec, it is always the sandbox.
  const isKnown = (code: string) => code === 'simulated' && isInsideExec(host.env);
  const note = (code: string, message: string) => void (given.quiet || isKnown(code) || reporter.note(code, message));
  const connections: Connection[] = [];

  const connected = async (caller: AnyCaller) => {
    const connection = await connect(context, caller);
    connections.push(connection);
    return connection;
  };
  const currentCaller = async () => (await import('../session/caller.ts')).currentCaller(context);
  const own = once(async () => connected(await currentCaller()));

  const context: CliContext = {
    host,
    given,
    reporter,
    interaction,
    stateFolder,
    sandboxes,
    team: (line) => (opened ??= openTeam(context, line)),
    ...prompts,
    listForm: {},
    note,
    locate,
    client: async (target) => (await (target ? connected(target) : own())).client,
    sendOnce: async (exchange, choice) => (await own()).sendOnce(exchange, choice),
    tryLookup: async (look) => (await own()).tryLookup(look),
    clientForRun: async (options) => {
      const [{ openRunClient }, caller] = await Promise.all([import('../session/run-client.ts'), currentCaller()]);
      const { connection, runClient } = await openRunClient(context, caller, options);
      connections.push(connection);
      return runClient;
    },
    progress: async () => (await import('./output/progress.ts')).createProgress(host, given, reporter),
    get showsLines() {
      const { output, columns } = given;
      if (columns !== undefined) return false;
      return output === undefined ? host.stdout.isTTY : output === 'table';
    },
    harmless: () => {
      if (connections.some(({ simulated }) => simulated)) return 'simulated';
      return connections.some(({ mode }) => mode === 'sandbox') ? 'sandbox' : undefined;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      await (await opened?.catch(() => undefined))?.server.close();
    },
  };
  return context;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
