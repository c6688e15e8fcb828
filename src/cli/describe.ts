import { exitCodes } from '../base/errors.ts';
import { type Command, type Node, opened } from './command.ts';
import { globals, notAccepted } from './globals.ts';
import { detailsOf, usageOf } from './help.ts';
import { longName, namesOf, type Param, placeholderOf } from './params.ts';

/** A node and all below it, for programs; the root with global options and exit codes. */
export async function describeNode(path: readonly string[], node: Node): Promise<object> {
  if (node.kind === 'command') return describedCommand(path, node);
  const commands = await Promise.all(
    node.children.map(async (child) => describeNode([...path, child.name], await opened(child))),
  );
  const group = { name: node.name, path: path.join(' '), summary: node.summary, commands };
  if (path.length > 1) return group;
  return {
    ...group,
    version: __VERSION__,
    global_options: Object.values(globals).map(paramOf),
    exit_codes: Object.entries(exitCodes).map(([name, code]) => ({ code, name })),
  };
}

function describedCommand(path: readonly string[], node: Command): object {
  const { name, summary, params, examples, accepts } = node;
  const shown = Object.values(params);
  return {
    name,
    path: path.join(' '),
    summary,
    usage: [...path, ...usageOf(node)].join(' '),
    details: detailsOf(node) ?? null,
    arguments: shown.filter((param) => !isOption(param)).map(paramOf),
    options: shown.filter(isOption).map(paramOf),
    refused_global_options: notAccepted(accepts).map((name) => longName(globals[name])),
    examples: examples.map((example) => `bizmsg ${example}`),
  };
}

const isOption = (param: Param<unknown>) => namesOf(param).length > 0;

function paramOf(param: Param<unknown>): object {
  const { kind, spec, description, choices, repeats } = param;
  const value = placeholderOf(param) || null;
  return {
    name: isOption(param) ? longName(param) : value,
    short: namesOf(param).find((name) => !name.startsWith('--')) ?? null,
    type: kind === 'flag' ? 'boolean' : value === 'n' || value === 'port' ? 'integer' : 'string',
    value,
    required: spec.startsWith('<'),
    repeatable: repeats ?? false,
    after_dashes: kind === 'rest',
    choices: choices ?? null,
    default: /\(default: ([^()]*)\)$/.exec(description)?.[1] ?? null,
    description,
  };
}
