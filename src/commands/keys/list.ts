import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const listKeys = command({
  name: 'list',
  summary: 'List the stored keys, by prefix and last four',
  params: {},
  examples: ['keys list', 'keys list --profile acme -o json'],
  sample: 'profile\tmode\tkey\tactive\nacme\tsandbox\tsk_test_…1234\ttrue\nacme\tlive\tsk_live_…4f2a\tfalse',
  honours: ['profile', ...printing],
  piped: 'rows',
  run: async (context) => (await context.profiles()).keyRows(context.given.profile),
  view: () => 'No keys; store one with bizmsg login',
});
