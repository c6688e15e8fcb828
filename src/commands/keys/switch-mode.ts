import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';
import { mode } from '../../cli/values.ts';

export const switchMode = command({
  name: 'switch-mode',
  summary: 'Choose which of its two keys a profile uses',
  details: [
    'This changes the profile on this machine, for all its shells and scripts; it calls nobody. For one',
    'command use --mode.',
  ].join('\n'),
  params: { to: required('<mode>', 'sandbox or live', mode) },
  examples: ['keys switch-mode live --profile acme --yes', 'keys switch-mode sandbox --profile acme'],
  sample: 'Switched acme to live: sk_live_…4f2a',
  honours: ['profile', ...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = await context.profiles();
    const profile = profiles.chosen();
    // A key that is not there is said before anybody is asked.
    profiles.requireKey(profile, input.to);
    context.note('affects', `all shells and scripts that use the profile ${profile} are affected`);
    context.note('environment-wins', 'a key in the environment (BIZMSG_API_KEY) wins over the profile');
    if (input.to === 'live') await context.confirm(`Use the live key of ${profile}? Real messages will be sent`);
    return profiles.switchMode(profile, input.to);
  },
  view: ({ profile, mode: now, key }, ui) => `${ui.color.green('Switched')} ${profile} to ${now}: ${key}`,
});
