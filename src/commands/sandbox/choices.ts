import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const sandboxChoices = command({
  name: 'choices',
  summary: "List what the API's document leaves open, and what the sandbox does there",
  params: {},
  examples: ['sandbox choices', 'sandbox choices -o json'],
  sample: 'sections\topen\tchoice\tothers\n§2 §4\twhich fields of send-template are required\tall three\t\n…',
  honours: [...printing],
  piped: 'rows',
  run: async (context) =>
    (await (await context.sandbox()).choices()).map(({ sections, open, choice, others }) => ({
      sections: Array.isArray(sections) ? sections.join(' ') : sections,
      open,
      choice,
      others: Array.isArray(others) ? others.join('; ') : undefined,
    })),
  view: () => 'No choices',
});
