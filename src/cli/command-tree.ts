import { exitCodes } from '../base/errors.ts';
import { eventFamilies, eventNames } from '../contract/events.ts';
import { type Command, type Node, type Tree, whole } from './command.ts';
import { callOptions, globals, notAccepted } from './globals.ts';
import { inheritedBy, usageLine } from './help.ts';
import { type Known, longName, namesOf, type Param, type Params, placeholderOf } from './params.ts';

/** A node and all below it, for programs; the root with global options and exit codes. */
export async function describeNode(path: readonly string[], node: Node | Tree): Promise<object> {
  if (node.kind !== 'tree') return described(path, node);
  const { children } = await whole(node);
  return {
    name: node.name,
    version: __VERSION__,
    summary: node.summary,
    commands: children.map((child) => described([...path, child.name], child)),
    global_options: optionsIn(globals),
    exit_codes: Object.entries(exitCodes).map(([name, code]) => ({ code, name })),
  };
}

function described(path: readonly string[], node: Node): object {
  const { name, summary } = node;
  if (node.kind === 'command') return describedCommand(path, node);
  const commands = node.children.map((child) => described([...path, child.name], child));
  return { name, path: path.join(' '), summary, commands };
}

function describedCommand(path: readonly string[], node: Command): object {
  const { name, summary, details, params, examples, sample, accepts } = node;
  return {
    name,
    path: path.join(' '),
    summary,
    usage: usageLine(path, node),
    details: details ?? null,
    arguments: Object.values(params).flatMap((param) => argumentIn(param) ?? []),
    options: optionsIn(params),
    refused_global_options: notAccepted(accepts).map((one) => longName(globals[one])),
    examples: examples.map((example) => `bizmsg ${example}`),
    sample,
  };
}

function argumentIn(param: Param<unknown>): object | undefined {
  const { kind, spec, description, choices, repeats } = param;
  if (kind !== 'argument' && kind !== 'rest') return undefined;
  return {
    name: placeholderOf(param),
    required: spec.startsWith('<'),
    repeatable: repeats ?? false,
    after_dashes: kind === 'rest',
    choices: choices ?? null,
    description,
  };
}

function optionsIn(params: Params): readonly object[] {
  return Object.values(params).flatMap((param) => optionIn(param) ?? []);
}

function optionIn(param: Param<unknown>): object | undefined {
  const { kind, description, choices, repeats, isHidden } = param;
  if ((kind !== 'option' && kind !== 'flag') || isHidden) return undefined;
  const value = placeholderOf(param) || null;
  const [, usual] = /\(default: ([^()]*)\)$/.exec(description) ?? [];
  return {
    name: longName(param),
    short: namesOf(param).find((name) => !name.startsWith('--')) ?? null,
    type: kind === 'flag' ? 'boolean' : value === 'n' || value === 'port' ? 'integer' : 'string',
    value,
    choices: choices ?? null,
    default: usual ?? null,
    repeatable: repeats ?? false,
    description,
  };
}

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
  readonly bare?: string;
  readonly known?: Known | undefined;
  /** Offered only once a letter of it was typed. */
  readonly isRare?: true | undefined;
}

export async function surfaceOf(tree: Tree): Promise<Surface> {
  const offered = new Set<Param<unknown>>([
    globals.yes,
    globals.quiet,
    globals.noInput,
    ...Object.values(inheritedBy({ accepts: callOptions })),
  ]);
  const inherited = Object.values(globals).flatMap((param) =>
    paramsOf({ param }).map((one) => (offered.has(param) ? one : { ...one, isRare: true as const })),
  );
  return { root: nodeOf(await whole(tree)), globals: inherited };
}

function nodeOf(node: Node): SurfaceNode {
  const { name, summary: about } = node;
  if (node.kind === 'group') return { name, about, children: node.children.map(nodeOf) };
  return { name, about, params: paramsOf(node.params), refuses: refusedBy(node) };
}

function refusedBy({ accepts }: Command): readonly string[] {
  return notAccepted(accepts).flatMap((name) => namesOf(globals[name]));
}

function paramsOf(params: Params): readonly SurfaceParam[] {
  return Object.values(params).flatMap((param) => {
    const { kind, description: about, repeats, bare, isHidden } = param;
    if (isHidden) return [];
    return { kind, names: namesOf(param), about, repeats, ...(bare && { bare }), known: knownOf(param) };
  });
}

/** Values by the name of the option, or of its placeholder. */
const knownAs: Readonly<Record<string, Known>> = {
  '--profile': { of: 'callers' },
  '--events': { of: [...eventNames, ...eventFamilies], commas: true },
  event: { of: eventNames },
  template: { of: 'templates' },
  mode: { of: ['sandbox', 'live'] },
  file: { of: 'files' },
};

function knownOf(param: Param<unknown>): Known | undefined {
  if (param.known) return param.known;
  if (param.choices) return { of: param.choices };
  return knownAs[longName(param)] ?? knownAs[placeholderOf(param)];
}
