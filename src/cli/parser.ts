import { Argument, Command as Commander, CommanderError, type ErrorOptions, Help, Option } from 'commander';
import { usage } from '../base/errors.ts';
import { type Group, type LazyNode, type Line, type Node, opened } from './command.ts';
import { globals } from './globals.ts';
import { commonOptions, descriptionOf, footerOf, sentence, usageOf } from './help.ts';
import type { Paint } from './output/ui.ts';
import { longName, namesOf, type Param, type Params } from './params.ts';
import { refusal } from './refusals.ts';

interface Draft {
  readonly argv: readonly string[];
  path: readonly string[];
  node: Node;
  readonly texts: Record<string, string[]>;
  printed: string;
}

/** Parses a command line, and opens only the nodes on its path. */
export async function parse(tree: Group, argv: readonly string[], look: Look): Promise<Line> {
  const draft: Draft = { argv, path: [tree.name], node: tree, texts: {}, printed: '' };
  const program = new Parser([tree.name], tree, draft);
  program
    .configureHelp(helpLayout(draft, look))
    .addHelpText('afterAll', () => footerOf(draft))
    .configureOutput({ writeOut: (text) => void (draft.printed += text), getOutHasColors: () => true });
  try {
    await program.open();
    await program.parseAsync(argv, { from: 'user' });
    return draft;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { ...draft, answer: draft.printed };
  }
}

/** Stands before a value in the same word as its option; no argument of a process contains it. */
const mark = '\0';

class Parser extends Commander {
  readonly #path: readonly string[];
  readonly #node: Node | LazyNode;
  readonly #draft: Draft;
  /** The values of options that are given without one. */
  readonly #bare = new Map<string, string>();

  /** The name in the help of the parent. */
  readonly term: string;

