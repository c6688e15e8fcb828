import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { knowing, required } from '../../cli/params.ts';
import { keysOf } from './show.ts';

export const removeProfile = command({
  name: 'remove',
  summary: 'Remove a profile and its stored keys',
  details: 'It asks first. The keys are still valid at the service: revoke them in the dashboard.',
  params: { name: knowing({ of: 'profiles' }, required('<name>', 'the profile')) },
  examples: ['profiles remove acme --yes'],
  sample: 'Removed acme',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = await context.profiles();
    const keys = keysOf(profiles.show(input.name));
    await context.confirm(`Remove the profile ${input.name}${keys === '' ? '' : ` and its keys ${keys}`}`);
    const removed = await profiles.remove(input.name);
    context.note('still-valid', 'its keys are still valid at the service; revoke them in the dashboard');
    return removed;
  },
  view: ({ name }, ui) => `${ui.color.green('Removed')} ${name}`,
});
