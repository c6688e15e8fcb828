import { resolve } from 'node:path';
import { maskKey } from '../base/redact.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { forOption, usage } from '../base/errors.ts';
import { choice, flag, type Input, knowing, names, option, rate, required } from '../cli/params.ts';
import { planNames } from '../contract/plans.ts';
import { hoursFlag } from '../batches/hours.ts';
import { encodingOf } from '../batches/input/encoding.ts';
import { countryFlag } from '../batches/mapping/flags.ts';
import { countryHelp, excludeFromHelp, hoursHelp } from '../batches/options.ts';
import { refuseAgentAsPerson } from '../session/agents.ts';
import { configFolder } from '../session/folders.ts';
import {
  changeStore,
  movesTo,
  profileRow,
  profileRows,
  type Settings,
  withCurrent,
  withSettings,
} from '../session/profiles/changes.ts';
import { accountName, local, originOf, readWebhookSecret, serviceUrl } from '../session/profiles/fields.ts';
import { type Profile, readStore, requireProfile, type Store } from '../session/profiles/store.ts';

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", planNames),
  rate: option('--rate <rate>', 'rate limit of an enterprise plan, such as 2000/m', rate),
} as const;

/** The value of an option that removes what is stored. */
const removed = 'none';

export const accountParam = option(
  '--account <name>',
  'whose messages these are, if several profiles have the address',
  orNone(accountName),
);

const params = {
  name: knowing('profiles', required('<name>', 'the profile')),
  default: flag('--default', 'use this profile where no other is named'),
  account: accountParam,
  ...planParams,
  webhookSecret: flag('--webhook-secret-stdin', 'read the webhook secret from stdin'),
  hours: option(
    '--hours <hours>',
    hoursHelp,
    orNone((text) => hoursFlag(text).text),
  ),
  excludeFrom: option('--exclude-from <file>', excludeFromHelp, orNone(resolve)),
  country: option('--country <code>', countryHelp, orNone(countryFlag)),
  encoding: option(
    '--encoding <name>',
    'the encoding of files, such as windows-1252',
    orNone((text) => encodingOf(new Uint8Array(), text)),
  ),
  optOutWords: option(
    '--opt-out-words <words>',
    'replies that opt out, besides STOP: ABMELDEN,AUSTRAGEN',
    orNone((text) => names(text).join(',')),
  ),
  agents: choice('--agents <mode>', 'let AI agents use the live key, too', ['live', removed]),
} as const;

export const setProfile = command({
  name: 'set',
  summary: 'Change the settings of a profile',
  details: `Changing the origin deletes the stored keys, after a confirmation, because a key is only ever sent to the
    origin it was stored for. Changing only the path keeps them. A profile keeps options for its commands: an option
    of a command comes first, and excluded phones add up. none removes a setting, as in --hours none.`,
  params,
  examples: [
    'profiles set acme --plan scale',
    'profiles set acme --default',
    'profiles set acme --base-url https://api.example.com/v2',
  ],
  accepts: ['baseUrl', ...printOptions],
  changes: true,
  run: async (context, { name, default: isDefault, ...input }) => {
    const values = [context.given.baseUrl, ...Object.values(input)];
    const isChanged = values.some((value) => value !== undefined && value !== false);
    if (!isChanged && !isDefault)
      throw usage('specify what to change', 'such as --plan growth; see bizmsg profiles set --help');
    const folder = configFolder(context.host);
    const chosen = (store: Store) => (isDefault ? withCurrent(store, name) : store);
    if (!isChanged && name === local) {
      await changeStore(folder, chosen);
      return { name, in_use: true };
    }
    const before = requireProfile(readStore(folder), name);
    const settings = await settingsOf(context, before, input);
    withSettings(readStore(folder), name, settings);
    const isMoved = await confirmMove(context, name, before, settings.baseUrl);
    const after = await changeStore(folder, (store) => chosen(withSettings(store, name, settings)));
    if (isMoved) context.note('keys-left', 'the keys are removed here, but still valid at the old address');
    return profileRow(after, name);
  },
  view: (profile, ui) => [`${ui.color.green('Changed')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});

/** The new values, checked. */
async function settingsOf(
  context: Context,
  before: Profile,
  { webhookSecret, agents, ...kept }: Omit<Input<typeof params>, 'name' | 'default'>,
): Promise<Settings> {
  const { baseUrl: typed } = context.given;
  const isRelease = kept.excludeFrom !== undefined && before.excludeFrom !== undefined;
  if (agents === 'live' || isRelease) refuseAgentAsPerson(context.host.env);
  const address = typed === undefined ? undefined : forOption('--base-url', () => serviceUrl(typed));
  await checkExcluded(context, before, kept);
  return {
    ...kept,
    baseUrl: address,
    webhookSecret: webhookSecret ? readWebhookSecret((await context.stdin()).trim()) : undefined,
    agents: agents === removed ? '' : agents,
  };
}

/** Fails for a list that a later batch could not read. */
async function checkExcluded(context: Context, before: Profile, { excludeFrom, ...kept }: Settings): Promise<void> {
  if (!excludeFrom) return;
  const country = (kept.country ?? before.country) || undefined;
  const encoding = (kept.encoding ?? before.encoding) || undefined;
  const { readExcluded } = await import('../batches/exclude.ts');
  await readExcluded(context, [excludeFrom], { country, encoding });
}

/** Asks before a new address removes the keys; whether it does. */
async function confirmMove(context: Context, name: string, before: Profile, address?: string): Promise<boolean> {
  const keys = shownKeys(before);
  if (address === undefined || keys === '' || !movesTo(before, address)) return false;
  const loss = `remove its keys ${keys}, which were stored for ${originOf(before.baseUrl)}`;
  await context.confirm(`Move ${name} to ${address} and ${loss}?`);
  return true;
}

/** The masked keys of a profile; empty if it has none. */
export function shownKeys({ keys: { sandbox, live } }: Profile): string {
  return [sandbox, live].flatMap((key) => (key === undefined ? [] : [maskKey(key)])).join(', ');
}

function orNone(read: (text: string) => string): (text: string) => string {
  return (text) => (text === removed ? '' : read(text));
}

/** Renders the fields of a profile that are set, one per line. */
export function profileLines(profile: object): readonly string[] {
  return Object.entries(profile)
    .filter(([name, value]) => name !== 'name' && value !== null)
    .map(([name, value]) => `  ${name.replaceAll('_', ' ')}: ${value}`);
}

export const listProfiles = command({
  name: 'list',
  summary: 'List the profiles and their settings',
  params: {},
  examples: ['profiles list', 'profiles list -o json'],
  piped: 'rows',
  first: ['name', 'in_use', 'base_url', 'mode', 'sandbox_key', 'live_key'],
  run: async (context) => profileRows(readStore(configFolder(context.host))),
  view: () => 'No profiles; add one with bizmsg login, or use --profile local',
});

export const profilesCommands = [listProfiles, setProfile];
