import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { argument, flag } from '../../../cli/params.ts';
import { usage } from '../../../base/errors.ts';
import { inOurWords } from '../refusals.ts';

export const rotateSecret = command({
  name: 'rotate',
  summary: 'Sign events with a new webhook secret, and for a day with the old one too',
  details: [
    'Without an id this is the secret of the sandbox, which sandbox env prints. With an id it is the',
    "webhook's own, which only --show-secret prints; sandbox webhooks add --secret-stdin sets one that you",
    'choose.',
  ].join('\n'),
  params: {
    id: argument('[id]', 'the id of a webhook, from sandbox webhooks list (that of the sandbox)'),
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
