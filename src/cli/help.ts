import { type Command, type Group, type Node, type Tree, whole } from './command.ts';
import { globals, notAccepted, type Restricted } from './globals.ts';
import { folded } from './output/text.ts';
import { type Param, type Params } from './params.ts';

/** The help page of a node, for 80 columns. Without arguments, it is short enough for a small terminal. */
export function help(path: readonly string[], node: Node | Tree, isAsked = true): string {
  return node.kind === 'tree' ? rootHelp(node, isAsked) : nodeHelp(path, node);
}

/** The commands below their headings. */
export const sections: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['Send', ['send-template', 'send-batch', 'runs']],
  ['Data', ['contacts', 'templates', 'campaigns']],
  ['Events and sandbox', ['webhooks', 'sandbox']],
  ['Account', ['login', 'logout', 'whoami', 'profiles', 'keys', 'team']],
  ['Tools', ['api', 'doctor', 'completion', 'help']],
];

function rootHelp(root: Tree, isAsked: boolean): string {
  const shown = (name: string) =>
    root.children
      .filter((node) => node.name === name)
      .map((node) => [node.kind === 'lazy' && node.to === 'group' ? `${name} …` : name, node.summary] as const);
  const { profile, mode, output, dryRun, yes, help: asked } = globals;
  return [
    `${root.name}: ${root.summary}\n`,
    'Try it without an account and without a network:',
    exampleLines('send-template +12025550101 welcome --profile local'),
    '',
    ...sections.flatMap(([heading, names]) => [`${heading}:`, listed(names.flatMap(shown), 13)]),
    ...(isAsked
      ? [
          '\nOptions, before or after the command:',
          listed(described({ profile, mode, output, dryRun, yes, asked }), 21),
        ]
      : []),
    '',
    folded([`Topics: bizmsg help ${topicNames.join(', ')}; or the name of an option, or an exit code`], 80, ''),
    ...(isAsked ? [] : ['Options: bizmsg --help']),
    '',
  ].join('\n');
}

/** What `bizmsg help` explains besides commands. */
export const topicNames = [
  'options',
  'files',
  'twice',
  'exit-codes',
  'output',
  'environment',
  'agents',
  'announced',
] as const;

function nodeHelp(path: readonly string[], node: Node): string {
  return node.kind === 'group' ? groupHelp(path, node) : commandHelp(path, node);
}

function groupHelp(path: readonly string[], node: Group): string {
  return [
    `${node.summary}\n`,
    `Usage: ${path.join(' ')} <command> [options]\n`,
    'Commands:',
    listed(node.children.map(({ kind, name, summary }) => [kind === 'group' ? `${name} …` : name, summary])),
    '',
    `More: ${path.join(' ')} <command> --help · ${pageOf(path)}`,
    '',
  ].join('\n');
}

function commandHelp(path: readonly string[], node: Command): string {
  const own = Object.values(node.params).filter(({ isHidden }) => !isHidden);
  const left = labelWidth([...Object.values(inheritedBy(node)), ...own]);
  const headings = new Set(own.map(headingOf));
  return [
    `${node.summary}\n`,
    `Usage: ${usageLine(path, node)}\n`,
    node.examples.length > 1 ? 'Examples:' : 'Example:',
    ...node.examples.map(exampleLines),
    '',
    ...(node.details ? [`${paragraphs(node.details)}\n`] : []),
    ...[...headings].map((heading) => {
      const below = own.filter((param) => headingOf(param) === heading);
      return `${heading}:\n${listed(described(Object.fromEntries(below.entries())), left)}`;
    }),
    ...inheritedLines(node, left),
    '',
    moreLine(path, node),
    '',
  ].join('\n');
}

function headingOf({ heading, kind }: Param<unknown>): string {
  return heading ?? (kind === 'argument' || kind === 'rest' ? 'Arguments' : 'Options');
}

/** The global options that people look for below a command. */
const inherited = ['profile', 'mode', 'output', 'dryRun'] as const satisfies readonly Restricted[];

export function inheritedBy({ accepts }: Pick<Command, 'accepts'>): Params {
  const refused = notAccepted(accepts);
  const names = inherited.filter((name) => !refused.includes(name));
  return Object.fromEntries(names.map((name): [string, Param<unknown>] => [name, globals[name]]));
}

function inheritedLines(node: Command, left: number): readonly string[] {
  const params = inheritedBy(node);
  return Object.keys(params).length === 0 ? [] : ['Common options:', listed(described(params), left)];
}

function moreLine(path: readonly string[], { params }: Command): string {
  const topics = 'atMost' in params ? ['bizmsg help files', 'bizmsg help twice'] : [];
  return `More: ${[...topics, 'bizmsg help options', pageOf(path)].join(' · ')}`;
}

/** The page of the docs about a command. */
function pageOf([, name = '']: readonly string[]): string {
  return `docs/${pages[name] ?? 'scripting'}.md`;
}

const pages: Readonly<Record<string, string>> = {
  'send-batch': 'bulk',
  contacts: 'bulk',
  runs: 'bulk',
  login: 'accounts-and-live-keys',
  whoami: 'accounts-and-live-keys',
  profiles: 'accounts-and-live-keys',
  keys: 'accounts-and-live-keys',
  webhooks: 'webhooks',
  sandbox: 'sandbox',
  doctor: 'troubleshooting',
};

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

export function described(params: Params): readonly (readonly [string, string])[] {
  return Object.values(params)
    .filter(({ isHidden }) => !isHidden)
    .map((param) => [param.spec, sentence(param)] as const);
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

function labelWidth(params: readonly Pick<Param<unknown>, 'spec'>[]): number {
  return Math.min(24, Math.max(0, ...params.map(({ spec }) => spec.length)));
}

/** Names with their texts, in two columns. */
export function listed(
  rows: readonly (readonly [string, string])[],
  left = labelWidth(rows.map(([spec]) => ({ spec }))),
): string {
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
    'Generated from the program. `bizmsg help COMMAND` prints the same, with more examples.\n',
    ...nodes.map((found) => `- ${found.map(link).join(' · ')}`),
    '- [global options](#global-options)\n',
    ...nodes.flat().flatMap(([path, node]) => entry(path, node)),
    '## Global options\n',
    'Put them before or after the command. A command refuses those that it does not support (exit 2).\n',
    list(described(globals)),
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
    `${node.summary}: \`${usageLine(['bizmsg', ...path], node)}\``,
    ...(node.details ? [`\n${node.details}`] : []),
    '',
    ...(params.length > 0 ? [list(params), ''] : []),
    `Example: \`bizmsg ${node.examples[0] ?? ''}\`\n`,
  ];
}

function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, text]) => `- \`${name}\`: ${text}`).join('\n');
}
