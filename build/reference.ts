import { commandsBelow, type Group, type Located } from '../src/cli/command.ts';
import { globals } from '../src/cli/globals.ts';
import { sentence, usageOf } from '../src/cli/help.ts';
import type { Params } from '../src/cli/params.ts';

/** The page `docs/reference.md`. */
export async function reference(tree: Group): Promise<string> {
  const commands = await commandsBelow(tree);
  const words = new Set(commands.map(({ path }) => path[0]));
  const groups = Array.from(words, (word) => commands.filter(({ path }) => path[0] === word));
  return [
    '# Commands\n',
    'Generated from the program. `bizmsg help COMMAND` prints the same, with more examples.\n',
    ...groups.map((group) => `- ${group.map(link).join(' · ')}`),
    '- [global options](#global-options)\n',
    ...commands.flatMap(entry),
    '## Global options\n',
    'Put them before or after the command. A command refuses those that it does not support (exit 2).\n',
    list(globals),
    '',
  ].join('\n');
}

function link({ path }: Located): string {
  return `[${path.join(' ')}](#${path.join('-')})`;
}

function entry({ path, command }: Located): readonly string[] {
  const { summary, details, params, examples } = command;
  return [
    `## ${path.join(' ')}\n`,
    `${summary}: \`${['bizmsg', ...path, ...usageOf(command)].join(' ')}\``,
    ...(details === undefined ? [] : [`\n${details}`]),
    '',
    ...(Object.keys(params).length > 0 ? [list(params), ''] : []),
    `Example: \`bizmsg ${examples[0] ?? ''}\`\n`,
  ];
}

function list(params: Params): string {
  const shown = Object.values(params);
  return shown.map((param) => `- \`${param.spec}\`: ${sentence(param)}`).join('\n');
}
