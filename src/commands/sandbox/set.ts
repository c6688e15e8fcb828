import { unsafe, usage } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { chosen, count, flag, type Input, knowing, option, rate, words } from '../../cli/params.ts';
import type { EndpointName } from '../../contract/endpoints.ts';
import { scopes } from '../../contract/keys.ts';
import { planNames } from '../../contract/plans.ts';
import type { InputOf, OutputOf } from '../../sandbox/remote/remote.ts';
import { onlyLocal } from '../../session/caller.ts';
import { ask } from './control.ts';
import { eventsIn, namesIn, unknownWord } from './names.ts';

interface Setting {
  readonly setting: string;
  readonly value: string;
  readonly id?: string | undefined;
  readonly about?: string | undefined;
}

const webhookOptions = {
  events: option('--events <names>', 'of a webhook: only these, comma-separated; message means its family', eventsIn),
  external: flag('--allow-external', 'of a webhook: its URL may be on another machine'),
  catchUp: flag('--catch-up', 'of a webhook: also deliver earlier events that no webhook received'),
} as const;
type WebhookOptions = Input<typeof webhookOptions>;

type Change = (context: Context, options: WebhookOptions) => Promise<Setting>;

/** Reads the value of each setting. */
const settings = {
  plan: (text) => changedPlan('plan', { name: chosen(text, planNames), rate: undefined, monthly: undefined }),
  rate: (text) => changedPlan('rate', { rate: rate(text) }),
  monthly: (text) => changedPlan('monthly', { monthly: count(text) }),
  off: (text) => changedPlan('off', { without: text === 'none' ? [] : namesIn(text, offWords, 'not an endpoint') }),
  live: (text) => {
    chosen(text, ['on']);
    return async (context) => {
      await ask(context, 'goLive');
      return { setting: 'live', value: 'on', about: '--profile local --mode live uses the live key' };
    };
  },
  key: (text) => (text.startsWith('revoke:') ? revokedKey(text.slice('revoke:'.length)) : newKey(text)),
  webhook: (text) => (text.startsWith('-') ? removedWebhook(text.slice(1)) : addedWebhook(text)),
  secret: (text) => {
    chosen(text, ['new']);
    return async (context) => {
      const { secret, until } = await ask(context, 'rotateSecret');
      return { setting: 'secret', value: maskKey(secret), about: `the old one signs too until ${until}` };
    };
  },
} as const satisfies Readonly<Record<string, (text: string) => Change>>;

type Name = keyof typeof settings;
const names = Object.keys(settings).filter(isName);

/** A plan excludes a path with all its methods. */
const offWords: ReadonlyMap<string, readonly EndpointName[]> = new Map<string, readonly EndpointName[]>([
  ['send-template', ['sendTemplate']],
  ['contacts', ['listContacts', 'createContact']],
  ['templates', ['listTemplates']],
  ['campaigns', ['listCampaigns']],
]);

export const sandboxSet = command({
  name: 'set',
  summary: 'Show or change the plan, keys, webhooks and secret of the sandbox',
  details: [
    `plan=${planNames.join('|')}, with its limits`,
    'rate=20/s, monthly=500   other limits than those of the plan',
    `off=${[...offWords.keys()].join(',')}   answered with 403; off=none`,
    'live=on                  makes live keys valid; their messages are simulated, too',
    `key=new                  creates a key and prints it; key=new:${scopes.filter((name) => name !== 'full').join(', key=new:')}`,
    'key=live, key=revoke:ID  creates a live key; revokes a key',
    'webhook=URL, webhook=-URL  sends events there, such as 3000/hooks; removes it, also by its id',
    'secret=new               rotates the webhook secret, which sandbox env prints',
  ].join('\n'),
  params: {
    settings: knowing(
      [...names.map((name) => `${name}=`), ...planNames.map((name) => `plan=${name}`)],
      words('[name=value...]', 'what to change (default: show all)'),
    ),
    ...webhookOptions,
  },
  examples: [
    'sandbox set',
    'sandbox set plan=starter off=campaigns',
    'sandbox set key=new:read-only',
    'sandbox set webhook=3000/hooks --events message,contact.created --catch-up',
  ],
  sample: 'plan     enterprise\nrate     unlimited\nmonthly  unlimited  0 used in 2026-05\n…',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { settings: typed, ...options }) => {
    if (typed.length === 0) return shown(context);
    const changes = typed.map(changeIn).sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
    const isAdding = typed.some((word) => /^webhook=[^-]/.test(word));
    if (!isAdding && (options.events || options.external || options.catchUp))
      throw usage('--events, --allow-external and --catch-up are for a new webhook', 'add webhook=URL');
    const done = [];
    for (const { change } of changes) done.push(await change(context, options));
    return done;
  },
  view: (rows, ui) => rows.map((row) => (isNewKey(row) ? row.value : lineOf(row, ui.line))).join('\n'),
});

function isNewKey({ setting, value }: Setting): boolean {
  return setting === 'key' && /^sk_[^…]+$/.test(value);
}

