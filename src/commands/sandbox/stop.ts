import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const stopSandbox = command({
  name: 'stop',
  summary: 'Stop the sandboxes that run on this machine',
  params: {},
  examples: ['sandbox stop'],
  sample: 'Stopped http://127.0.0.1:4780',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const running = sandboxes.meant();
    await Promise.all(running.map(async (locator) => (await sandboxes.remote(locator)).stop()));
    return { stopped: running.map(({ url }) => url) };
  },
  view: ({ stopped }, ui) => {
    if (stopped.length === 0) return 'No sandbox was running';
    return stopped.map((url) => `${ui.color.green('Stopped')} ${url}`).join('\n');
  },
});
