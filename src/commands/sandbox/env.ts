import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { shellWord } from '../../base/shell-word.ts';

export const sandboxEnv = command({
  name: 'env',
  summary: 'Print the environment that calls the sandbox, for eval or an .env file',
  details: "This is the one place that prints the sandbox's keys in full. It starts the sandbox if none runs.",
  params: {},
  examples: ['sandbox env', 'sandbox env -o json'],
  sample:
    'export BIZMSG_BASE_URL=http://127.0.0.1:4780\nexport BIZMSG_API_KEY=sk_test_local-…\nexport BIZMSG_WEBHOOK_SECRET=whsec_…',
  honours: [...printing],
  piped: 'text',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const locator = await sandboxes.ensure();
    const { keys, secret } = await (await sandboxes.remote(locator)).env();
    return { BIZMSG_BASE_URL: locator.url, BIZMSG_API_KEY: keys.sandbox, BIZMSG_WEBHOOK_SECRET: secret };
  },
  view: (variables) =>
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellWord(value)}`)
      .join('\n'),
});