function lineOf({ setting, value, id, about }: Setting, line: (fields: readonly string[]) => string): string {
  return line([setting.padEnd(7), value, id, about].filter((part) => part !== undefined));
}

function isName(text: string): text is Name {
  return Object.hasOwn(settings, text);
}

function changeIn(word: string): { readonly name: Name; readonly change: Change } {
  const [name = '', value = ''] = word.split(/=(.*)/s);
  if (!isName(name)) throw unknownWord(name, names, 'not a setting');
  if (value === '') throw usage(`${name} needs a value`, 'see bizmsg sandbox set --help');
  return { name, change: settings[name](value) };
}

type Plan = InputOf<'setPlan'>;

function changedPlan(setting: 'plan' | 'rate' | 'monthly' | 'off', change: Partial<Plan>): Change {
  return async (context) => {
    const { name, perMinute, perMonth, without } = (await ask(context, 'usage')).plan;
    await ask(context, 'setPlan', { name, rate: perMinute, monthly: perMonth, without, ...change });
    const usage = await ask(context, 'usage');
    return planRows(usage).find((row) => row.setting === setting) ?? { setting, value: name };
  };
}

function newKey(text: string): Change {
  const kinds = ['new', ...scopes.map((scope) => `new:${scope}`), 'live'] as const;
  if (!kinds.some((kind) => kind === text)) throw unknownWord(text, [...kinds, 'revoke:ID'], 'not a change of a key');
  const scope = scopes.find((name) => text === `new:${name}`);
  return async (context) => {
    const key = await ask(context, 'createKey', { scope, mode: text === 'live' ? 'live' : 'sandbox' });
    return { setting: 'key', value: key.text, id: key.id, about: `${key.mode}, ${key.scope}` };
  };
}

function revokedKey(id: string): Change {
  return async (context) => {
    await ask(context, 'revokeKey', { key: id });
    return { setting: 'key', value: 'revoked', id };
  };
}

function addedWebhook(text: string): Change {
  return async (context, { events, external, catchUp }) => {
    if (external && onlyLocal(context.host.env))
      throw unsafe('only-local', 'blocked by BIZMSG_LOCAL_ONLY=1: --allow-external', 'unset it, or use a local URL');
    const { forwardUrl } = await import('../../webhooks/forward/address.ts');
    const url = text.includes('://') ? text : forwardUrl(text).href;
    const webhook = await ask(context, 'addWebhook', { url, events, external, catchUp });
    const { known, changes, caughtUp } = webhook;
    if (known)
      context.note('known-webhook', `this URL was registered already: ${changes.join('; ') || 'nothing changed'}`);
    if (caughtUp > 0) context.note('caught-up', `earlier events to deliver: ${caughtUp}`);
    return webhookRow(webhook);
  };
}

function removedWebhook(webhook: string): Change {
  return async (context) => {
    const { id, url } = await ask(context, 'removeWebhook', { webhook });
    return { setting: 'webhook', value: url, id, about: 'removed' };
  };
}

async function shown(context: Context): Promise<readonly Setting[]> {
  const [usage, keys, webhooks, { secret }] = await Promise.all([
    ask(context, 'usage'),
    ask(context, 'keys'),
    ask(context, 'webhooks'),
    ask(context, 'env'),
  ]);
  const isLive = keys.some(({ mode, state }) => mode === 'live' && state === 'active');
  return [
    ...planRows(usage),
    { setting: 'live', value: isLive ? 'on' : 'off' },
    ...keys.map(({ id, text, state, scope }) => {
      return { setting: 'key', value: maskKey(text), id, about: `${state}, ${scope}` };
    }),
    ...webhooks.map(webhookRow),
    { setting: 'secret', value: maskKey(secret) },
  ];
}

function planRows({ plan, minute, month }: OutputOf<'usage'>): readonly Setting[] {
  const off = [...offWords].filter(([, named]) => named.every((name) => plan.without.includes(name)));
  return [
    { setting: 'plan', value: plan.name },
    {
      setting: 'rate',
      value: minute.limit === null ? 'unlimited' : `${minute.limit}/m`,
      about:
        minute.limit === null
          ? undefined
          : `${minute.used} used${minute.ends === null ? '' : ` until ${new Date(minute.ends).toISOString()}`}`,
    },
    {
      setting: 'monthly',
      value: month.limit === null ? 'unlimited' : String(month.limit),
      about: `${month.used} used in ${month.name}`,
    },
    { setting: 'off', value: off.map(([word]) => word).join(',') || 'none' },
  ];
}

function webhookRow({ id, url, events, secret, state, reason }: OutputOf<'webhooks'>[number]): Setting {
  const about = [
    events === 'all' ? 'all events' : events.join(','),
    ...(secret === 'own' ? ['own secret'] : []),
    ...(reason === undefined ? [] : [`${state}: ${reason}`]),
  ];
  return { setting: 'webhook', value: url, id, about: about.join('; ') };
}
