import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';
import { mode } from '../../cli/values.ts';

export const removeKey = command({
  name: 'remove',
  summary: 'Remove a stored key from a profile',
  details: 'It asks first. The key is still valid at the service: revoke it in the dashboard.',
  params: { which: required('<mode>', 'sandbox or live', mode) },
  examples: ['keys remove live --profile acme --yes'],
  sample: 'Removed the live key of acme',
  honours: ['profile', ...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = await context.profiles();
    const profile = profiles.chosen();
    profiles.requireKey(profile, input.which);
    const { sandbox_key: sandbox, live_key: live } = profiles.show(profile);
    await context.confirm(`Remove the ${input.which} key ${input.which === 'live' ? live : sandbox} of ${profile}`);
    const removed = await profiles.removeKey(profile, input.which);
    context.note('still-valid', 'the key is still valid at the service; revoke it in the dashboard');
    return removed;
  },
  view: ({ profile, mode: removed }, ui) => `${ui.color.green('Removed')} the ${removed} key of ${profile}`,
});
