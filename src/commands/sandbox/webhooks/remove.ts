import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { required } from '../../../cli/params.ts';
import { inOurWords } from '../refusals.ts';

export const removeWebhook = command({
  name: 'remove',
  summary: 'Remove a webhook: send its URL no more events',
  details: 'Deliveries that wait for it become dead: they are not attempted any more.',
  params: { webhook: required('<id-or-url>', 'the id of a webhook, from sandbox webhooks list, or its URL') },
  examples: ['sandbox webhooks remove http://127.0.0.1:3000/hooks'],
  sample: 'Removed whk_5c1f2a9e0b00000k: http://127.0.0.1:3000/hooks',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { webhook }) => {
    const removed = (await context.sandbox()).removeWebhook(webhook);
    const { id, url } = await inOurWords(removed, { see: 'sandbox webhooks list' });
    return { removed: id, url };
  },
  view: ({ removed, url }, ui) => `${ui.color.green('Removed')} ${String(removed)}: ${String(url)}`,
});
