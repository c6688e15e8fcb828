import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { knowing, required } from '../../cli/params.ts';

export const removeProfile = command({
  name: 'remove',
  summary: 'Remove a profile and its stored keys',
  details: 'The keys are still valid at the service: revoke them in the dashboard.',
  params: { name: knowing({ of: 'profiles' }, required('<name>', 'the profile')) },
  examples: ['profiles remove acme'],
  sample: 'Removed acme',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const removed = await (await context.profiles()).remove(input.name);
    context.note('still-valid', 'its keys are still valid at the service; revoke them in the dashboard');
    return removed;
  },
  view: ({ name }, ui) => `${ui.color.green('Removed')} ${name}`,
});
