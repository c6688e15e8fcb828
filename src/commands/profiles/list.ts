import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const listProfiles = command({
  name: 'list',
  summary: 'List the profiles',
  params: {},
  examples: ['profiles list', 'profiles list -o json'],
  honours: [...printing],
  piped: 'rows',
  run: async (context) => (await context.profiles()).rows(),
  view: () => 'No profiles; add one with bizmsg login, or use --profile local',
});
