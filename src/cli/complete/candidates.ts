import { safeLine } from '../output/text.ts';
import type { Known } from '../params.ts';
import type { Surface, SurfaceNode, SurfaceParam } from './surface.ts';

/** What may stand at the cursor. */
type Wish =
  | { readonly kind: 'children'; readonly node: SurfaceNode }
  | { readonly kind: 'options'; readonly params: readonly SurfaceParam[] }
  | ValueWish
  /** The words of another program. */
  | { readonly kind: 'command' }
  | { readonly kind: 'nothing' };

interface ValueWish {
  readonly kind: 'values';
  readonly known: Known;
  /** What of the word stands before the value: `--profile=`. */
  readonly before: string;
  /** The arguments before it. */
  readonly words: readonly string[];
  /** The values of options that were given. */
  readonly given: ReadonlyMap<string, string>;
}

interface Walk {
  readonly node: SurfaceNode;
  readonly given: ReadonlyMap<string, string>;
  readonly words: readonly string[];
  /** The option whose value comes next. */
  readonly pending?: SurfaceParam | undefined;
  readonly isEnded: boolean;
  readonly isLost: boolean;
}

/** The words are those after the program's name, the last one at the cursor. */
export function wishOf(surface: Surface, words: readonly string[]): Wish {
  const current = words.at(-1) ?? '';
  const start: Walk = { node: surface.root, given: new Map(), words: [], isEnded: false, isLost: false };
  const walk = words.slice(0, -1).reduce((so, word) => step(surface, so, word), start);
  if (walk.isLost) return { kind: 'nothing' };
  if (walk.pending) return valueOf(walk.pending, '', walk);
  if (walk.isEnded && walk.node.params?.some(({ kind }) => kind === 'rest')) return { kind: 'command' };
  if (!walk.isEnded && current.startsWith('-')) return optionWish(surface, walk, current);
  if (walk.node.children) return walk.isEnded ? { kind: 'nothing' } : { kind: 'children', node: walk.node };
  const taken = argumentAt(walk);
  if (taken) return valueOf(taken, '', walk);
  return current === '' && !walk.isEnded ? optionWish(surface, walk, current) : { kind: 'nothing' };
}

function step(surface: Surface, walk: Walk, word: string): Walk {
  const { pending, given, node } = walk;
  if (pending) return { ...walk, pending: undefined, given: new Map([...given, [nameOf(pending), word]]) };
  if (walk.isEnded) return { ...walk, words: [...walk.words, word] };
  if (word === '--') return { ...walk, isEnded: true };
  if (/^-./.test(word)) return afterOption(surface, walk, word);
  if (!node.children) return { ...walk, words: [...walk.words, word] };
  const child = node.children.find(({ name }) => name === word);
  return child ? { ...walk, node: child } : { ...walk, isLost: true };
}

function afterOption(surface: Surface, walk: Walk, word: string): Walk {
  const { name, inline } = partsOf(word);
  const param = optionsOf(surface, walk.node).find(({ names }) => names.includes(name));
  if (!param) return walk;
  if (param.kind === 'option' && inline === undefined) return { ...walk, pending: param };
  return { ...walk, given: new Map([...walk.given, [nameOf(param), inline ?? '']]) };
}

function partsOf(word: string): { readonly name: string; readonly inline: string | undefined } {
  if (!word.startsWith('--')) return { name: word.slice(0, 2), inline: word.slice(2) || undefined };
  const end = word.indexOf('=');
  return end < 0 ? { name: word, inline: undefined } : { name: word.slice(0, end), inline: word.slice(end + 1) };
}

function optionWish(surface: Surface, walk: Walk, current: string): Wish {
  const params = optionsOf(surface, walk.node);
  const { name, inline } = partsOf(current);
  if (name.startsWith('--') && inline !== undefined) {
    const param = params.find(({ kind, names }) => kind === 'option' && names.includes(name));
    return param ? valueOf(param, `${name}=`, walk) : { kind: 'nothing' };
  }
  const free = params.filter((param) => param.repeats || !walk.given.has(nameOf(param)));
  return { kind: 'options', params: free };
}

