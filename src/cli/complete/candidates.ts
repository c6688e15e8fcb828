import { safeLine } from '../output/text.ts';
import { nameIn, tokens } from '../tokens.ts';
import type { Known } from '../params.ts';
import type { Surface, SurfaceNode, SurfaceParam } from '../command-tree.ts';

/** The possible meanings of the word at the cursor. */
type Position =
  | { readonly kind: 'children'; readonly node: SurfaceNode }
  | { readonly kind: 'options'; readonly params: readonly SurfaceParam[] }
  | ValuePosition
  /** A word of another program. */
  | { readonly kind: 'command' }
  | { readonly kind: 'nothing' };

interface ValuePosition {
  readonly kind: 'values';
  readonly known: Known;
  /** The part of the word before the value: `--profile=`. */
  readonly before: string;
  /** The arguments before it. */
  readonly words: readonly string[];
  /** The options before it, with their values. */
  readonly given: ReadonlyMap<string, string>;
}

/** The part of the line before the cursor. */
interface Typed {
  readonly node: SurfaceNode;
  readonly given: ReadonlyMap<string, string>;
  readonly words: readonly string[];
  /** The option whose value comes next. */
  readonly pending: SurfaceParam | undefined;
  /** Whether `--` ended the options. */
  readonly isEnded: boolean;
}

/** `words` are those after the program's name; the last one is at the cursor. */
export function positionOf(surface: Surface, words: readonly string[]): Position {
  const current = words.at(-1) ?? '';
  const typed = read(surface, words.slice(0, -1));
  if (!typed) return { kind: 'nothing' };
  if (typed.pending) return valueOf(typed.pending, '', typed);
  if (typed.isEnded && typed.node.params?.some(({ kind }) => kind === 'rest')) return { kind: 'command' };
  if (!typed.isEnded && current.startsWith('-')) return optionPosition(surface, typed, current);
  if (typed.node.children) return typed.isEnded ? { kind: 'nothing' } : { kind: 'children', node: typed.node };
  const argument = argumentAt(typed);
  if (argument) return valueOf(argument, '', typed);
  return current === '' && !typed.isEnded ? optionPosition(surface, typed, current) : { kind: 'nothing' };
}

/** Undefined after an unknown command. */
function read(surface: Surface, argv: readonly string[]): Typed | undefined {
  let node = surface.root;
  const [given, words] = [new Map<string, string>(), new Array<string>()];
  let [pending, isEnded]: [SurfaceParam | undefined, boolean] = [undefined, false];
  const find = (name: string) => optionsOf(surface, node).find(({ names }) => names.includes(name));
  for (const { kind, text, param, value } of tokens(argv, find)) {
    if (kind === 'end') isEnded = true;
    else if (kind === 'option' && value === undefined) pending = param;
    else if (param) given.set(nameOf(param), value ?? '');
    else if (kind === 'word' && (isEnded || !node.children)) words.push(text);
    else if (kind === 'word') {
      const child = node.children?.find(({ name }) => name === text);
      if (!child) return undefined;
      node = child;
    }
  }
  return { node, given, words, pending, isEnded };
}

function optionPosition(surface: Surface, typed: Typed, current: string): Position {
  const params = optionsOf(surface, typed.node);
  const { name, inline } = nameIn(current);
  if (name.startsWith('--') && inline !== undefined) {
    const param = params.find(({ kind, names }) => kind === 'option' && names.includes(name));
    return param ? valueOf(param, `${name}=`, typed) : { kind: 'nothing' };
  }
  const isBare = /^-{0,2}$/.test(current);
  const free = params.filter(
    (param) => (param.repeats || !typed.given.has(nameOf(param))) && !(isBare && param.isRare),
  );
  return { kind: 'options', params: free };
}

function valueOf({ known }: SurfaceParam, before: string, { words, given }: Typed): Position {
  return known ? { kind: 'values', known, before, words, given } : { kind: 'nothing' };
}

