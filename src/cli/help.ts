import { type Command, type Group, type Node, type Tree, whole } from './command.ts';
import { globals } from './globals.ts';
import { folded } from './output/text.ts';
import type { Param, Params } from './params.ts';

/** The help page of a node, for 80 columns. Without arguments, it is short enough for a small terminal. */
export function help(path: readonly string[], node: Node | Tree, isAsked = true): string {
  return node.kind === 'tree' ? rootHelp(node, isAsked) : nodeHelp(path, node);
}

function rootHelp(root: Tree, isAsked: boolean): string {
  const names = (node: Tree['children'][number]) =>
    node.kind === 'lazy' && node.to === 'group' ? `${node.name} …` : node.name;
  return [
    `${root.name}: ${root.summary}\n`,
    'Usage: bizmsg <command> [options]\n',
    'Commands:',
    listed(root.children.map((node) => [names(node), node.summary])),
    ...(isAsked ? ['\nOptions, before or after the command:', listed(described(globals))] : []),
    '\nTry it without an account and without a network:',
    exampleLines('send-template +12025550101 welcome --profile local'),
    '\nMore: bizmsg help <command>, twice, exit-codes, environment, output, announced',
    ...(isAsked ? [] : ['Options: bizmsg --help']),
    '',
  ].join('\n');
}

function nodeHelp(path: readonly string[], node: Node): string {
  return node.kind === 'group' ? groupHelp(path, node) : commandHelp(path, node);
}

function groupHelp(path: readonly string[], node: Group): string {
  return [
    `${node.summary}\n`,
    `Usage: ${path.join(' ')} <command> [options]\n`,
    'Commands:',
    listed(node.children.map(({ kind, name, summary }) => [kind === 'group' ? `${name} …` : name, summary])),
    `\nMore: ${path.join(' ')} <command> --help`,
    '',
  ].join('\n');
}

function commandHelp(path: readonly string[], node: Command): string {
  const own = described(node.params);
  return [
    `${node.summary}\n`,
    `Usage: ${usageLine(path, node)}\n`,
    ...(node.details ? [`${paragraphs(node.details)}\n`] : []),
    ...(own.length > 0 ? ['Arguments and options:', listed(own), ''] : []),
    'Examples:',
    ...node.examples.map(exampleLines),
    '\nOutput in a pipe:',
    ...node.sample.split('\n').map((line) => `  ${line}`),
    '\nGlobal options: bizmsg --help',
    '',
  ].join('\n');
}

/** A command line that can be copied; a long one continues before an option. */
function exampleLines(example: string): string {
  const lines = ['  bizmsg'];
  for (const piece of example.split(/ (?=-)/)) {
    const longer = `${lines.at(-1)} ${piece}`;
    if (longer.length > 78) lines.push(`    ${piece}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(' \\\n');
}

export function usageLine(path: readonly string[], node: Command): string {
  const params = Object.values(node.params);
  const specs = (wanted: Param<unknown>['kind']) =>
    params.filter(({ kind }) => kind === wanted).map(({ spec }) => spec);
  const [words, rest] = [specs('argument'), specs('rest')];
  const options = words.length + rest.length < params.length ? ['[options]'] : [];
  return [...path, ...words, ...options, ...rest].join(' ');
}

function described(params: Params): readonly (readonly [string, string])[] {
  return Object.values(params).map((param) => [param.spec, sentence(param)] as const);
}

/** The description with the choices, and the default in parentheses. */
function sentence({ description, choices, repeats, kind }: Param<unknown>): string {
  const [, text = description, usual] = /^(.*) \(([^()]*)\)$/.exec(description) ?? [];
  const extras = [usual, repeats && kind === 'option' ? 'repeatable' : undefined].filter(Boolean);
  return [
    choices ? `${text}: ${choices.join(', ')}` : text,
    ...(extras.length > 0 ? [`(${extras.join('; ')})`] : []),
  ].join(' ');
}

/** Wraps paragraphs; indented lines are kept as they are. */
function paragraphs(text: string): string {
  const ownLine = /^( |$)/;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const last = lines.at(-1) ?? '';
    if (ownLine.test(line) || ownLine.test(last)) lines.push(line);
    else lines[lines.length - 1] = `${last} ${line}`;
  }
  return lines.map((line) => (ownLine.test(line) ? line : folded([line], 80, ''))).join('\n');
}

function listed(rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(28, Math.max(...rows.map(([name]) => name.length)));
  return rows.map(([name, text]) => row(name, text, left)).join('\n');
}

function row(name: string, text: string, left: number): string {
  const lines = folded([text], 80 - left - 4, '').split('\n');
  const first = name.length > left ? [`  ${name}`] : [];
  const label = name.length > left ? '' : name;
  return [...first, ...lines.map((line, at) => `  ${(at === 0 ? label : '').padEnd(left)}  ${line}`)].join('\n');
}

/** The page `docs/reference.md`. */
export async function reference(tree: Tree): Promise<string> {
  const nodes = (await whole(tree)).children.map((node) => commandsOf([], node));
  const link = ([path]: Found) => `[${path.join(' ')}](#${path.join('-')})`;
  return [
    '# Commands\n',
    'Generated from the program. `bizmsg help COMMAND` prints the same with a sample of the output.\n',
    ...nodes.map((found) => `- ${found.map(link).join(' · ')}`),
    '- [global options](#global-options)\n',
    ...nodes.flat().flatMap(([path, node]) => entry(path, node)),
    '## Global options\n',
    'Put them before or after the command. A command refuses those that it does not support (exit 2).\n',
    table(described(globals)),
    '',
  ].join('\n');
}

type Found = readonly [path: readonly string[], command: Command];

function commandsOf(parents: readonly string[], node: Node): readonly Found[] {
  const path = [...parents, node.name];
  return node.kind === 'group' ? node.children.flatMap((child) => commandsOf(path, child)) : [[path, node]];
}

function entry(path: readonly string[], node: Command): readonly string[] {
  const params = described(node.params);
  return [
    `## ${path.join(' ')}\n`,
    `\`${usageLine(['bizmsg', ...path], node)}\`\n`,
    `${node.summary}.\n`,
    ...(node.details ? [`${node.details}\n`] : []),
    ...(params.length > 0 ? [table(params), ''] : []),
    '```sh',
    ...node.examples.map((example) => `bizmsg ${example}`),
    '```\n',
  ];
}

function table(rows: readonly (readonly [string, string])[]): string {
  const escaped = (text: string) => text.replaceAll('|', '\\|');
  return ['| | |', '|---|---|', ...rows.map(([name, text]) => `| \`${escaped(name)}\` | ${escaped(text)} |`)].join(
    '\n',
  );
}
