import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, knowing, required } from '../../cli/params.ts';
import { planParams } from './plan.ts';
import { profileLines } from './show.ts';

export const setProfile = command({
  name: 'set',
  summary: "Change a profile's address, plan or webhook secret",
  details: 'A stored key goes only to the origin stored with it: a change of origin removes the keys.',
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
    const secret = webhookSecret ? await context.stdin() : undefined;
    const after = await profiles.set(name, { baseUrl: context.given.baseUrl, plan, rate, webhookSecret: secret });
    const left = (before.sandbox_key ?? before.live_key) !== null && (after.sandbox_key ?? after.live_key) === null;
    if (left)
      context.note(
        'keys-left',
        'its keys were for the other origin and are removed; they are still valid at the service',
      );
    return after;
  },
  view: (profile, ui) => [`${ui.color.green('Changed')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});
