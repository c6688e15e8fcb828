import type { Command, Node } from './command.ts';
import { globals, notAccepted, type Restricted } from './globals.ts';
import { foldedCommand } from './output/text.ts';
import type { Paint } from './output/ui.ts';
import type { Param, Params } from './params.ts';

/** The words after those of a node: `<template> <file> [options]`. */
export function usageOf(node: Node): readonly string[] {
  if (node.kind === 'group') return ['<command>', '[options]'];
  const params = Object.values(node.params);
  const specs = (wanted: Param<unknown>['kind']) =>
    params.filter(({ kind }) => kind === wanted).map(({ spec }) => spec);
  const hasOptions = params.some(({ kind }) => kind === 'option' || kind === 'flag');
  return [...specs('argument'), ...(hasOptions ? ['[options]'] : []), ...specs('rest')];
}

/** The summary, examples and details of a node. */
export function descriptionOf(node: Node, bold: Paint): string {
  if (node.kind === 'group') return node.summary;
  const { summary, examples } = node;
  const details = detailsOf(node);
  // A paragraph is one line; indented lines are kept as they are.
  const text = details?.replace(/^(?! )(.+)\n(?![\n ])/gm, '$1 ');
  return [
    `${summary}\n`,
    bold(examples.length > 1 ? 'Examples' : 'Example'),
    ...examples.map((example) => foldedCommand(`  bizmsg ${example}`, 80, '    ')),
    ...(text === undefined ? [] : [`\n${text}`]),
  ].join('\n');
}

/** Its lines are indented as in the source. */
export function detailsOf({ details }: Command): string | undefined {
  return details?.replace(/^ {4}/gm, '');
}

/** Where a page of help leads next. */
export function footerOf({ path, node }: { readonly path: readonly string[]; readonly node: Node }): string {
  const [program = ''] = path;
  const topics = (names: readonly string[]) => names.map((name) => `${program} help ${name}`).join(' · ');
  if (node.kind === 'command')
    return `\n\nMore: ${topics(['options', ...('atMost' in node.params ? ['files', 'twice'] : [])])}`;
  if (path.length > 1) return `\n\nMore: ${path.join(' ')} <command> --help`;
  return [
    '\n\nTry it without an account and without a network:',
    `  ${program} send-template +12025550101 welcome --profile local`,
    `\nOptions of all commands: ${topics(['options'])}`,
    `More: ${program} help ${topicNames.slice(1).join(', ')}`,
  ].join('\n');
}

/** What `bizmsg help` explains besides commands. */
export const topicNames = ['options', 'files', 'twice', 'exit-codes', 'environment', 'agents'] as const;

/** The global options that the help of a command shows. */
const common = ['profile', 'mode', 'output', 'dryRun'] as const satisfies readonly Restricted[];

export function commonOptions(node: Node): Params {
  if (node.kind === 'group') return {};
  const refused = notAccepted(node.accepts);
  const names = common.filter((name) => !refused.includes(name));
  return Object.fromEntries(names.map((name): [string, Param<unknown>] => [name, globals[name]]));
}

/** The description of a param, with its choices and its default. */
export function sentence({ description, choices, repeats, kind }: Param<unknown>): string {
  const [, text = description, usual] = /^(.*) \(([^()]*)\)$/.exec(description) ?? [];
  const extras = [usual, repeats && kind === 'option' ? 'repeatable' : undefined].filter(Boolean);
  return [
    choices ? `${text}: ${choices.join(', ')}` : text,
    ...(extras.length > 0 ? [`(${extras.join('; ')})`] : []),
  ].join(' ');
}
