import { unsafe, usage } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import { command, type Context } from '../../cli/command.ts';
import { chosen, count, flag, type Input, knowing, option, rate, under, words } from '../../cli/params.ts';
import type { EndpointName } from '../../contract/endpoints.ts';
import { scopes } from '../../contract/keys.ts';
import { planNames } from '../../contract/plans.ts';
import type { InputOf } from '../../sandbox/remote/remote.ts';
import { onlyLocal } from '../../session/caller.ts';
import { forwardUrl } from '../../webhooks/forward.ts';
import { ask } from './control.ts';
import { eventsIn, eventsText, namesIn } from './names.ts';

const webhookOptions = under('For a new webhook', {
  events: option('--events <names>', eventsText, eventsIn),
  external: flag('--allow-external', 'allow webhooks on other machines'),
  catchUp: flag('--catch-up', 'also receive earlier events that no webhook has received'),
});

type Change = (context: Context, options: Input<typeof webhookOptions>) => Promise<unknown>;

/** A plan excludes a path with all its methods. */
const offWords: ReadonlyMap<string, readonly EndpointName[]> = new Map<string, readonly EndpointName[]>([
  ['send-template', ['sendTemplate']],
  ['contacts', ['listContacts', 'createContact']],
  ['templates', ['listTemplates']],
  ['campaigns', ['listCampaigns']],
]);
const newKeys = ['new', ...scopes.map((scope) => `new:${scope}`), 'live'];

/** Reads the value of each setting. */
const settings = {
  plan: (text) => planChange({ name: chosen(text, planNames), rate: undefined, monthly: undefined }),
  rate: (text) => planChange({ rate: rate(text) }),
  monthly: (text) => planChange({ monthly: count(text) }),
  off: (text) => planChange({ without: text === 'none' ? [] : namesIn(text, offWords) }),
  live: (text) => {
    checkOnly('live', text, 'on');
    return (context) => ask(context, 'goLive');
  },
  key: (text) => {
    const [, revoked] = /^revoke:(.+)$/.exec(text) ?? [];
    if (revoked !== undefined) return (context) => ask(context, 'revokeKey', { key: revoked });
    chosen(text, [...newKeys, 'revoke:ID']);
    const scope = scopes.find((name) => text === `new:${name}`);
    return (context) => ask(context, 'createKey', { scope, mode: text === 'live' ? 'live' : 'sandbox' });
  },
  webhook: (text) =>
    text.startsWith('-')
      ? (context) => ask(context, 'removeWebhook', { webhook: text.slice(1) })
      : (context, options) => addWebhook(context, text, options),
  secret: (text) => {
    checkOnly('secret', text, 'new');
    return async (context) => {
      const { until } = await ask(context, 'rotateSecret');
      context.note('rotated', `the old secret signs too until ${until}`);
    };
  },
} as const satisfies Readonly<Record<string, (text: string) => Change>>;

type Name = keyof typeof settings;
const names = Object.keys(settings).filter(isName);

export const sandboxSet = command({
  name: 'set',
  summary: 'Show or change the plan, keys, webhooks and secret of the sandbox',
  details: `The settings, which can be combined:
      plan=NAME                 ${planNames.join(', ')}, with its limits
      rate=20/s, monthly=500    other limits than those of the plan
      off=campaigns,contacts    endpoints answered with 403, or none; also
                                send-template and templates
      live=on                   makes live keys valid; their messages are simulated
      key=new, key=live         creates a key and prints it; with other scopes
                                key=new:read-only and key=new:send-only
      key=revoke:ID             calls with this key get a 401 from then on
      webhook=3000/hooks        sends events to this URL or address
      webhook=-URL              removes it; also by its id
      secret=new                rotates the webhook secret of sandbox env`,
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
  changes: true,
  run: async (context, { settings: typed, ...options }) => {
    const changes = typed.map(changeIn).sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
    const isAdding = typed.some((word) => /^webhook=[^-]/.test(word));
    if (!isAdding && (options.events || options.external || options.catchUp))
      throw usage('--events, --allow-external and --catch-up are for a new webhook', 'add webhook=URL');
    const before = await settingsOf(context);
    if (changes.length === 0) return before;
    for (const { change } of changes) await change(context, options);
    return differences(before, await settingsOf(context, new Set(before.map(({ id }) => id))));
  },
  view: (rows, ui) => rows.map((row) => (isShown(row) ? row.value : ui.line(fieldsOf(row)))).join('\n'),
});

