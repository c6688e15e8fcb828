import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { ask } from './control.ts';

export const sandboxChoices = command({
  name: 'choices',
  summary: 'List how the sandbox handles everything the API document leaves open',
  params: {},
  examples: ['sandbox choices', 'sandbox choices -o json'],
  sample: 'sections\topen\tchoice\tothers\n§2 §4\twhich fields of send-template are required\tall three\t\n…',
  accepts: printOptions,
  piped: 'rows',
  run: async (context) =>
    (await ask(context, 'choices')).map(({ sections, open, choice, others }) => ({
      sections: sections.join(' '),
      open,
      choice,
      others: others?.join('; '),
    })),
  view: () => 'No choices',
});
