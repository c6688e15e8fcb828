import type { CliError, ExitName } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { Target } from '../session/caller.ts';
import type { RunClient, RunOptions, SendOnce, Session, TryLookup } from '../session/session.ts';
import type { Progress } from './output/progress.ts';
import type { Reporter } from './output/reporter.ts';
import { safeValue } from './output/text.ts';
import type { Ui } from './output/ui.ts';
import type { Globals, Restricted } from './globals.ts';
import { type Input, type Params, readInput, type Texts } from './params.ts';
import type { Prompts } from './prompts.ts';

export type { Ui } from './output/ui.ts';

/** The interface of commands to the rest of the program. Each part is created on first use. */
export interface Context extends Session, Prompts {
  readonly given: Globals;
  readonly reporter: Reporter;
  /** Finds a command or a group by its words. */
  locate(words: readonly string[]): Promise<Located>;
  /** The service, called as the target, or else as the current caller. */
  client(target?: Target): Promise<Client>;
  /** Sends a request as the current caller. */
  readonly sendOnce: SendOnce;
  /** Looks something up as the current caller. */
  readonly tryLookup: TryLookup;
  /** Like `client()`, for many requests at a pace. */
  clientForRun(options?: RunOptions): Promise<RunClient>;
  progress(): Promise<Progress>;
  /** How the items of a list are printed. */
  readonly listForm: ListForm;
  /** Whether the output is read line by line as it appears, not as data at the end. */
  readonly showsLines: boolean;
}

/** Formats a result for people. A pipe gets bytes unchanged. */
export type View = (ui: Ui) => string | Uint8Array;

/** The result of a command: the data, its text form, and the exit code. */
export interface CommandResult {
  readonly data: unknown;
  readonly text: View;
  /** A failure is reported after the data is printed. */
  readonly exit: ExitName | number | CliError;
  /** Whether something was changed. Then an output option that cannot be applied is only a note. */
  readonly changed: boolean;
  /** The form of this result in a pipe. */
  readonly piped: Piped;
  /** The first columns on a terminal. */
  readonly first?: readonly string[] | undefined;
  /** Whether it is the request of a dry run. */
  readonly isDryRun?: boolean;
  /** Where to find the result if it cannot be written. */
  readonly unprinted?: string | undefined;
  /** Called once the result was printed, or could not be; resolves to a failure to report. */
  readonly finish?: ((isPrinted: boolean) => Promise<CliError | undefined>) | undefined;
}

/** An item of a long-running command, and its line for people. */
export interface Item {
  readonly data: unknown;
  readonly text: View;
}

/** Set by a command whose items have the columns of a file. */
export interface ListForm {
  /** The first columns on a terminal. */
  first?: readonly string[] | undefined;
  /** Of CSV, which begins with a byte order mark for spreadsheets then. */
  separator?: string | undefined;
}

/** Prints items, or their lines if `showsLines`. */
export type Emit = (items: readonly Item[]) => Promise<void>;

/** The form in a pipe: TSV, the id, JSON, the text of a terminal, or that text without an added line feed. */
export type Piped = 'rows' | 'id' | 'json' | 'text' | 'verbatim';

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** Command lines that run, without `bizmsg`. */
  readonly examples: readonly string[];
  /** Its output in a pipe. */
  readonly sample: string;
  readonly accepts: readonly Restricted[];
  readonly piped: Piped;
  /** It lists a noun, so that the word `list` may follow it. */
  readonly isList?: true;
  /** Its items are the result; JSON prints them as one array. */
  readonly lists?: true;
  /** The first columns on a terminal; a narrow one has no room for the last. */
  readonly first?: readonly string[];
  /** Options that users may try here, and their replacements; VALUE is the typed value. */
  readonly instead?: Readonly<Record<`--${string}`, string>>;
}

export interface Command extends Described {
  readonly kind: 'command';
  readonly params: Params;
  readonly run: (context: Context, texts: Texts, emit: Emit) => Promise<CommandResult>;
}

/** The command's own params; a global name would hide the global option. */
type OwnParams = Params & { readonly [Name in keyof Globals]?: never };

