import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, knowing, required } from '../../cli/params.ts';
import { planParams } from './plan.ts';
import { keysOf, profileLines } from './show.ts';

export const setProfile = command({
  name: 'set',
  summary: "Change a profile's address, plan or webhook secret",
  details: [
    'Stored keys are bound to the origin they were stored for, and never move to another. A change of the',
    'origin removes them from this machine, and asks first; another path at the same origin keeps them.',
  ].join('\n'),
  params: {
    name: knowing({ of: 'profiles' }, required('<name>', 'the profile')),
    ...planParams,
    webhookSecret: flag('--webhook-secret-stdin', 'read the webhook secret from stdin'),
  },
  examples: ['profiles set acme --plan scale', 'profiles set acme --base-url https://api.example.com/v2'],
  sample: 'Changed acme\n  in use: true\n  base url: https://api.example.com\n  plan: scale\n  …',
  honours: ['baseUrl', ...printing],
  changes: true,
  piped: 'text',
  run: async (context, { name, plan, rate, webhookSecret }) => {
    const profiles = await context.profiles();
    const before = profiles.show(name);
    const { baseUrl } = context.given;
    const loses = baseUrl !== undefined && profiles.losesKeys(name, baseUrl);
    if (loses) {
      const { origin } = new URL(before.base_url);
      const cost = `remove its keys ${keysOf(before)}, which were stored for ${origin}`;
      await context.confirm(`Move ${name} to ${baseUrl} and ${cost}`);
    }
    const secret = webhookSecret ? await context.stdin() : undefined;
    const after = await profiles.set(name, { baseUrl, plan, rate, webhookSecret: secret });
    if (loses) context.note('keys-left', 'the keys are removed here, but still valid at the service they were for');
    return after;
  },
  view: (profile, ui) => [`${ui.color.green('Changed')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});
