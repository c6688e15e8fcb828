import { command, type Context } from '../cli/command.ts';
import { knowing, words } from '../cli/params.ts';
import { CliError, usage } from '../base/errors.ts';
import type { topics } from './topics.ts';

const topicNames = [
  'exit-codes',
  'environment',
  'output',
  'announced',
] as const satisfies readonly (keyof typeof topics)[];

export const helpCommand = command({
  name: 'help',
  summary: 'Show help for a command or a topic',
  details: [
    'Topics: exit-codes (the meaning of each exit code), environment (variables and folders), output (formats,',
    'notes and errors), announced (API features that are not available yet).',
  ].join('\n'),
  params: {
    words: knowing({ of: 'commands', more: topicNames }, words('[words...]', 'a command or a topic')),
  },
  examples: ['help contacts create', 'help exit-codes'],
  sample: 'Create a contact\n\nUsage: bizmsg contacts create [options]\n…',
  accepts: [],
  piped: 'text',
  run: async (context, input) => {
    const topic = input.words.length === 1 ? topicNames.find((name) => name === input.words[0]) : undefined;
    if (topic === undefined) return Buffer.from(await commandHelp(context, input.words));
    return Buffer.from((await import('./topics.ts')).topics[topic]);
  },
  view: (text, ui) => ui.page(text.toString()),
});

/** Returns the help of a command; suggests a topic if its name was misspelled. */
async function commandHelp(context: Context, words: readonly string[]): Promise<string> {
  try {
    return await context.helpFor(words);
  } catch (error) {
    const { suggestAll } = await import('../base/suggest.ts');
    const word = words.join('-').toLowerCase();
    // One or two letters match too many topics.
    const [topic] = word.length < 3 ? [] : suggestAll(word, topicNames);
    if (!(error instanceof CliError) || error.code === 'announced' || topic === undefined) throw error;
    throw usage(error.message, `did you mean bizmsg help ${topic}?`);
  }
}
