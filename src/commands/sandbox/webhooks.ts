import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, type Row } from '../../cli/output/rows.ts';
import { argument, flag, option, required } from '../../cli/params.ts';
import { type EventName, eventNames } from '../../contract/events.ts';
import { inOurWords } from './control-errors.ts';
import { checkExternal } from './settings.ts';

export const addWebhook = command({
  name: 'add',
  summary: 'Add a webhook: send the events of the sandbox to a URL',
  details: [
    'A URL that is there already is changed: it gets these settings, and is enabled if it was not.',
    'Events are signed with the secret that sandbox env prints, unless the webhook has its own.',
  ].join('\n'),
  params: {
    url: required('<url>', 'where the events go, such as http://127.0.0.1:3000/hooks'),
    events: option('--events <names>', 'only these events, or message for its family; with commas between', eventList),
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

/** A webhook of the sandbox, as a row. */
function webhookRow({ id, url, events, secret, state, reason, created_at }: Row) {
  return {
    id,
    url,
    events: Array.isArray(events) ? events.join(',') : 'all events',
    secret,
    state: reason === undefined ? state : `${cell(state)}: ${cell(reason)}`,
    created_at,
  };
}

const families = [...new Set(eventNames.map(familyOf))];

/** Names such as `message.read`, or `message` for all of that family, with commas between. */
function eventList(text: string): readonly EventName[] {
  return [...new Set(text.split(',').flatMap((word) => meant(word.trim())))];
}

function meant(word: string): readonly EventName[] {
  const found = eventNames.filter((name) => name === word || familyOf(name) === word);
  if (found.length > 0) return found;
  const near = suggest(word, [...eventNames, ...families]);
  throw usage(
    `"${word}" is not an event`,
    near ? `did you mean ${near}?` : `use ${[...families, ...eventNames].join(', ')}`,
  );
}

function familyOf(name: EventName): string {
  return name.replace(/\..*/, '');
}
