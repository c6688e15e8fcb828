import { eventNames } from '../contract/events.ts';
import { type Group, type LazyNode, type Node, opened } from './command.ts';
import { globals, notAccepted } from './globals.ts';
import { commonOptions } from './help.ts';
import { safeLine } from './output/text.ts';
import { type KnownSource, longName, optionNamed, type Param, type Params, placeholderOf } from './params.ts';

/** The answer to a TAB: words, or a kind that the shell completes itself. */
export interface Offer {
  readonly kind: 'words' | 'files' | 'command';
  /** The part of the word at the cursor before each text: `--profile=`. */
  readonly before: string;
  readonly words: readonly Offered[];
}

export interface Offered {
  readonly text: string;
  readonly about?: string | undefined;
}

/** The line before the word at the cursor. */
export interface Typed {
  readonly node: Node;
  /** The arguments of the command. */
  readonly words: readonly string[];
  /** The options with their values. */
  readonly options: ReadonlyMap<Param<unknown>, string>;
  /** The option whose value comes next. */
  readonly pending?: Param<unknown> | undefined;
  /** Whether `--` ended the options. */
  readonly isEnded: boolean;
}

/** Looks up names that are stored on this machine. */
export type Names = (source: KnownSource, typed: Typed) => Promise<readonly Offered[]>;

const nothing: Offer = { kind: 'words', before: '', words: [] };

/** The completions of the last word of a line, which begins after the program's name. */
export async function offerFor(tree: Group, line: readonly string[], names: Names): Promise<Offer> {
  const current = line.at(-1) ?? '';
  let typed: Typed | undefined = { node: tree, words: [], options: new Map(), isEnded: false };
  for (const word of line.slice(0, -1)) typed &&= await after(typed, word);
  if (!typed) return nothing;
  const { node, words, pending, isEnded } = typed;
  if (pending) return valuesOf(pending, '', typed, names);
  if (!isEnded && current.startsWith('-')) {
    const [name = '', inline] = current.split('=');
    if (inline === undefined) return optionsFor(current, typed);
    const option = optionNamed(optionsOf(node), name);
    return option ? valuesOf(option, `${name}=`, typed, names) : nothing;
  }
  if (node.kind === 'group') return isEnded ? nothing : { ...nothing, words: childrenOf(node) };
  if (isEnded && Object.values(node.params).some(({ kind }) => kind === 'rest')) return { ...nothing, kind: 'command' };
  const places = Object.values(node.params).filter(({ kind }) => kind === 'argument');
  const place = places[words.length] ?? places.findLast(({ repeats }) => repeats);
  if (place) return valuesOf(place, '', typed, names);
  return current === '' && !isEnded ? optionsFor(current, typed) : nothing;
}

/** The line with one more word; undefined after an unknown command. */
async function after(typed: Typed, word: string): Promise<Typed | undefined> {
  const { node, words, options, pending, isEnded } = typed;
  if (pending) return { ...typed, pending: undefined, options: new Map([...options, [pending, word]]) };
  if (word === '--' && !isEnded) return { ...typed, isEnded: true };
  if (!isEnded && /^-./.test(word)) return afterOption(typed, word);
  if (node.kind === 'command') return { ...typed, words: [...words, word] };
  const child = node.children.find(({ name }) => name === word);
  return child && { ...typed, node: await opened(child) };
}

function afterOption(typed: Typed, word: string): Typed {
  const [, name = word, inline] = /^(--[^=]+|-[A-Za-z])=?(.+)?$/.exec(word) ?? [];
  const param = optionNamed(optionsOf(typed.node), name);
  const needsValue = param?.kind === 'option' && inline === undefined && param.bare === undefined;
  if (!param || needsValue) return { ...typed, pending: param };
  return { ...typed, options: new Map([...typed.options, [param, inline ?? '']]) };
}

/** The options of the command, and the global ones that it accepts. */
function optionsOf(node: Node): Params {
  const refused: readonly string[] = node.kind === 'command' ? notAccepted(node.accepts) : [];
  const accepted = Object.entries<Param<unknown>>(globals).filter(([name]) => !refused.includes(name));
  return { ...(node.kind === 'command' && node.params), ...Object.fromEntries(accepted) };
}

const { yes, noInput, quiet } = globals;

/** Most global options are offered once a letter of them is typed. */
function optionsFor(current: string, { node, options }: Typed): Offer {
  const rare = new Set<Param<unknown>>(Object.values(globals));
  for (const param of [...Object.values(commonOptions(node)), yes, noInput, quiet]) rare.delete(param);
  const free = Object.values(optionsOf(node)).filter(
    (param) =>
      (param.kind === 'option' || param.kind === 'flag') &&
      (param.repeats || !options.has(param)) &&
      !(/^-{0,2}$/.test(current) && rare.has(param)),
  );
  return { ...nothing, words: free.map((param) => ({ text: longName(param), about: param.description })) };
}

async function valuesOf(param: Param<unknown>, before: string, typed: Typed, names: Names): Promise<Offer> {
  const source = param.choices ?? param.completion ?? byPlaceholder[placeholderOf(param)] ?? [];
  if (source === 'files') return { kind: 'files', before, words: [] };
  const offered = typeof source === 'string' ? await names(source, typed) : source.map((text) => ({ text }));
  // Alone, a word with a dash would be parsed as an option.
  const words = offered.filter(({ text }) => isPrintable(text) && (before !== '' || !text.startsWith('-')));
  return { kind: 'words', before, words: words.slice(0, 500) };
}

const byPlaceholder: Readonly<Record<string, readonly string[] | KnownSource>> = {
  file: 'files',
  template: 'templates',
  mode: ['sandbox', 'live'],
  event: eventNames,
};

/** Whether a terminal shows the text as it is, on one line. */
function isPrintable(text: string): boolean {
  return text !== '' && text.length <= 200 && safeLine(text) === text && !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** The node to which words lead. */
export async function nodeAt(tree: Group, words: readonly string[]): Promise<Node | undefined> {
  let node: Node | undefined = tree;
  for (const word of words) {
    const child: Node | LazyNode | undefined =
      node?.kind === 'group' ? node.children.find(({ name }) => name === word) : undefined;
    node = child && (await opened(child));
  }
  return node;
}

export function childrenOf({ children }: Group): readonly Offered[] {
  return children.map(({ name, summary }) => ({ text: name, about: summary }));
}
