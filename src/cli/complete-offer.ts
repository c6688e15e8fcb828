import { safeLine } from './output/text.ts';
import type { SurfaceNode } from './complete-surface.ts';
import type { ValueWish, Wish } from './complete-wish.ts';

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
