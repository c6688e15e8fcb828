import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const listProfiles = command({
  name: 'list',
  summary: 'List the profiles',
  params: {},
  examples: ['profiles list', 'profiles list -o json'],
  sample:
    'name\tin_use\tbase_url\tplan\trate\tmode\tsandbox_key\tlive_key\twebhook_secret\nacme\ttrue\thttps://api.example.com\tgrowth\t\tsandbox\tsk_test_…1234\t…',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => (await context.profiles()).rows(),
  view: () => 'No profiles; add one with bizmsg login, or use --profile local',
});
