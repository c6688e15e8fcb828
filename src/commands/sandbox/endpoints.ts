import { unsafe, usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, flag, option, required } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { onlyLocal } from '../../session/caller.ts';
import { ask } from './control.ts';
import { eventsIn } from './names.ts';

type Webhook = OutputOf<'webhooks'>[number];

export const addWebhook = command({
  name: 'add',
  summary: 'Register a URL that receives the events of the sandbox',
  details: [
    'If the URL is already registered, it gets these settings, and is enabled if it was disabled.',
    'Events are signed with the secret that sandbox env prints, unless the webhook has its own.',
  ].join('\n'),
  params: {
    url: required('<url>', 'a URL, or an address such as 3000/hooks'),
    events: option('--events <names>', 'only these, comma-separated; message means its family', eventsIn),
    secretStdin: flag('--secret-stdin', 'read the webhook secret from stdin'),
    external: flag('--allow-external', 'allow webhooks on other machines'),
    catchUp: flag('--catch-up', 'also receive earlier events that no webhook has received'),
  },
  examples: [
    'sandbox endpoints add 3000/hooks',
    'sandbox endpoints add http://localhost:3000/hooks --events message,contact.created --catch-up',
  ],
  sample: 'whk_5c1f2a9e0b00000k',
  accepts: printOptions,
  changes: true,
  piped: 'id',
  run: async (context, { url: typed, events, secretStdin, external, catchUp }) => {
    if (external && onlyLocal(context.host.env)) {
      throw unsafe(
        'only-local',
        'blocked by BIZMSG_LOCAL_ONLY=1: --allow-external',
        'unset BIZMSG_LOCAL_ONLY, or use local URLs',
      );
    }
    const { forwardUrl } = await import('../../webhooks/forward/address.ts');
    const url = typed.includes('://') ? typed : forwardUrl(typed).href;
    const secret = secretStdin ? (await context.stdin()).trim() : undefined;
    const webhook = await ask(context, 'addWebhook', { url, events, secret, external, catchUp });
    const { known, changes, caughtUp: caught_up } = webhook;
    const change = changes.length > 0 ? changes.join('; ') : 'nothing changed';
    if (known) context.note('known-webhook', `this URL was already registered: ${change}`);
    return { ...webhookRow(webhook), known, caught_up };
  },
  view: ({ id, url, events, known, caught_up: caughtUp }, ui) => {
    const added = `${ui.color.green(known ? 'Registered' : 'Added')} ${id}: ${events} to ${url}`;
    return caughtUp === 0 ? added : `${added}\nEarlier events to deliver: ${caughtUp}`;
  },
});

export const listWebhooks = command({
  name: 'list',
  summary: 'List the URLs that receive the events of the sandbox',
  params: {},
  examples: ['sandbox endpoints list', 'sandbox endpoints list -o json'],
  sample:
    'id\turl\tevents\tsecret\tstate\tcreated_at\nwhk_…\thttp://127.0.0.1:3000/hooks\tall events\tsandbox\tactive\t2026-…',
  accepts: printOptions,
  piped: 'rows',
  run: async (context) => (await ask(context, 'webhooks')).map(webhookRow),
  view: () => 'No webhooks; events are queued until you add one',
});

export const removeWebhook = command({
  name: 'remove',
  summary: 'Remove a webhook; its URL gets no more events',
  details: 'Deliveries that wait for it become dead; a webhook that is added with --catch-up gets their events.',
  params: { webhook: required('<id-or-url>', 'the webhook id, from sandbox endpoints list, or its URL') },
  examples: ['sandbox endpoints remove http://127.0.0.1:3000/hooks'],
  sample: 'Removed whk_5c1f2a9e0b00000k: http://127.0.0.1:3000/hooks',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { webhook }) => {
    const { id, url } = await ask(context, 'removeWebhook', { webhook });
    return { removed: id, url };
  },
  view: ({ removed, url }, ui) => `${ui.color.green('Removed')} ${removed}: ${url}`,
});

export const rotateSecret = command({
  name: 'rotate',
  summary: 'Rotate the webhook secret; for a day both the old and the new one sign',
  details: [
    'Without an id, this rotates the secret of the sandbox, which sandbox env prints. With an id, it rotates',
    "the webhook's own secret, which only --show-secret prints; to choose the secret yourself, use",
    'sandbox endpoints add --secret-stdin.',
  ].join('\n'),
  params: {
    id: argument('[id]', 'the webhook id, from sandbox endpoints list (default: the sandbox secret)'),
    showSecret: flag('--show-secret', 'print the new secret'),
  },
  examples: ['sandbox endpoints rotate'],
  sample: 'Rotated the secret of the sandbox: the old one signs too until 2026-…',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { id, showSecret }) => {
    if (id !== undefined && !showSecret)
      throw usage(
        'the new secret would not be shown',
        'add --show-secret, or set one with webhooks add --secret-stdin',
      );
    const { secret, until } = await ask(context, 'rotateSecret', { webhook: id });
    return { rotated: id ?? 'sandbox', until, ...(showSecret && { secret }) };
  },
  view: ({ rotated, until, secret }, ui) => {
    const owner = rotated === 'sandbox' ? 'the sandbox' : rotated;
    const done = `${ui.color.green('Rotated')} the secret of ${owner}: the old one signs too until ${until}`;
    return secret === undefined ? done : `${done}\n${secret}`;
  },
});

function webhookRow({ id, url, events, secret, state, reason, created_at }: Webhook) {
  return {
    id,
    url,
    events: events === 'all' ? 'all events' : events.join(','),
    secret,
    state: reason === undefined ? state : `${state}: ${reason}`,
    created_at,
  };
}
