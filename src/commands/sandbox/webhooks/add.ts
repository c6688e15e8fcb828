import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { flag, option, required } from '../../../cli/params.ts';
import { checkExternal } from '../external.ts';
import { inOurWords } from '../refusals.ts';
import { eventNames } from './event-names.ts';
import { webhookRow } from './row.ts';

export const addWebhook = command({
  name: 'add',
  summary: 'Add a webhook: send the events of the sandbox to a URL',
  details: [
    'A URL that is there already is changed: it gets these settings, and is enabled if it was not.',
    'Events are signed with the secret that sandbox env prints, unless the webhook has its own.',
  ].join('\n'),
  params: {
    url: required('<url>', 'where the events go, such as http://127.0.0.1:3000/hooks'),
    events: option('--events <names>', 'only these events, or message for its family; with commas between', eventNames),
    secretStdin: flag('--secret-stdin', 'read the webhook secret from stdin'),
    external: flag('--allow-external', 'allow webhooks on other machines'),
    catchUp: flag('--catch-up', 'also the events of the sandbox that came while nobody listened'),
  },
  examples: [
    'sandbox webhooks add http://127.0.0.1:3000/hooks',
    'sandbox webhooks add http://localhost:3000/hooks --events message,contact.created --catch-up',
  ],
  sample: 'whk_5c1f2a9e0b00000k',
  honours: [...printing],
  changes: true,
  piped: 'id',
  run: async (context, { url, events, secretStdin, external, catchUp }) => {
    await checkExternal(context, external);
    const secret = secretStdin ? (await context.stdin()).trim() : undefined;
    const asked = (await context.sandbox()).addWebhook({ url, events, secret, external, catchUp });
    const webhook = await inOurWords(asked, { flags: { 'external: true': '--allow-external' } });
    const { known, changes, caughtUp: caught_up } = webhook;
    const other = Array.isArray(changes) && changes.length > 0 ? changes.join('; ') : 'as it is now';
    if (known === true) context.note('known-webhook', `that URL was registered already: ${other}`);
    return { ...webhookRow(webhook), known, caught_up };
  },
  view: ({ id, url, events, known, caught_up: caughtUp }, ui) => {
    const added = `${ui.color.green(known === true ? 'Changed' : 'Added')} ${String(id)}: ${events} to ${String(url)}`;
    return caughtUp === 0 ? added : `${added}\nOn their way that nobody had heard: ${String(caughtUp)}`;
  },
});
