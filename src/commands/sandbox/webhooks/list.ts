import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { webhookRow } from './row.ts';

export const listWebhooks = command({
  name: 'list',
  summary: 'List the webhooks: the URLs that the events of the sandbox go to',
  params: {},
  examples: ['sandbox webhooks list', 'sandbox webhooks list -o json'],
  sample:
    'id\turl\tevents\tsecret\tstate\tcreated_at\nwhk_…\thttp://127.0.0.1:3000/hooks\tall events\tsandbox\tactive\t2026-…',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => (await (await context.sandbox()).webhooks()).map(webhookRow),
  view: () => 'No webhooks: events are queued until one is added',
});
