import { type Command, command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { ask } from './control.ts';

const list = command({
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
  view: (choices, ui) =>
    choices
      .map(({ sections, open, choice, others = '' }) =>
        [
          ui.line([ui.color.bold(sections), open]),
          ui.line([`  ${choice}`], '  '),
          ...(others === '' ? [] : [ui.line([`  or ${others}`], '  ')]),
        ].join('\n'),
      )
      .join('\n\n'),
});

/** A terminal has no room for these texts in columns. */
export const sandboxChoices: Command = {
  ...list,
  run: async (context, texts, emit) => {
    const result = await list.run(context, texts, emit);
    return context.host.stdout.isTTY ? { ...result, piped: 'text' } : result;
  },
};
