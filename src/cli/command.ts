import type { CliError, ExitName } from '../base/errors.ts';
import { safeValue } from './output/text.ts';
import type { Ui } from './output/ui.ts';
import type { Context } from './context.ts';
import type { Globals, Honour } from './globals.ts';
import { type Input, type Params, readInput, type Texts } from './params.ts';

export type { Context } from './context.ts';
export { newcomerNote } from '../session/current-caller.ts';
export type { Ui } from './output/ui.ts';

/** How something reads. Bytes are what a pipe gets as they are. */
export type View = (ui: Ui) => string | Uint8Array;

/** What a command came to: the data, how it reads, and its exit code. */
export interface Outcome {
  readonly data: unknown;
  readonly text: View;
  /** A failure is told once the data is printed. */
  readonly exit: ExitName | number | CliError;
  /** Something was changed: what cannot be printed as asked is no failure any more. */
  readonly changed: boolean;
  /** What a pipe gets, of a command that has several kinds of results. */
  readonly piped: Piped;
  /** The columns that a terminal shows first. */
  readonly first?: readonly string[] | undefined;
  /** It is only the request of a dry run. */
  readonly isPlan?: boolean;
  /** What there is to know where it cannot be written, of a command that keeps what it did. */
  readonly unprinted?: string | undefined;
}

/** Shows at once an item of a command that goes on, or a line of one that `showsLines`. */
export type Emit = (item: unknown, text: View) => Promise<void>;

/** What a pipe gets: rows with tabs between, the bare id, JSON, what a terminal gets, or that with no line feed added. */
export type Piped = 'rows' | 'id' | 'json' | 'text' | 'verbatim';

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** Command lines that run as they stand, without the `bizmsg` in front. */
  readonly examples: readonly string[];
  /** What it prints through a pipe. */
  readonly sample: string;
  readonly honours: readonly Honour[];
  readonly piped: Piped;
  /** Its items are the result: of JSON they make one array. */
  readonly lists?: true;
  /** The columns that a terminal shows first: where it is narrow, there is no room for the last. */
  readonly first?: readonly string[];
  /** Options that people look for here, and what there is instead; VALUE stands for theirs. */
  readonly instead?: Readonly<Record<`--${string}`, string>>;
}

export interface Command extends Described {
  readonly kind: 'command';
  readonly params: Params;
  readonly run: (context: Context, texts: Texts, emit: Emit) => Promise<Outcome>;
}

/** A param of its own may not have the name of a global one, which would hide it. */
type OwnParams = Params & { readonly [Name in keyof Globals]?: never };

interface Definition<P extends Params, R> extends Described {
  readonly params: P;
  run(context: Context, input: Input<P>, emit: Emit): Promise<R>;
  view(result: R, ui: Ui): string | Uint8Array;
  /** What the structured forms print, where it is not the result itself. */
  data?(result: R): unknown;
  /** A number is the code of a command that was run; a failure is told once the result is printed. */
  exit?(result: R): ExitName | number | CliError;
  /** What is said of a result that cannot be written, where it is kept anyway. */
  unprinted?(result: R): string | undefined;
  /** What a pipe gets of a result that reads otherwise than `piped` says. */
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
  line(item: I, ui: Ui): string;
}

/** A command that goes on: it yields items as they happen and returns their summary. */
export function streaming<const P extends OwnParams, I, R>(definition: StreamDefinition<P, I, R>): Command {
  const { params, line } = definition;
  return {
    ...definition,
    kind: 'command',
    run: async (context, texts, emit) => {
      const show = (item: I) => emit(item, (ui) => line(safeValue(item), ui));
      return ended(definition, await drained(definition.run(context, readInput(params, texts)), show));
    },
  };
}

/** Shows every item. If one cannot be shown, the generator may clean up. */
async function drained<I, R>(items: AsyncGenerator<readonly I[], R>, show: (item: I) => Promise<void>): Promise<R> {
  let step = await items.next();
  while (!step.done) {
    try {
      await Promise.all(step.value.map(show));
    } catch (error) {
      await items.throw(error);
      throw error;
    }
    step = await items.next();
  }
  return step.value;
}

type Ending<R> = Omit<Definition<Params, R>, 'run' | 'params'>;

/** A view sees only values that are safe to show; bytes are left to it. */
function ended<R>({ view, data, exit, changes, piped, pipedAs, unprinted, first }: Ending<R>, result: R): Outcome {
  return {
    data: data ? data(result) : result,
    text: (ui) => view(safeValue(result), ui),
    exit: exit?.(result) ?? 'done',
    changed: typeof changes === 'function' ? changes(result) : changes === true,
    piped: pipedAs?.(result) ?? piped,
    first,
    unprinted: unprinted?.(result),
  };
}
