import { announced } from '../contract/endpoints.ts';
import { CliError, usage } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Group, Node } from './command.ts';
import { globals } from './globals.ts';
import type { Param, Params } from './params.ts';
import { longName } from './params.ts';

export interface Located {
  /** The words that lead to the node, the program's name first. */
  readonly path: readonly string[];
  readonly node: Node;
  /** Everything else that was typed, in order. */
  readonly rest: readonly string[];
}

/** Follows the words to a node of the tree; global options may stand between them. */
export function locate(tree: Group, argv: readonly string[]): Located {
  let node: Node = tree;
  const path = [tree.name];
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (node.kind === 'command' || token === '--') return { path, node, rest: [...rest, ...argv.slice(at)] };
    if (token.startsWith('-')) {
      rest.push(token);
      if (valueFollows(token)) rest.push(...argv.slice(++at, at + 1));
      continue;
    }
    node = child(node, token, path);
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

interface OptionWord {
  readonly name: string;
  readonly param: Param<unknown> | undefined;
  readonly inline: string | undefined;
}

function optionAt(word: string, params: Params): OptionWord {
  const [, long, inline] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, param: find(long, params), inline };
  if (!/^-[A-Za-z]/.test(word)) return { name: word, param: undefined, inline: undefined };
  const name = word.slice(0, 2);
  const param = find(name, params);
  // -iX POST is -i -X POST
  if (param?.kind === 'flag' && word.length > 2) return optionAt(`-${word.slice(2)}`, params);
  return { name, param, inline: word.length > 2 ? word.slice(2) : undefined };
}

function find(name: string, params: Params): Param<unknown> | undefined {
  const isNamed = ({ kind }: Param<unknown>) => kind === 'option' || kind === 'flag';
  return Object.values(params).find((param) => isNamed(param) && param.spec.split(/[ ,]+/).includes(name));
}

function valueFollows(token: string): boolean {
  const { param, inline } = optionAt(token, globals);
  if (!param) throw usage(`unknown option ${token} before a command`, 'options of a command stand after its name');
  return param.kind === 'option' && inline === undefined;
}

function emptyValue(name: string, params: Params): CliError {
  const hint = 'allowEmpty' in params ? 'if it is meant, add --allow-empty' : 'is a variable not set?';
  return usage(`the value of ${name} is empty`, hint);
}

function child(parent: Group, word: string, path: readonly string[]): Node {
  const found = parent.children.find(({ name }) => name === word);
  if (found) return found;
  const family = path.length === 1 && announced.find(({ words }) => words.includes(word));
  if (family) {
    throw new CliError('usage', 'announced', `${word}: announced by the API, not available yet`, {
      hint: `coming soon: ${family.what.join(', ')}; see bizmsg help announced`,
    });
  }
  const near = nearest(
    word,
    parent.children.map(({ name }) => name),
  );
  const hint = near ? `did you mean ${[...path, near].join(' ')}?` : `see ${[...path].join(' ')} --help`;
  throw usage(`"${word}" is not a command of ${path.join(' ')}`, hint);
}
