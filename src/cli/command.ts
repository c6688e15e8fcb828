import type { CliError, ExitName } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { Target } from '../session/caller.ts';
import type { BatchClient, SendOnce, Session, StopSignals, TryLookup } from '../session/session.ts';
import type { Progress } from './output/progress.ts';
import type { Reporter } from './output/reporter.ts';
import { safeValue } from './output/text.ts';
import type { Ui } from './output/ui.ts';
import { type Globals, printOptions, type Restricted } from './globals.ts';
import { type Input, type Params, readInput, type Texts } from './params.ts';
import type { Prompts } from './prompts.ts';

export type { Ui } from './output/ui.ts';

/** The part of the program that commands use. Calls are made as the current caller. */
export interface Context extends Session, Prompts {
  readonly given: Globals;
  readonly reporter: Reporter;
  /** Parses another command line. */
  parse(argv: readonly string[]): Promise<Line>;
  /** The service, called as the target if there is one. */
  client(target?: Target): Promise<Client>;
  readonly sendOnce: SendOnce;
  readonly tryLookup: TryLookup;
  clientForBatch(signals: StopSignals): Promise<BatchClient>;
  progress(): Promise<Progress>;
  /** Why no message reaches a phone; undefined if it does, or if nothing was called. */
  harmless(): 'simulated' | 'sandbox' | undefined;
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
  /** A number is the exit code of a child command. A failure is reported after the data is printed. */
  readonly exit: ExitName | number | CliError;
  /** Whether something was changed. Then an output option that cannot be applied is only a note. */
  readonly changed: boolean;
  readonly piped: Piped;
  readonly first?: readonly string[] | undefined;
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

/**
 * The form in a pipe: TSV, TSV but CSV in a file, the id, JSON, the text of a terminal, or that text without an added
 * line feed.
 */
export type Piped = 'rows' | 'sheet' | 'id' | 'json' | 'text' | 'verbatim';

interface Described extends Entry {
  /** Lines after the first are indented by four. */
  readonly details?: string;
  /** Command lines that run, without `bizmsg`. */
  readonly examples: readonly string[];
  readonly accepts: readonly Restricted[];
  readonly piped: Piped;
  /** Its items are the result; JSON prints them as one array. */
  readonly lists?: true;
  /** The first columns on a terminal; a narrow one has no room for the last. */
  readonly first?: readonly string[];
}

export interface Command extends Described {
  readonly kind: 'command';
  readonly params: Params;
  readonly run: (context: Context, texts: Texts, emit: Emit) => Promise<CommandResult>;
}

/** The command's own params; a global name would hide the global option. */
type OwnParams = Params & { readonly [Name in keyof Globals]?: never };

interface Definition<P extends Params, R> extends Omit<Described, 'accepts' | 'piped'> {
  readonly params: P;
  /** Default: those that print. */
  readonly accepts?: Described['accepts'];
  /** Default: `text`. */
  readonly piped?: Piped;
  run(context: Context, input: Input<P>, emit: Emit): Promise<R>;
  /** Gets the result on single lines; `raw` is for outside text of several lines. */
  view(result: R, ui: Ui, raw: R): string | Uint8Array;
  /** The data for structured formats (default: the result). */
  data?(result: R): unknown;
  exit?(result: R): CommandResult['exit'];
  unprinted?(result: R): string | undefined;
  finish?(result: R, isPrinted: boolean): Promise<CliError | undefined>;
  /** Whether it changes something. */
  readonly changes?: true | ((result: R) => boolean);
}

export function command<const P extends OwnParams, R>(definition: Definition<P, R>): Command {
  const { params, accepts = printOptions, piped = 'text', first, view } = definition;
  const { data, exit, changes, unprinted, finish } = definition;
  return {
    ...definition,
    accepts,
    piped,
    kind: 'command',
    async run(context, texts, emit) {
      const result = await definition.run(context, readInput(params, texts), emit);
      return {
        data: data ? data(result) : result,
        // Only values that are safe for a terminal reach the view, which handles bytes.
        text: (ui) => view(safeValue(result), ui, result),
        exit: exit?.(result) ?? 'done',
        changed: typeof changes === 'function' ? changes(result) : changes === true,
        piped,
        first,
        unprinted: unprinted?.(result),
        finish: finish && ((isPrinted) => finish(result, isPrinted)),
      };
    },
  };
}

interface StreamDefinition<P extends Params, I, R> extends Omit<Definition<P, R>, 'run'> {
  /** Yields the items that are ready together. */
  run(context: Context, input: Input<P>): AsyncGenerator<readonly I[], R>;
  line(item: I, ui: Ui, input: Input<P>): string;
}

/** A long-running command: it yields items as they happen and returns a summary. */
export function streaming<const P extends OwnParams, I, R>(definition: StreamDefinition<P, I, R>): Command {
  const shown = (item: I, input: Input<P>): Item => ({
    data: item,
    text: (ui) => definition.line(safeValue(item), ui, input),
  });
  return command({
    ...definition,
    run: (context, input, emit) =>
      drained(definition.run(context, input), (items) => emit(items.map((item) => shown(item, input)))),
  });
}

/** Shows every item. If one cannot be shown, the generator may clean up. */
async function drained<I, R>(
  items: AsyncGenerator<readonly I[], R>,
  show: (items: readonly I[]) => Promise<void>,
): Promise<R> {
  for (;;) {
    const step = await items.next();
    if (step.done) return step.value;
    await show(step.value).catch((error: unknown) => items.throw(error).then(() => Promise.reject(error)));
  }
}

/** The part of a node that its group shows. */
interface Entry {
  readonly name: string;
  readonly summary: string;
  /** Its heading in the help of its group. */
  readonly heading?: string;
}

export interface Group extends Entry {
  readonly kind: 'group';
  readonly children: readonly (Node | LazyNode)[];
}

export type Node = Command | Group;

/** A node that is loaded on demand, for a fast start. */
export interface LazyNode extends Entry {
  readonly kind: 'lazy';
  /** The commands of a group, for the top-level help. */
  readonly commands?: string;
  open(): Promise<Node>;
}

/** A command line that was followed through the tree. */
export interface Line {
  /** The words that lead to the node, starting with the program's name. */
  readonly path: readonly string[];
  readonly node: Node;
  readonly texts: Texts;
  /** The help or the version, if the line asks for it. */
  readonly answer?: string | undefined;
}

export function group(name: string, summary: string, children: Group['children']): Group {
  return { kind: 'group', name, summary, children };
}

export function lazyGroup(
  name: string,
  summary: string,
  commands: string,
  load: () => Promise<Group['children']>,
): LazyNode {
  return { kind: 'lazy', name, summary, commands, open: async () => group(name, summary, await load()) };
}

/** A command that is loaded on demand. A test compares the name and summary with the command's. */
export function lazyCommand(name: string, summary: string, open: () => Promise<Command>): LazyNode {
  return { kind: 'lazy', name, summary, open };
}

export async function opened(node: Node | LazyNode): Promise<Node> {
  return node.kind === 'lazy' ? node.open() : node;
}

/** A command with the words that lead to it. */
export interface Located {
  readonly path: readonly string[];
  readonly command: Command;
}

/** All commands below a group that help shows. */
export async function commandsBelow({ children }: Group, path: readonly string[] = []): Promise<readonly Located[]> {
  const commands = children.map(async (child): Promise<readonly Located[]> => {
    const [node, below] = [await opened(child), [...path, child.name]];
    return node.kind === 'group' ? commandsBelow(node, below) : [{ path: below, command: node }];
  });
  return (await Promise.all(commands)).flat();
}
