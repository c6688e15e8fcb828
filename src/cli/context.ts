import { connect } from '../session/connect.ts';
import { currentCaller, isInsideExec } from '../session/caller.ts';
import { ownStateFolder } from '../session/folders.ts';
import type { AnyCaller, Connection, Interaction } from '../session/session.ts';
import type { Context } from './command.ts';
import { isNewNote } from './seen.ts';
import { createProgress, withSpinner } from './output/progress.ts';
import { colorsFor } from './output/ui.ts';
import { createPrompts } from './prompts.ts';

/** The context with the members that only `run` uses. */
export interface CliContext extends Context {
  close(): Promise<void>;
}

type Options = Pick<Context, 'host' | 'given' | 'reporter' | 'parse'>;

export function createContext({ host, given, reporter, parse }: Options): CliContext {
  const stateFolder = once(() => ownStateFolder(host));
  const sandboxes = once(async () => {
    const { openSandboxes } = await import('../session/sandboxes.ts');
    return openSandboxes(host, stateFolder(), (text) => note('sandbox', text));
  });
  const prompts = createPrompts(host, given, () => note('keyboard', 'reading stdin from the keyboard; Ctrl-D ends it'));
  const interaction: Interaction = {
    confirm: (...question) => createPrompts(host, { ...given, yes: false }).confirm(...question),
    spin: (text, work) => withSpinner(text, host, given, work),
  };
  // Inside sandbox exec, it is always the sandbox.
  const isKnown = (code: string, message: string) => {
    if (code === 'simulated' && isInsideExec(host.env)) return true;
    // A terminal shows these once; later, the result says "(simulated)" or "(sandbox)".
    return host.stderr.isTTY && /^(?:simulated|sandbox-key|newcomer)$/.test(code) && !isNewNote(host, message);
  };
  const note = (code: string, message: string) =>
    void (given.quiet || isKnown(code, message) || reporter.note(code, message));
  const connections: Pick<Connection, 'simulated' | 'mode' | 'close'>[] = [];

  const connected = async (caller: AnyCaller) => {
    const connection = await connect(context, caller);
    connections.push(connection);
    return connection;
  };
  const current = once(async () => connected(currentCaller(context)));

  const context: CliContext = {
    host,
    given,
    reporter,
    interaction,
    stateFolder,
    sandboxes,
    ...prompts,
    listForm: {},
    note,
    announced: new Set(),
    parse,
    client: async (target) => (await (target ? connected(target) : current())).client,
    sendOnce: async (exchange, choice) => (await current()).sendOnce(exchange, choice),
    tryLookup: async (look) => (await current()).tryLookup(look),
    clientForBatch: async (signals) => {
      const { openBatchClient } = await import('../session/batch-client.ts');
      const client = await openBatchClient(context, currentCaller(context), signals);
      connections.push({ ...client.target, close: client.close });
      return client;
    },
    progress: async () => createProgress(host, given, reporter, (await colorsFor(host.stderr, host)).red),
    get showsLines() {
      return given.columns === undefined && (given.output ?? (host.stdout.isTTY ? 'table' : undefined)) === 'table';
    },
    harmless: () => {
      if (connections.some(({ simulated }) => simulated)) return 'simulated';
      return connections.some(({ mode }) => mode === 'sandbox') ? 'sandbox' : undefined;
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
  return context;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
