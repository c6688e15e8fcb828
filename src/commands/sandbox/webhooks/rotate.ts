import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { argument, flag } from '../../../cli/params.ts';
import { usage } from '../../../errors.ts';
import { inOurWords } from '../refusals.ts';

export const rotateSecret = command({
  name: 'rotate',
  summary: 'Sign events with a new secret, for a day beside the old one',
  details:
    "Without an id it is the sandbox's secret, which sandbox env prints. With one it is the webhook's own, which nothing prints but --show-secret; to set one that you know, use webhooks add --secret-stdin.",
  params: {
    id: argument('[id]', 'one webhook alone: its id, from sandbox webhooks list'),
    showSecret: flag('--show-secret', 'print the new secret'),
  },
  examples: ['sandbox webhooks rotate'],
  sample: 'Rotated the secret of the sandbox: the old one signs too until 2026-…',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id, showSecret }) => {
    if (id !== undefined && !showSecret)
      throw usage('nobody would know the new secret', 'add --show-secret, or set one with webhooks add --secret-stdin');
    const rotated = (await context.sandbox()).rotateSecret(id);
    const { secret, until } = await inOurWords(rotated, { see: 'sandbox webhooks list' });
    return { rotated: id ?? 'sandbox', until, ...(showSecret && { secret }) };
  },
  view: ({ rotated, until, secret }, ui) => {
    const whose = rotated === 'sandbox' ? 'the sandbox' : rotated;
    const done = `${ui.color.green('Rotated')} the secret of ${whose}: the old one signs too until ${until}`;
    return secret === undefined ? done : `${done}\n${secret}`;
  },
});