/** The options of the command, and the global ones that it accepts. */
function optionsOf({ globals }: Surface, { params = [], refuses = [] }: SurfaceNode): readonly SurfaceParam[] {
  const own = params.filter(({ kind }) => kind === 'option' || kind === 'flag');
  return [...own, ...globals.filter(({ names }) => !names.some((name) => refuses.includes(name)))];
}

function argumentAt({ node, words }: Typed): SurfaceParam | undefined {
  const taken = (node.params ?? []).filter(({ kind }) => kind === 'argument');
  const last = taken.at(-1);
  return taken[words.length] ?? (last?.repeats ? last : undefined);
}

function nameOf({ names }: SurfaceParam): string {
  return names.at(-1) ?? '';
}

/** Completion candidates: words, or what the shell looks up. */
export interface Candidates {
  readonly kind: 'words' | 'files' | 'command';
  /** The part of the word at the cursor before each candidate. */
  readonly before: string;
  readonly words: readonly Candidate[];
}

export interface Candidate {
  readonly text: string;
  readonly about: string;
}

/** Names stored on this machine, read on demand. */
export interface Names {
  profiles(): readonly string[];
  /** The columns of the last of these words that is a table. */
  columns(words: readonly string[]): readonly string[];
  /** The templates of the account that is called with these options. */
  templates(given: ReadonlyMap<string, string>): readonly string[];
  /** The ids that this command lists, the newest first. */
  ids(command: string): readonly Candidate[];
}

const most = 500;
const longest = 200;

export function candidatesAt(position: Position, current: string, root: SurfaceNode, names: Names): Candidates {
  switch (position.kind) {
    case 'command':
      return { kind: 'command', before: '', words: [] };
    case 'children':
      return words(childrenOf(position.node));
    case 'options':
      return words(
        position.params.map(({ names: known, about }) => ({
          text: known.find((name) => name.startsWith('--')) ?? '',
          about,
        })),
      );
    case 'values':
      return valuesOf(position, current, root, names);
    case 'nothing':
    default:
      return words([]);
  }
}

function valuesOf(position: ValuePosition, current: string, root: SurfaceNode, names: Names): Candidates {
  const { known, before } = position;
  if (known.of === 'files') return { kind: known.of, before, words: [] };
  const typed = current.slice(before.length);
  const ahead = known.commas ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const chosen = ahead.split(',');
  const found = candidatesFor(position, root, names)
    .filter(({ text }) => isPrintable(text) && !(ahead && chosen.includes(text)))
    // Alone, it would be parsed as an option.
    .filter(({ text }) => before !== '' || !text.startsWith('-'));
  return { kind: 'words', before: before + ahead, words: found.slice(0, most) };
}

function candidatesFor(
  { known, words: before, given }: ValuePosition,
  root: SurfaceNode,
  names: Names,
): readonly Candidate[] {
  switch (known.of) {
    case 'profiles':
      return names.profiles().map(bare);
    case 'callers':
      return [...names.profiles().map(bare), { text: 'local', about: 'the sandbox on this machine' }];
    case 'columns': {
      const [ahead, behind] = known.around ?? ['', ''];
      return names.columns(before).map((name) => bare(`${ahead}${name}${behind}`));
    }
    case 'templates':
      return names.templates(given).map(bare);
    case 'commands': {
      const node = before.reduce<SurfaceNode | undefined>(
        (so, word) => so?.children?.find(({ name }) => name === word),
        root,
      );
      return [...(node ? childrenOf(node) : []), ...(before.length === 0 ? (known.more ?? []).map(bare) : [])];
    }
    case 'runs':
      return names.ids('runs list');
    case 'events':
      return names.ids('webhooks history --limit 100');
    case 'files':
      return [];
    default:
      return known.of.map(bare);
  }
}

/** Whether a terminal shows the text as it is, on one line. */
function isPrintable(text: string): boolean {
  return text !== '' && text.length <= longest && safeLine(text) === text && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function childrenOf({ children = [] }: SurfaceNode): readonly Candidate[] {
  return children.map(({ name, about }) => ({ text: name, about }));
}

function bare(text: string): Candidate {
  return { text, about: '' };
}

function words(found: readonly Candidate[]): Candidates {
  return { kind: 'words', before: '', words: found };
}
