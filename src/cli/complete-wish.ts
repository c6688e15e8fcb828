import type { Surface, SurfaceNode, SurfaceParam } from './complete-surface.ts';
import type { Known } from './params.ts';

/** What may stand at the cursor. */
export type Wish =
  | { readonly kind: 'children'; readonly node: SurfaceNode }
  | { readonly kind: 'options'; readonly params: readonly SurfaceParam[] }
  | ValueWish
  /** The words of another program. */
  | { readonly kind: 'command' }
  | { readonly kind: 'nothing' };

export interface ValueWish {
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
