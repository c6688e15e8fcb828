import { events } from '../../contract/events.ts';
import { type Command, type Node, type Tree, whole } from '../command.ts';
import { globals, restricted } from '../globals.ts';
import type { Known, Param, Params } from '../params.ts';

/** The command tree for completion, as plain data for the build. */
export interface Surface {
  readonly root: SurfaceNode;
  readonly globals: readonly SurfaceParam[];
}

export interface SurfaceNode {
  readonly name: string;
  readonly about: string;
  /** Only for a group. */
  readonly children?: readonly SurfaceNode[];
  /** Only for a command. */
  readonly params?: readonly SurfaceParam[];
  /** The global options that it does not accept. */
  readonly refuses?: readonly string[];
}

export interface SurfaceParam {
  readonly kind: Param<unknown>['kind'];
  /** `-p` and `--param`; empty for an argument. */
  readonly names: readonly string[];
  readonly about: string;
  readonly repeats?: true | undefined;
  readonly known?: Known | undefined;
}

export async function surfaceOf(tree: Tree): Promise<Surface> {
  return { root: nodeOf(await whole(tree)), globals: paramsOf(globals) };
}

function nodeOf(node: Node): SurfaceNode {
  const { name, summary: about } = node;
  if (node.kind === 'group') return { name, about, children: node.children.map(nodeOf) };
  return { name, about, params: paramsOf(node.params), refuses: refusedBy(node) };
}

function refusedBy({ accepts }: Command): readonly string[] {
  const refused = restricted.filter((name) => !accepts.includes(name));
  const names = refused.flatMap((name) => namesIn(globals[name]));
  return refused.includes('output') ? [...names, '--json'] : names;
}

function paramsOf(params: Params): readonly SurfaceParam[] {
  return Object.values(params).map((param) => {
    const { kind, description: about, repeats } = param;
    return { kind, names: namesIn(param), about, repeats, known: knownOf(param) };
  });
}

function namesIn({ kind, spec }: Pick<Param<unknown>, 'kind' | 'spec'>): readonly string[] {
  return kind === 'option' || kind === 'flag' ? spec.split(/[ ,]+/).filter((word) => word.startsWith('-')) : [];
}

const eventNames = Object.keys(events);
const families = [...new Set(eventNames.map((name) => name.replace(/\..*/, '')))];

/** Values by the name of the option, or of its placeholder. */
const knownAs: Readonly<Record<string, Known>> = {
  '--profile': { of: 'callers' },
  '--template': { of: 'templates' },
  '--events': { of: [...eventNames, ...families], commas: true },
  '--route': { of: [...eventNames, ...families].map((name) => `${name}=`) },
  event: { of: eventNames },
  template: { of: 'templates' },
  mode: { of: ['sandbox', 'live'] },
  file: { of: 'files' },
  dir: { of: 'folders' },
};

function knownOf(param: Param<unknown>): Known | undefined {
  if (param.known) return param.known;
  if (param.choices) return { of: param.choices };
  const value = /[<[]([\w-]+)(?:\.\.\.)?[>\]]/.exec(param.spec)?.[1] ?? '';
  const name = namesIn(param).at(-1) ?? '';
  return knownAs[name] ?? knownAs[value];
}
