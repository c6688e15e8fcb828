import { command, type Context, type Located } from '../cli/command.ts';
import { knowing, words } from '../cli/params.ts';
import { CliError, usage } from '../base/errors.ts';
import type { topics } from './topics.ts';

const topicNames = [
  'twice',
  'exit-codes',
  'environment',
  'output',
  'announced',
] as const satisfies readonly (keyof typeof topics)[];

export const helpCommand = command({
  name: 'help',
  summary: 'Show help for a command or a topic',
  details: [
    'Topics: twice (no template twice by accident), exit-codes (the meaning of each exit code), environment',
    '(variables and folders), output (formats, notes and errors), announced (API features that are not available yet).',
    '-o json prints the whole tree of commands, or one command, with its options, for programs.',
  ].join('\n'),
  params: {
    words: knowing({ of: 'commands', more: topicNames }, words('[words...]', 'a command or a topic')),
  },
  examples: ['help contacts create', 'help exit-codes', 'help contacts import -o json'],
  sample: 'Create a contact\n\nUsage: bizmsg contacts create [options]\n…',
  accepts: ['output'],
  piped: 'text',
  run: async (context, { words }) => {
    const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
    if (topic !== undefined) {
      const text = (await import('./topics.ts')).topics[topic];
      return { page: Buffer.from(text), data: { topic, text } };
    }
    const { json, output } = context.given;
    const { path, node } = await found(words, context);
    if (json || (output !== undefined && output !== 'table')) {
      const { describeNode } = await import('../cli/command-tree.ts');
      return { page: Buffer.from(''), data: await describeNode(path, node) };
    }
    const { help } = await import('../cli/help.ts');
    return { page: Buffer.from(help(path, node)), data: undefined };
  },
  data: ({ data }) => data,
  view: ({ page }, ui) => ui.page(page.toString()),
});

/** Looks a command up; suggests a topic if its name was misspelled. */
async function found(words: readonly string[], { locate }: Context): Promise<Located> {
  try {
    return await locate(words);
  } catch (error) {
    const { suggestAll } = await import('../base/suggest.ts');
    const word = words.join('-').toLowerCase();
    // One or two letters match too many topics.
    const [topic] = word.length < 3 ? [] : suggestAll(word, topicNames);
    if (!(error instanceof CliError) || error.code === 'announced' || topic === undefined) throw error;
    throw usage(error.message, `did you mean bizmsg help ${topic}?`);
  }
}
