import { Command as Parser, CommanderError, Option } from 'commander';
import { type CliError, usage } from '../base/errors.ts';
import { globals } from './globals.ts';
import { allowEmpty, longName, optionNamed, type Param, type Params, type Texts } from './params.ts';
import type { Line, Stray } from './suggestions.ts';
import { tokens } from './tokens.ts';
import { type LazyNode, type Located, type Node, type Tree, whole } from './command.ts';

/** Follows the words to a node of the tree; global options may come between them. */
export async function locate(tree: Tree, argv: readonly string[]): Promise<Located> {
  let node: Node | Tree = tree;
  const path = [tree.name];
  const rest: string[] = [];
  let taken = 0;
  for (const { kind, text, start, end } of tokens(argv, optionNamed(globals))) {
    if (kind === 'end') return { path, node, rest: [...rest, ...argv.slice(start)] };
    if (kind === 'unknown') throw (await import('./suggestions.ts')).unknownGlobal(argv[start] ?? '', argv[end]);
    if (kind === 'word') {
      const found: Node | LazyNode | undefined = childrenOf(node).find(({ name }) => name === text);
      if (!found) throw await unknownWord(tree, node, { path, word: text, after: argv.slice(end) });
      node = found.kind === 'lazy' ? await found.open() : found;
      path.push(text);
      if (node.kind === 'command') {
        const after = argv.slice(end);
        return { path, node, rest: [...rest, ...(node.isList && after[0] === 'list' ? after.slice(1) : after)] };
      }
    } else rest.push(...argv.slice(Math.max(start, taken), end));
    taken = end;
  }
  return { path, node, rest };
}

/**
 * Refuses empty values, and values that look like an option. commander accepts any word as a value, and does not
 * distinguish an empty value from a missing one.
 */
export function checkValues(argv: readonly string[], params: Params): void {
  const hasRest = Object.values(params).some(({ kind }) => kind === 'rest');
  const line = [...tokens(argv, optionNamed(params))];
  const isEmptyAllowed = line.some(({ param }) => param === allowEmpty);
  for (const { kind, text, param, value, isInline } of line) {
    if (kind === 'end' && hasRest) return;
    if (kind === 'word' && text === '' && !isEmptyAllowed)
      throw usage('an argument is empty', 'is a variable not set?');
    if (kind !== 'option' || !param) continue;
    if (value === '' && !isEmptyAllowed) throw emptyValue(text, params);
    if (!isInline && value !== undefined && /^-./.test(value))
      throw usage(
        `${text} is followed by "${value}", which looks like an option`,
        `if it is the value, write ${text}=${value}`,
      );
  }
}

const british = new Map([['--no-colour', '--no-color']]);

/** Replaces British spellings of options. */
export function american(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) => (end < 0 || at < end ? (british.get(word) ?? word) : word));
}

function emptyValue(name: string, params: Params): CliError {
  return usage(
    `the value of ${name} is empty`,
    Object.values(params).includes(allowEmpty) ? 'add --allow-empty to send it' : 'is a variable not set?',
  );
}

/** Parses a command line with commander, and returns the texts of each param. */
export async function parse(line: Line): Promise<Texts> {
  const { path, params, argv } = line;
  const parser = new Parser(path.join(' ')).exitOverride().helpOption(false).showSuggestionAfterError(false);
  parser.allowExcessArguments(false);
  parser.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const given = givenIn(argv, params);
  for (const param of Object.values(params)) if (param.kind === 'argument' || given.has(param)) declare(parser, param);
  const rest = Object.keys(params).find((name) => params[name]?.kind === 'rest');
  const end = rest === undefined ? -1 : argv.indexOf('--');
  try {
    parser.parse(spelled(end < 0 ? argv : argv.slice(0, end), params), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw (await import('./suggestions.ts')).parseError(line, error);
  }
  const texts = collect(parser, params, given);
  return rest === undefined || end < 0 ? texts : { ...texts, [rest]: argv.slice(end + 1) };
}

/** With the values of options that are given without one, where commander would take the next word, and of -p=VALUE. */
function spelled(argv: readonly string[], params: Params): string[] {
  const words = [...argv];
  for (const { kind, text, param, value, isInline, start } of tokens(argv, optionNamed(params)))
    if (param?.bare !== undefined && words[start] === text) words[start] = `${text}=${param.bare}`;
    else if (kind === 'option' && param && isInline && !text.startsWith('--'))
      words[start] = `${longName(param)}=${value}`;
  return words;
}

/** The options of the line. commander need not know the others, which would take most of its time. */
function givenIn(argv: readonly string[], params: Params): ReadonlySet<Param<unknown>> {
  return new Set([...tokens(argv, optionNamed(params))].flatMap(({ param }) => param ?? []));
}

function declare(parser: Parser, param: Param<unknown>): void {
  if (param.kind === 'argument') {
    // The param itself checks whether it is missing.
    parser.argument(param.spec.replace(/^<(.*)>$/, '[$1]'), param.description);
    return;
  }
  const made = new Option(param.spec, param.description);
  // To commander, `--no-input` would be the opposite of `--input <file>`.
  made.negate = false;
  parser.addOption(param.kind === 'flag' ? made : made.argParser(appended));
}

function appended(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

function collect(parser: Parser, params: Params, given: ReadonlySet<Param<unknown>>): Texts {
  const words = [...parser.processedArgs];
  const values = parser.opts();
  const texts = (param: Param<unknown>): readonly string[] => {
    if (param.kind === 'argument') return strings(words.shift());
    if (!given.has(param)) return [];
    const name = longName(param);
    const option = parser.options.find(({ long }) => long === name);
    const value: unknown = option && values[option.attributeName()];
    if (param.kind === 'flag') return value === true ? [''] : [];
    return once(param, strings(value));
  };
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, texts(param)]));
}

function strings(value: unknown): readonly string[] {
  return [value].flat().filter((text) => typeof text === 'string');
}

function once(param: Param<unknown>, texts: readonly string[]): readonly string[] {
  if (texts.length < 2 || param.repeats) return texts;
  throw usage(`${longName(param)} is given ${texts.length} times`, 'give it once');
}

/** Whether errors and notes are printed as JSON. Works on lines that cannot be parsed, too. */
export function wantsJson(argv: readonly string[]): boolean {
  for (const { kind, value } of tokens(argv, optionNamed({ output: globals.output }))) {
    if (kind === 'end') return false;
    if (kind === 'option' && (value === 'json' || value === 'ndjson')) return true;
  }
  return false;
}

function childrenOf(node: Node | Tree): readonly (Node | LazyNode)[] {
  return node.kind === 'command' ? [] : node.children;
}

async function unknownWord(tree: Tree, node: Node | Tree, stray: Omit<Stray, 'tree' | 'parent'>): Promise<CliError> {
  const [{ unknownCommand }, all] = await Promise.all([import('./suggestions.ts'), whole(tree)]);
  return unknownCommand({ ...stray, tree: all, parent: node.kind === 'group' ? node : all });
}
