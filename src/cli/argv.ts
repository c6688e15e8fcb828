import { type CliError, usage } from '../base/errors.ts';
import { type Door, type Group, type Node, type Tree, whole } from './tree.ts';
import { globals } from './globals.ts';
import type { Stray } from './mistakes/command-word.ts';
import { optionAt } from './option-word.ts';
import { longName, type Params } from './params.ts';

export interface Located {
  /** The words that lead to the node, the program's name first. */
  readonly path: readonly string[];
  readonly node: Node | Tree;
  /** Everything else that was typed, in order. */
  readonly rest: readonly string[];
}

/** Follows the words to a node of the tree; global options may stand between them. */
export async function locate(tree: Tree, argv: readonly string[]): Promise<Located> {
  let node: Node | Tree = tree;
  const path = [tree.name];
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (node.kind === 'command' || token === '--') return { path, node, rest: [...rest, ...argv.slice(at)] };
    if (token.startsWith('-')) {
      rest.push(token);
      if (await valueFollows(token)) rest.push(...argv.slice(++at, at + 1));
      continue;
    }
    const found: Node | Door | undefined = childrenOf(node).find(({ name }) => name === token);
    if (!found) throw await unknownWord(tree, node, { path, word: token, after: argv.slice(at + 1) });
    node = found.kind === 'door' ? await found.open() : found;
    path.push(token);
  }
  return { path, node, rest };
}

/**
 * commander takes the word after an option as its value, whatever it is, and cannot tell
 * an empty one from none: so the words are looked at before it sees them.
 */
export function checkValues(argv: readonly string[], params: Params): void {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const afterEnd = argv.slice(words.length);
  const emptyAllowed = words.includes('--allow-empty');
  const isOurs = !Object.values(params).some(({ kind }) => kind === 'rest');
  if (isOurs && afterEnd.includes('') && !emptyAllowed) throw usage('an argument is empty', 'is a variable not set?');
  for (let at = 0; at < words.length; at++) {
    const { name, param, inline } = optionAt(words[at] ?? '', params);
    if (!param && words[at] === '' && !emptyAllowed) throw usage('an argument is empty', 'is a variable not set?');
    if (!param || param.kind === 'flag') continue;
    // -p=Ada is the value "=Ada" to a shell tool, and "Ada" to whoever typed it.
    if (!name.startsWith('--') && inline?.startsWith('='))
      throw usage(`${name}${inline} can be read in two ways`, `write ${longName(param)}${inline}`);
    const value = inline ?? words[++at];
    if (value === '' && !emptyAllowed) throw emptyValue(name, params);
    if (inline === undefined && value !== undefined && /^-./.test(value)) {
      throw usage(
        `${name} is followed by "${value}", which looks like an option`,
        `if it is the value, write ${longName(param)}=${value}`,
      );
    }
  }
}

/** Whether errors and notes are to be objects, known even when the rest cannot be read. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some((word, at) => {
    if (word === '--json') return true;
    const { param, inline } = optionAt(word, { output: globals.output });
    return param !== undefined && ['json', 'ndjson'].includes(inline ?? words[at + 1] ?? '');
  });
}

function childrenOf({ children }: Group | Tree): readonly (Node | Door)[] {
  return children;
}

async function unknownWord(tree: Tree, node: Group | Tree, stray: Omit<Stray, 'tree' | 'parent'>): Promise<CliError> {
  const [{ unknownCommand }, all] = await Promise.all([import('./mistakes/command-word.ts'), whole(tree)]);
  return unknownCommand({ ...stray, tree: all, parent: node.kind === 'tree' ? all : node });
}

async function valueFollows(token: string): Promise<boolean> {
  const { param, inline } = optionAt(token, globals);
  if (!param) throw (await import('./mistakes/option.ts')).unknownBefore(token);
  return param.kind === 'option' && inline === undefined;
}

function emptyValue(name: string, params: Params): CliError {
  const hint = 'allowEmpty' in params ? 'if it is meant, add --allow-empty' : 'is a variable not set?';
  return usage(`the value of ${name} is empty`, hint);
}
