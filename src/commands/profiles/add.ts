import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, required } from '../../cli/params.ts';
import { planParams } from './plan.ts';
import { profileLines } from './show.ts';

export const addProfile = command({
  name: 'add',
  summary: 'Add a profile: an address, a plan and its first key',
  details: 'It calls nobody. To have the key checked at the service, use login.',
  params: {
    name: required('<name>', 'a name of your choice'),
    ...planParams,
    keyStdin: flag('--key-stdin', 'read the key from stdin'),
    noKey: flag('--without-key', 'add the key later, with keys set'),
  },
  examples: [
    'profiles add acme --base-url https://api.example.com --plan growth --key-stdin < key.txt',
    'profiles add acme --base-url https://api.example.com --without-key',
  ],
  sample:
    'Added acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  rate: none\n  mode: sandbox\n  sandbox key: sk_test_…1234\n  live key: none\n  webhook secret: none',
  honours: ['baseUrl', 'mode', ...printing],
  changes: true,
  piped: 'text',
  run: async (context, { name, plan, rate, keyStdin, noKey }) => {
    const profiles = await context.profiles();
    profiles.requireFree(name);
    const { requireAddress } = profiles;
    const baseUrl = context.given.baseUrl ?? (await context.ask('Base URL of the API', '--base-url', requireAddress));
    requireAddress(baseUrl);
    const key = keyStdin
      ? await context.stdin()
      : noKey
        ? undefined
        : await context.askSecret('API key', '--key-stdin');
    return profiles.add(name, { baseUrl, plan, rate, key, mode: context.given.mode });
  },
  view: (profile, ui) => [`${ui.color.green('Added')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});
