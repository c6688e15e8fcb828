import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { argument, knowing } from '../../cli/params.ts';

export const showProfile = command({
  name: 'show',
  summary: 'Show a profile, with its keys by prefix and last four',
  params: { name: knowing({ of: 'profiles' }, argument('[name]', 'the profile (the one in use)')) },
  examples: ['profiles show acme', 'profiles show acme -o json'],
  sample:
    'acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  rate: none\n  mode: sandbox\n  sandbox key: sk_test_…1234\n  live key: sk_live_…4f2a\n  webhook secret: stored\n  account: …',
  honours: [...printing],
  piped: 'text',
  run: async (context, input) => {
    const profiles = await context.profiles();
    return profiles.show(input.name ?? profiles.chosen());
  },
  view: (profile) => [profile.name, ...profileLines(profile)].join('\n'),
});

/** A profile's fields, a line each. */
export function profileLines(profile: object): readonly string[] {
  return Object.entries(profile)
    .filter(([name]) => name !== 'name')
    .map(([name, value]) => `  ${name.replaceAll('_', ' ')}: ${value ?? 'none'}`);
}

/** A profile's keys for a question: by prefix and last four, empty if it has none. */
export function keysOf({ sandbox_key, live_key }: KeysShown): string {
  return [sandbox_key, live_key].filter((key) => key !== null).join(', ');
}

interface KeysShown {
  readonly sandbox_key: string | null;
  readonly live_key: string | null;
}
