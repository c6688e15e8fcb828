import { command, type Context, type Located } from '../cli/command.ts';
import { topicNames } from '../cli/help.ts';
import { knowing, words } from '../cli/params.ts';
import { CliError, usage } from '../base/errors.ts';

export const helpCommand = command({
  name: 'help',
  summary: 'Show help for a command, a topic, an option or an exit code',
  details: `Topics: ${topicNames.join(', ')}.\n-o json prints the whole tree of commands, or one command, for programs.`,
  params: {
    words: knowing(
      { of: 'commands', more: topicNames },
      words('[words...]', 'a command, a topic, an option or an exit code'),
    ),
  },
  examples: ['help contacts create', 'help twice', 'help rate', 'help 13', 'help contacts import -o json'],
  sample: 'Create a contact\n\nUsage: bizmsg contacts create [options]\n…',
  accepts: ['output'],
  piped: 'text',
  run: async (context, { words }) => {
    const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined;
    if (topic !== undefined) {
      const text = (await import('./topics.ts')).topics[topic]();
      return { page: Buffer.from(text), data: { topic, text } };
    }
    const { output } = context.given;
    const { path, node, page } = await found(words, context);
    if (page !== undefined) return { page: Buffer.from(page), data: { topic: words.join(' '), text: page } };
    if (output !== undefined && output !== 'table') {
      const { describeNode } = await import('../cli/command-tree.ts');
      return { page: Buffer.from(''), data: await describeNode(path, node) };
    }
    const { help } = await import('../cli/help.ts');
    return { page: Buffer.from(help(path, node)), data: undefined };
  },
  data: ({ data }) => data,
  view: ({ page }, ui) => ui.page(page.toString()),
});

interface Found extends Pick<Located, 'path' | 'node'> {
  /** The page of an option or an exit code. */
  readonly page?: string | undefined;
}

/** Looks a command up, then an option or an exit code; suggests a topic if its name was misspelled. */
async function found(words: readonly string[], { locate }: Context): Promise<Found> {
  try {
    return await locate(words);
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'announced') throw error;
    const [{ pageOf }, { suggestAll }] = await Promise.all([import('./topics.ts'), import('../base/suggest.ts')]);
    const root = await locate([]);
    const isCommand =
      root.node.kind === 'tree' &&
      suggestAll(
        words[0] ?? '',
        root.node.children.map(({ name }) => name),
      ).length > 0;
    const page = words.length === 1 && !isCommand ? await pageOf(words[0] ?? '', root.node) : undefined;
    if (page !== undefined) return { ...root, page };
    const word = words.join('-').toLowerCase();
    // One or two letters match too many topics.
    const [topic] = word.length < 3 ? [] : suggestAll(word, topicNames);
    if (topic === undefined) throw error;
    throw usage(error.message, `did you mean bizmsg help ${topic}?`);
  }
}