interface Setting {
  readonly setting: string;
  readonly value: string;
  readonly id?: string | undefined;
  readonly about?: string | undefined;
}

function fieldsOf({ setting, value, id, about }: Setting): readonly string[] {
  return [setting.padEnd(7), value, id, about].filter((field) => field !== undefined);
}

/** A new key is alone on its line, for a pipe. */
function isShown({ setting, value }: Setting): boolean {
  return setting === 'key' && !value.includes('…');
}

/** The settings that are new or have another value, and those that are gone. */
function differences(before: readonly Setting[], after: readonly Setting[]): readonly Setting[] {
  const textsOf = (rows: readonly Setting[]) => new Set(rows.map((row) => fieldsOf(row).join('\n')));
  const [old, ids] = [textsOf(before), new Set(after.map(({ id }) => id))];
  const gone = before.filter(({ id }) => !ids.has(id)).map((row) => ({ ...row, about: 'removed' }));
  return [...after.filter((row) => !old.has(fieldsOf(row).join('\n'))), ...gone];
}

function isName(text: string): text is Name {
  return Object.hasOwn(settings, text);
}

function changeIn(word: string): { readonly name: Name; readonly change: Change } {
  const [name = '', value = ''] = word.split(/=(.*)/s);
  if (!isName(name)) throw usage(`"${name}" is not a setting`, 'see bizmsg sandbox set --help');
  if (value === '') throw usage(`${name} needs a value`, 'see bizmsg sandbox set --help');
  return { name, change: settings[name](value) };
}

function checkOnly(name: string, text: string, value: string): void {
  if (text !== value) throw usage(`${name} cannot be "${text}"`, `use ${name}=${value}`);
}

function planChange(change: Partial<InputOf<'setPlan'>>): Change {
  return async (context) => {
    const { name, perMinute, perMonth, without } = (await ask(context, 'usage')).plan;
    await ask(context, 'setPlan', { name, rate: perMinute, monthly: perMonth, without, ...change });
  };
}

async function addWebhook(context: Context, text: string, options: Input<typeof webhookOptions>): Promise<void> {
  if (options.external && onlyLocal(context.host.env))
    throw unsafe('only-local', 'blocked by BIZMSG_LOCAL_ONLY=1: --allow-external', 'unset it, or use a local URL');
  const url = text.includes('://') ? text : forwardUrl(text).href;
  const { known, caughtUp } = await ask(context, 'addWebhook', { url, ...options });
  if (known) context.note('known-webhook', `${url} was registered already and has these settings now`);
  if (caughtUp > 0) context.note('caught-up', `earlier events to deliver: ${caughtUp}`);
}

/** All settings. Keys are masked, except those that are new since `before`. */
async function settingsOf(context: Context, before?: ReadonlySet<string | undefined>): Promise<readonly Setting[]> {
  const [{ plan, minute, month }, keys, webhooks, { secret }] = await Promise.all([
    ask(context, 'usage'),
    ask(context, 'keys'),
    ask(context, 'webhooks'),
    ask(context, 'env'),
  ]);
  const off = [...offWords].filter(([, named]) => named.every((name) => plan.without.includes(name)));
  const ends = minute.ends === null ? '' : ` until ${new Date(minute.ends).toISOString()}`;
  const isLive = keys.some(({ mode, state }) => mode === 'live' && state === 'active');
  return [
    { setting: 'plan', value: plan.name },
    minute.limit === null
      ? { setting: 'rate', value: 'unlimited' }
      : { setting: 'rate', value: `${minute.limit}/m`, about: `${minute.used} used${ends}` },
    { setting: 'monthly', value: String(month.limit ?? 'unlimited'), about: `${month.used} used in ${month.name}` },
    { setting: 'off', value: off.map(([word]) => word).join(',') || 'none' },
    { setting: 'live', value: isLive ? 'on' : 'off' },
    ...keys.map(({ id, text, state, scope }) => {
      const isNew = before?.has(id) === false;
      return { setting: 'key', value: isNew ? text : maskKey(text), id, about: `${state}, ${scope}` };
    }),
    ...webhooks.map(({ id, url, events, secret: whose, reason }) => {
      const about = [
        events === 'all' ? 'all events' : events.join(','),
        whose === 'own' ? 'own secret' : '',
        reason ?? '',
      ];
      return { setting: 'webhook', value: url, id, about: about.filter((text) => text !== '').join('; ') };
    }),
    { setting: 'secret', value: maskKey(secret) },
  ];
}