interface Definition<P extends Params, R> extends Described {
  readonly params: P;
  run(context: Context, input: Input<P>, emit: Emit): Promise<R>;
  view(result: R, ui: Ui): string | Uint8Array;
  /** The data for structured formats (default: the result). */
  data?(result: R): unknown;
  /** A number is the exit code of a child command. A failure is reported after the result is printed. */
  exit?(result: R): ExitName | number | CliError;
  /** Where to find the result if it cannot be written. */
  unprinted?(result: R): string | undefined;
  /** Called once the result was printed, or could not be; resolves to a failure to report. */
  finish?(result: R, isPrinted: boolean): Promise<CliError | undefined>;
  /** The form of a result in a pipe, if it differs from `piped`. */
  pipedAs?(result: R): Piped;
  /** Whether it changes something. */
  readonly changes?: true | ((result: R) => boolean);
}

export function command<const P extends OwnParams, R>(definition: Definition<P, R>): Command {
  const { params } = definition;
  return {
    ...definition,
    kind: 'command',
    run: async (context, texts, emit) =>
      ended(definition, await definition.run(context, readInput(params, texts), emit)),
  };
}

interface StreamDefinition<P extends Params, I, R> extends Omit<Definition<P, R>, 'run'> {
  /** Yields the items that are ready together. */
  run(context: Context, input: Input<P>): AsyncGenerator<readonly I[], R>;
  line(item: I, ui: Ui, input: Input<P>): string;
}

/** A long-running command: it yields items as they happen and returns a summary. */
export function streaming<const P extends OwnParams, I, R>(definition: StreamDefinition<P, I, R>): Command {
  const { params, line } = definition;
  return {
    ...definition,
    kind: 'command',
    run: async (context, texts, emit) => {
      const input = readInput(params, texts);
      const shown = (item: I) => ({ data: item, text: (ui: Ui) => line(safeValue(item), ui, input) });
      return ended(definition, await drained(definition.run(context, input), (items) => emit(items.map(shown))));
    },
  };
}

/** Shows every item. If one cannot be shown, the generator may clean up. */
async function drained<I, R>(
  items: AsyncGenerator<readonly I[], R>,
  show: (items: readonly I[]) => Promise<void>,
): Promise<R> {
  let step = await items.next();
  while (!step.done) {
    try {
      await show(step.value);
    } catch (error) {
      await items.throw(error);
      throw error;
    }
    step = await items.next();
  }
  return step.value;
}

type Ending<R> = Omit<Definition<Params, R>, 'run' | 'params'>;

/** Passes only values to the view that are safe for a terminal; the view handles bytes. */
function ended<R>(
  { view, data, exit, changes, piped, pipedAs, unprinted, finish, first }: Ending<R>,
  result: R,
): CommandResult {
  return {
    data: data ? data(result) : result,
    text: (ui) => view(safeValue(result), ui),
    exit: exit?.(result) ?? 'done',
    changed: typeof changes === 'function' ? changes(result) : changes === true,
    piped: pipedAs?.(result) ?? piped,
    first,
    unprinted: unprinted?.(result),
    finish: finish && ((isPrinted) => finish(result, isPrinted)),
  };
}

export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly Node[];
}

export type Node = Command | Group;

/** A node that is loaded on demand, for a fast start. */
export interface LazyNode {
  readonly kind: 'lazy';
  readonly to: Node['kind'];
  readonly name: string;
  readonly summary: string;
  open(): Promise<Node>;
}

export interface Located {
  /** The words that lead to the node, starting with the program's name. */
  readonly path: readonly string[];
  readonly node: Node | Tree;
  /** All other words, in order. */
  readonly rest: readonly string[];
}

export interface Tree {
  readonly kind: 'tree';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly (Command | LazyNode)[];
}

export function group(name: string, summary: string, children: readonly Node[]): Group {
  return { kind: 'group', name, summary, children };
}

export function lazyGroup(name: string, summary: string, load: () => Promise<readonly Node[]>): LazyNode {
  return { kind: 'lazy', to: 'group', name, summary, open: async () => group(name, summary, await load()) };
}

/** A command that is loaded on demand. A test compares the name and summary with the command's. */
export function lazyCommand(name: string, summary: string, open: () => Promise<Command>): LazyNode {
  return { kind: 'lazy', to: 'command', name, summary, open };
}

/** The tree with all nodes loaded. */
export async function whole({ name, summary, children }: Tree): Promise<Group> {
  const nodes = children.map(async (child) => (child.kind === 'lazy' ? child.open() : child));
  return group(name, summary, await Promise.all(nodes));
}
