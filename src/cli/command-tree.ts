import { exitCodes } from '../base/errors.ts';
import { type Command, type Node, type Tree, whole } from './command.ts';
import { globals, restricted } from './globals.ts';
import { usageLine } from './help.ts';
import { longName, type Param, type Params } from './params.ts';

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
    refused_global_options: restricted.filter((one) => !accepts.includes(one)).map((one) => longName(globals[one])),
    examples: examples.map((example) => `bizmsg ${example}`),
    sample,
  };
}

function argumentIn({ kind, spec, description, choices, repeats }: Param<unknown>): object | undefined {
  if (kind !== 'argument' && kind !== 'rest') return undefined;
  return {
    name: /[\w-]*\w/.exec(spec.replace('-- ', ''))?.[0] ?? spec,
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
  const { kind, spec, description, choices, repeats } = param;
  if (kind !== 'option' && kind !== 'flag') return undefined;
  const [, value] = /<(.+)>$/.exec(spec) ?? [];
  const [, usual] = /\(default: ([^()]*)\)$/.exec(description) ?? [];
  return {
    name: longName(param),
    short: /^-\w/.exec(spec)?.[0] ?? null,
    type: kind === 'flag' ? 'boolean' : value === 'n' || value === 'port' ? 'integer' : 'string',
    value: value ?? null,
    choices: choices ?? null,
    default: usual ?? null,
    repeatable: repeats ?? false,
    description,
  };
}
