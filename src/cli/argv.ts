import { type CliError, usage } from '../base/errors.ts';
import { globals } from './globals.ts';
import { longName, optionNamed, type Params } from './params.ts';
import type { Stray } from './suggestions.ts';
import { tokens } from './tokens.ts';
import { type LazyNode, type Node, type Tree, whole } from './tree.ts';

export interface Located {
  /** The words that lead to the node, starting with the program's name. */
  readonly path: readonly string[];
  readonly node: Node | Tree;
  /** All other words, in order. */
  readonly rest: readonly string[];
}

/** Follows the words to a node of the tree; global options may come between them. */
export async function locate(tree: Tree, argv: readonly string[]): Promise<Located> {
  let node: Node | Tree = tree;
  const path = [tree.name];
  const rest: string[] = [];
  let taken = 0;
  for (const { kind, text, start, end } of tokens(argv, optionNamed(globals))) {
    if (kind === 'end') return { path, node, rest: [...rest, ...argv.slice(start)] };
    if (kind === 'unknown') throw (await import('./suggestions.ts')).unknownGlobal(argv[start] ?? '');
    if (kind === 'word') {
      const found: Node | LazyNode | undefined = childrenOf(node).find(({ name }) => name === text);
      if (!found) throw await unknownWord(tree, node, { path, word: text, after: argv.slice(end) });
      node = found.kind === 'lazy' ? await found.open() : found;
      path.push(text);
      if (node.kind === 'command') return { path, node, rest: [...rest, ...argv.slice(end)] };
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
  const end = argv.indexOf('--');
  const isEmptyAllowed = argv.slice(0, end < 0 ? argv.length : end).includes('--allow-empty');
  for (const { kind, text, param, value, isInline } of tokens(argv, optionNamed(params))) {
    if (kind === 'end' && hasRest) return;
    if (kind === 'word' && text === '' && !isEmptyAllowed)
      throw usage('an argument is empty', 'is a variable not set?');
    if (kind !== 'option' || !param) continue;
    // A shell tool reads -p=Ada as the value "=Ada", most people as "Ada".
    if (isInline && !text.startsWith('--') && value?.startsWith('='))
      throw usage(`${text}${value} can be read in two ways`, `write ${longName(param)}${value}`);
    if (value === '' && !isEmptyAllowed) throw emptyValue(text, params);
    if (!isInline && value !== undefined && /^-./.test(value))
      throw usage(
        `${text} is followed by "${value}", which looks like an option`,
        `if it is the value, write ${longName(param)}=${value}`,
      );
  }
}

/** Replaces British spellings of options. */
export function american(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) => (word === '--normalise' && (end < 0 || at < end) ? '--normalize' : word));
}

function emptyValue(name: string, params: Params): CliError {
  return usage(
    `the value of ${name} is empty`,
    'allowEmpty' in params ? 'add --allow-empty to send it' : 'is a variable not set?',
  );
}

/** Whether errors and notes are printed as JSON. Works on lines that cannot be parsed, too. */
export function wantsJson(argv: readonly string[]): boolean {
  for (const { kind, text, value } of tokens(argv, optionNamed({ output: globals.output, json: globals.json }))) {
    if (kind === 'end') return false;
    if (text === '--json' && kind === 'flag') return true;
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
