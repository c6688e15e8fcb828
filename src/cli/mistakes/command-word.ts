import { announced } from '../../contract/endpoints.ts';
import { CliError, usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import type { Group, Node } from '../tree.ts';
import { globals } from '../globals.ts';
import { longName } from '../params.ts';
import { didYouMean } from './hints.ts';
import { meant } from './verbs.ts';

/** A word that stands where a command should. */
export interface Stray {
  readonly tree: Group;
  readonly parent: Group;
  /** The words that lead to the parent, the program's name first. */
  readonly path: readonly string[];
  readonly word: string;
  /** What was typed after it. */
  readonly after: readonly string[];
}

export function unknownCommand(stray: Stray): CliError {
  const { path, word } = stray;
  const family = path.length === 1 && announced.find(({ words }) => words.includes(word));
  if (family) {
    return new CliError('usage', 'announced', `${word}: announced by the API, not available yet`, {
      hint: `coming soon: ${family.features.join(', ')}; see bizmsg help announced`,
    });
  }
  return usage(`"${word}" is not a command of ${path.join(' ')}`, hintFor(stray));
}

/** Any command or group, and the words that lead to it. */
interface Spot {
  readonly path: readonly string[];
  readonly node: Node;
}

type Alike = (word: string, name: string) => boolean;

const same: Alike = (word, name) => word === name;
const near: Alike = (word, name) => suggest(word, [name]) !== undefined;
const inPart: Alike = (word, name) => name.split('-').includes(word);
const alike: readonly Alike[] = [same, (word, name) => meant(word).includes(name), near];

/** Commands that are not needed. */
const unneeded: Readonly<Record<string, string>> = {
  'runs resume': 'run the same command again: it sends the rest',
  'runs continue': 'run the same command again: it sends the rest',
  'runs restart': 'run the same command again with --again: it sends all rows once more',
};

function hintFor(stray: Stray): string {
  const { tree, parent, path, word } = stray;
  const instead = unneeded[[...path.slice(1), word].join(' ')];
  if (instead !== undefined) return instead;
  const isRoot = parent === tree;
  const spots = below(tree, [tree.name]);
  const likely = likelySpots(stray, spots);
  if (likely.length > 0) return didYouMean(lines(likely));
  const elsewhere = named([word], spots, same);
  // In a group, another one's command is meant only if no third one has it.
  const isClear = isRoot ? elsewhere.length > 0 : elsewhere.length === 1 && elsewhere[0]?.path.length === 3;
  if (isClear) return didYouMean(lines(elsewhere));
  const option = asOption(word, spots);
  if (option !== undefined) return option;
  const group = isRoot ? subject(stray) : { path, node: parent };
  if (group)
    return `the commands of ${group.path.join(' ')} are ${group.node.children.map(({ name }) => name).join(', ')}`;
  const rough = closest([inPart, ...alike], (isAlike) => named(wordsIn(word), spots, isAlike));
  return rough.length > 0 ? didYouMean(lines(rough)) : `see ${tree.name} --help`;
}

/** In the group itself, and where the other words lead, if they name the very command. */
function likelySpots(stray: Stray, spots: readonly Spot[]): readonly Spot[] {
  const {
    parent: { children },
    path,
    word,
  } = stray;
  const names = children.map(({ name }) => name);
  const name = meant(word).find((one) => names.includes(one)) ?? suggest(word, names);
  const here = children.filter((node) => node.name === name).map((node) => ({ path: [...path, node.name], node }));
  if (here.length > 0) return [...here, ...related(stray, spots, same)];
  return closest(alike, (isAlike) => related(stray, spots, isAlike));
}

/** Where what was said besides leads: `import contacts`, `import-contacts`, and `webhooks add` in the sandbox. */
function related({ tree, parent, word, after }: Stray, spots: readonly Spot[], isAlike: Alike): readonly Spot[] {
  const words = wordsIn(word);
  const context = [...words, ...(parent === tree ? after.slice(0, 1) : [parent.name])];
  return words.flatMap((one) => {
    const others = context.filter((other) => other !== one);
    const isMeant = ({ path }: Spot) => path.slice(1, -1).some((name) => others.some((other) => isNoun(other, name)));
    return named([one], spots, isAlike).filter(isMeant);
  });
}

/** The group of the root that is spoken of. */
function subject({ tree, word, after }: Stray): { readonly path: readonly string[]; readonly node: Group } | undefined {
  const words = [...wordsIn(word), ...after.slice(0, 1)];
  for (const node of tree.children)
    if (node.kind === 'group' && words.some((one) => isNoun(one, node.name)))
      return { path: [tree.name, node.name], node };
  return undefined;
}

function isNoun(word: string, name: string): boolean {
  return `${word}s` === name || near(word, name);
}

/** A flag that was taken for a command, such as `again`. */
function asOption(word: string, spots: readonly Spot[]): string | undefined {
  if (word === 'version' || Object.values(globals).some((param) => longName(param) === `--${word}`))
    return `it is an option: --${word}`;
  const owners = spots.filter(
    ({ node }) =>
      node.kind === 'command' &&
      Object.values(node.params).some((param) => param.kind === 'flag' && longName(param) === `--${word}`),
  );
  if (owners.length === 0 || owners.length > 3) return undefined;
  const names = owners.map(({ path }) => path.join(' ')).join(' and ');
  return `start its line again with --${word}, an option of ${names}`;
}

/** What is found by the first likeness that finds anything. */
function closest(likenesses: readonly Alike[], find: (isAlike: Alike) => readonly Spot[]): readonly Spot[] {
  return likenesses.map(find).find(({ length }) => length > 0) ?? [];
}

function named(words: readonly string[], spots: readonly Spot[], isAlike: Alike): readonly Spot[] {
  return spots.filter(({ path, node }) => path.length > 1 && words.some((word) => isAlike(word, node.name)));
}

/** `importContacts` and `import_contacts` are two words. */
function wordsIn(word: string): readonly string[] {
  return word.split(/[-_:./]+|(?<=[a-z])(?=[A-Z])/).map((one) => one.toLowerCase());
}

/** The shortest first. */
function lines(spots: readonly Spot[]): readonly string[] {
  const sorted = spots.toSorted((a, b) => a.path.length - b.path.length);
  return [...new Set(sorted.map(({ path }) => path.join(' ')))];
}

function below(node: Node, path: readonly string[]): readonly Spot[] {
  const children = node.kind === 'group' ? node.children : [];
  return [{ path, node }, ...children.flatMap((child) => below(child, [...path, child.name]))];
}
