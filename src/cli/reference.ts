import type { Command } from './command.ts';
import { type Node, type Tree, whole } from './tree.ts';
import { globals } from './globals.ts';
import { described, usageLine } from './help.ts';

/** The command reference of the README, made from the tree. */
export async function reference(tree: Tree): Promise<string> {
  const { name, children } = await whole(tree);
  return [
    ...children.flatMap((node) => section([name], node)),
    '### Global options\n',
    table(described(globals)),
    '',
  ].join('\n');
}

function section(parents: readonly string[], node: Node): readonly string[] {
  const path = [...parents, node.name];
  return node.kind === 'group' ? node.children.flatMap((child) => section(path, child)) : entry(path, node);
}

function entry(path: readonly string[], node: Command): readonly string[] {
  const params = described(node.params);
  return [
    `### \`${usageLine(path, node)}\`\n`,
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