  constructor(path: readonly string[], node: Node | LazyNode, draft: Draft) {
    super(path.at(-1));
    [this.#path, this.#node, this.#draft] = [path, node, draft];
    const commands = node.kind === 'lazy' ? node.commands : undefined;
    this.term = commands !== undefined || node.kind === 'group' ? `${node.name} …` : node.name;
    this.exitOverride().enablePositionalOptions().helpCommand(false).helpOption(false);
    this.summary(commands ?? node.summary).helpGroup(node.heading ?? 'Commands');
  }

  /** Loads the node, and declares what may follow its name. */
  async open(): Promise<void> {
    const node = await opened(this.#node);
    Object.assign(this.#draft, { node, path: this.#path });
    const next = node.kind === 'group' ? this.#next(node) : undefined;
    if (next) return this.#declareChildren([next]);
    if (node.kind === 'group') this.#declareChildren(node.children);
    else this.#declare(node.params);
    this.#declare(globals, commonOptions(node));
    if (node.kind === 'command' && this.#draft.texts['help']?.length) this.help();
  }

  /** The child that the next word names, if only names came before: it needs no siblings, which take 3 ms. */
  #next({ children }: Group): Node | LazyNode | undefined {
    const [words, { argv }] = [this.#path.slice(1), this.#draft];
    if (words.some((word, at) => word !== argv[at])) return undefined;
    return children.find(({ name }) => name === argv[words.length]);
  }

  #declareChildren(children: Group['children']): void {
    for (const child of children) {
      const sub = new Parser([...this.#path, child.name], child, this.#draft).copyInheritedSettings(this);
      this.addCommand(sub);
    }
    this.hook('preSubcommand', (_, sub) => (sub instanceof Parser ? sub.open() : undefined));
  }

  #declare(params: Params, shown = params): void {
    for (const [name, param] of Object.entries(params)) {
      const texts = (this.#draft.texts[name] ??= []);
      if (param.kind === 'argument' || param.kind === 'rest') this.#declareArgument(param, texts);
      else this.#declareOption(param, texts, name in shown);
    }
  }

  #declareArgument(param: Param<unknown>, texts: string[]): void {
    const isRest = param.kind === 'rest';
    const argument = new Argument(param.spec.replace(/^-- <(.*)>$/, '[$1]'), sentence(param));
    this.addArgument(
      argument.argParser((word: string) => {
        if (word === '' && !isRest) throw usage('an argument is empty', 'is a variable not set?');
        return texts.push(isRest ? word.replaceAll(mark, '') : word);
      }),
    );
    // The options after the first word belong to the other command.
    if (isRest && this.registeredArguments.length === 1) this.passThroughOptions();
  }

  #declareOption(param: Param<unknown>, texts: string[], isShown: boolean): void {
    const option = new Option(param.spec, sentence(param)).helpGroup(isShown ? (param.heading ?? 'Options') : hidden);
    // To commander, `--no-input` would be the opposite of `--input <file>`.
    option.negate = false;
    if (param.bare !== undefined) this.#bare.set(longName(param), param.bare);
    this.addOption(
      option.argParser((typed: string | undefined) => {
        if (param === globals.version)
          throw new CommanderError(0, 'version', (this.#draft.printed = `${__VERSION__}\n`));
        // Only a command is complete: the help of a group waits for its next word.
        if (param === globals.help && this.#draft.node.kind === 'command') this.help();
        if (param.kind === 'flag') return texts.push('');
        if (texts.length > 0 && !param.repeats) throw usage(`${longName(param)} is given twice`, 'give it once');
        return texts.push(valueOf(param, typed ?? ''));
      }),
    );
  }

  /** Marks the values that are in the same word as their option. */
  override parseOptions(argv: string[]) {
    const end = argv.indexOf('--');
    return super.parseOptions(argv.map((word, at) => (end >= 0 && at >= end ? word : this.#marked(word))));
  }

  #marked(word: string): string {
    const bare = this.#bare.get(word);
    if (bare !== undefined) return `${word}=${mark}${bare}`;
    return word.replace(/^(--[^=]+=|-[A-Za-z]=|-[A-Za-z](?=-))(?!\0)/, `$1${mark}`);
  }

  /** A group without a command prints its help, which is not an error. */
  override help(): never {
    const { help, ...others } = this.#draft.texts;
    if (this.parent === null && !help?.length && Object.values(others).some(({ length }) => length > 0))
      throw usage(`${this.name()} needs a command`, `see ${this.name()} --help`);
    return super.help();
  }

  override error(message: string, { code = '' }: ErrorOptions = {}): never {
    const { node, path } = this.#draft;
    throw refusal({ code, message: message.replaceAll(mark, ''), path, node, words: this.args });
  }
}

/** An empty value mostly comes from a variable that is not set, and one like an option from a forgotten value. */
function valueOf(param: Param<unknown>, typed: string): string {
  const isInline = /^=?\0/.test(typed);
  const value = isInline ? typed.slice(typed.indexOf(mark) + 1) : typed;
  const [name = ''] = namesOf(param);
  if (value === '' && !(isInline && param.mayBeEmpty))
    throw usage(`the value of ${name} is empty`, param.mayBeEmpty ? `${name}= sends it` : 'is a variable not set?');
  if (isInline || !/^-./.test(value)) return value;
  throw usage(
    `${name} is followed by "${value.replaceAll(mark, '')}", which looks like an option`,
    `if it is the value, write ${name}=${value.replaceAll(mark, '')}`,
  );
}

/** How wide help is, and its colors. */
export interface Look {
  readonly width: number;
  readonly bold: Paint;
  readonly dim: Paint;
}

function helpLayout(draft: Draft, { width, bold, dim }: Look): Partial<Help> {
  return {
    ...layout,
    helpWidth: Math.min(width, 80),
    commandUsage: () => [...draft.path, ...usageOf(draft.node)].join(' '),
    commandDescription: () => descriptionOf(draft.node, bold),
    longestOptionTermLength: (command, helper) => longest(helper.visibleOptions(command).flatMap(shownFlags)),
    subcommandTerm: (command) => (command instanceof Parser ? command.term : command.name()),
    styleTitle: bold,
    styleOptionText: dim,
    formatItemList: (heading, items) =>
      items.length === 0 || heading === hidden ? [] : [bold(heading.replace(/:$/, '')), ...items],
  };
}

const layout = { minWidthToWrap: 20 };

/** The heading of options that help does not list, but commander may suggest. */
const hidden = '';

function shownFlags({ helpGroupHeading, flags }: Option): readonly string[] {
  return helpGroupHeading === hidden ? [] : [flags];
}

/** Options with their descriptions, as help lists them. */
export function listed(params: Params): string {
  const helper = Object.assign(new Help(), layout);
  const shown = Object.values(params);
  const width = longest(shown.map(({ spec }) => spec));
  return shown.map((param) => helper.formatItem(param.spec, width, sentence(param), helper)).join('\n');
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

/** Whether errors and notes are JSON. It works on lines that cannot be parsed, too. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some((word, at) => {
    const isApart = word === '-o' || word === '--output';
    return /^(?:nd)?json$/.test(isApart ? (words[at + 1] ?? '') : (/^(?:-o=?|--output=)(.*)$/s.exec(word)?.[1] ?? ''));
  });
}
