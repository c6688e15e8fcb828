import { command, type Context } from '../cli/command.ts';
import { topicNames } from '../cli/help.ts';
import { knowing, words } from '../cli/params.ts';
import { CliError } from '../base/errors.ts';

export const helpCommand = command({
  name: 'help',
  summary: 'Show help for a command, a topic, an option or an exit code',
  details: `Topics: ${topicNames.join(', ')}.\n-o json prints the whole tree of commands, or one command, for programs.`,
  params: {
    words: knowing('help', words('[words...]', 'a command, a topic, an option or an exit code')),
  },
  examples: ['help contacts create', 'help twice', 'help rate', 'help 13', 'help contacts import -o json'],
  accepts: ['output'],
  run: async (context, { words }) => {
    const topic = await topicText(words);
    if (topic !== undefined) return { page: Buffer.from(topic), data: { topic: words.join(' '), text: topic } };
    try {
      const { path, node, answer = '' } = await context.parse([...words, '--help']);
      const { output } = context.given;
      if (output === undefined || output === 'table') return { page: Buffer.from(answer), data: undefined };
      return { page: Buffer.from(''), data: await (await import('../cli/describe.ts')).describeNode(path, node) };
    } catch (error) {
      const text =
        error instanceof CliError && words.length === 1 ? await pageText(words[0] ?? '', context) : undefined;
      if (text === undefined) throw error;
      return { page: Buffer.from(text), data: { topic: words[0], text } };
    }
  },
  data: ({ data }) => data,
  view: ({ page }) => page.toString(),
});

async function topicText(words: readonly string[]): Promise<string | undefined> {
  const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
  return topic === undefined ? undefined : (await import('./topics.ts')).topics[topic];
}

/** The page of an option or an exit code. */
async function pageText(word: string, context: Context): Promise<string | undefined> {
  const [{ pageOf }, { node: root }] = await Promise.all([import('./topics.ts'), context.parse(['--help'])]);
  return root.kind === 'group' ? pageOf(word, root) : undefined;
}