function valueOf({ known }: SurfaceParam, before: string, { words, given }: Walk): Wish {
  return known ? { kind: 'values', known, before, words, given } : { kind: 'nothing' };
}

/** Those of the command, and the global ones that it does not refuse. */
function optionsOf({ globals }: Surface, { params = [], refuses = [] }: SurfaceNode): readonly SurfaceParam[] {
  const own = params.filter(({ kind }) => kind === 'option' || kind === 'flag');
  return [...own, ...globals.filter(({ names }) => !names.some((name) => refuses.includes(name)))];
}

function argumentAt({ node, words }: Walk): SurfaceParam | undefined {
  const taken = (node.params ?? []).filter(({ kind }) => kind === 'argument');
  const last = taken.at(-1);
  return taken[words.length] ?? (last?.repeats ? last : undefined);
}

function nameOf({ names }: SurfaceParam): string {
  return names.at(-1) ?? '';
}

/** What a shell is told: words to choose from, or what it is to look for itself. */
export interface Offer {
  readonly kind: 'words' | 'files' | 'folders' | 'command';
  /** What stands before each of them in the word at the cursor. */
  readonly before: string;
  readonly words: readonly Offered[];
}

export interface Offered {
  readonly text: string;
  readonly about: string;
}

/** Names that only this machine knows; each is read when it is asked for. */
export interface Names {
  profiles(): readonly string[];
  /** Of who is called with these options. */
  templates(given: ReadonlyMap<string, string>): readonly string[];
}

const most = 500;
const longest = 200;

export function offerOf(wish: Wish, current: string, root: SurfaceNode, names: Names): Offer {
  switch (wish.kind) {
    case 'command':
      return { kind: 'command', before: '', words: [] };
    case 'children':
      return words(childrenOf(wish.node));
    case 'options':
      return words(
        wish.params.map(({ names: known, about }) => ({
          text: known.find((name) => name.startsWith('--')) ?? '',
          about,
        })),
      );
    case 'values':
      return valuesOf(wish, current, root, names);
    case 'nothing':
    default:
      return words([]);
  }
}

function valuesOf(wish: ValueWish, current: string, root: SurfaceNode, names: Names): Offer {
  const { known, before } = wish;
  if (known.of === 'files' || known.of === 'folders') return { kind: known.of, before, words: [] };
  const typed = current.slice(before.length);
  const ahead = known.commas ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const chosen = ahead.split(',');
  const offered = offeredBy(wish, root, names)
    .filter(({ text }) => isOffered(text) && !(ahead && chosen.includes(text)))
    // Where it stands alone it would be taken for an option.
    .filter(({ text }) => before !== '' || !text.startsWith('-'));
  return { kind: 'words', before: before + ahead, words: offered.slice(0, most) };
}

function offeredBy({ known, words: before, given }: ValueWish, root: SurfaceNode, names: Names): readonly Offered[] {
  switch (known.of) {
    case 'profiles':
      return names.profiles().map(bare);
    case 'callers':
      return [...names.profiles().map(bare), { text: 'local', about: 'the sandbox on this machine' }];
    case 'templates':
      return names.templates(given).map(bare);
    case 'commands': {
      const node = before.reduce<SurfaceNode | undefined>(
        (so, word) => so?.children?.find(({ name }) => name === word),
        root,
      );
      return [...(node ? childrenOf(node) : []), ...(before.length === 0 ? (known.more ?? []).map(bare) : [])];
    }
    case 'files':
    case 'folders':
      return [];
    default:
      return known.of.map(bare);
  }
}

/** Nothing that a terminal would act on, or that could not be put on one line, is offered. */
function isOffered(text: string): boolean {
  return text !== '' && text.length <= longest && safeLine(text) === text && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function childrenOf({ children = [] }: SurfaceNode): readonly Offered[] {
  return children.map(({ name, about }) => ({ text: name, about }));
}

function bare(text: string): Offered {
  return { text, about: '' };
}

function words(offered: readonly Offered[]): Offer {
  return { kind: 'words', before: '', words: offered };
}
