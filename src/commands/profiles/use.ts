import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { knowing, required } from '../../cli/params.ts';

export const useProfile = command({
  name: 'use',
  summary: 'Choose the profile that is used when none is named',
  params: { name: knowing({ of: 'profiles' }, required('<name>', 'the profile')) },
  examples: ['profiles use acme'],
  sample: 'Using acme',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => (await context.profiles()).use(input.name),
  view: ({ name }, ui) => `${ui.color.green('Using')} ${name}`,
});
