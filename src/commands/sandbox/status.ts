import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const sandboxStatus = command({
  name: 'status',
  summary: 'Show the sandboxes that run on this machine',
  params: {},
  examples: ['sandbox status', 'sandbox status -o json'],
  honours: [...printing],
  piped: 'rows',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    return Promise.all(sandboxes.live().map(async (locator) => (await sandboxes.remote(locator)).status()));
  },
  view: () => 'No sandbox is running; one starts on demand with --profile local',
});
