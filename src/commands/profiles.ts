import { resolve } from 'node:path';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { forOption, unsafe, usage } from '../base/errors.ts';
import { argument, choice, columns, flag, knowing, option, rate, required } from '../cli/params.ts';
import { planNames } from '../contract/plans.ts';
import { hoursFlag } from '../runs/hours.ts';
import { encodingNamed } from '../runs/input/encoding.ts';
import { countryFlag } from '../runs/mapping/flags.ts';
import { excludeFromText, hoursHelp } from '../runs/options.ts';
import { agentIn } from '../session/agents.ts';
import { openProfiles } from '../session/profiles/profiles.ts';

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", planNames),
  rate: option('--rate <rate>', 'rate limit of an enterprise plan, such as 2000/m', rate),
} as const;

export const showProfile = command({
  name: 'show',
  summary: 'Show a profile, with the prefix and last four characters of its keys',
  params: { name: knowing({ of: 'profiles' }, argument('[name]', 'the profile (default: the one in use)')) },
  examples: ['profiles show acme', 'profiles show acme -o json'],
  sample:
    'acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  rate: not set\n  mode: sandbox\n  sandbox key: sk_test_…1234\n  live key: sk_live_…4f2a\n  webhook secret: stored\n  account: …\n  hours: not set\n  exclude from: not set\n  country: not set\n  encoding: not set\n  opt out: not set\n  opt out words: not set\n  agents: not set\n  team: not set',
  accepts: printOptions,
  piped: 'text',
  run: async (context, input) => {
    const profiles = openProfiles(context);
    return profiles.show(input.name ?? profiles.chosen());
  },
  view: (profile) => [profile.name, ...profileLines(profile)].join('\n'),
});

/** Renders the fields of a profile, one per line. */
export function profileLines(profile: object): readonly string[] {
  return Object.entries(profile)
    .filter(([name]) => name !== 'name')
    .map(([name, value]) => `  ${name.replaceAll('_', ' ')}: ${value ?? 'not set'}`);
}

/** The redacted keys of a profile for a confirmation; empty if it has none. */
export function keysOf({ sandbox_key, live_key }: RedactedKeys): string {
  return [sandbox_key, live_key].filter((key) => key !== null).join(', ');
}

interface RedactedKeys {
  readonly sandbox_key: string | null;
  readonly live_key: string | null;
}

/** The value of an option that removes what is stored. */
const removed = 'none';

export const optOutText = 'the list of those who replied STOP, kept by webhooks listen';

export const setProfile = command({
  name: 'set',
  summary: 'Change the settings of a profile',
  details: [
    'Changing the origin deletes the stored keys, after a confirmation, because a key is only ever sent to the',
    'origin it was stored for. Changing only the path keeps them.',
    'A profile keeps options for its commands: an option of a command comes first, and excluded phones add up.',
    'none removes a setting, as in --hours none.',
  ].join('\n'),
  params: {
    name: knowing({ of: 'profiles' }, required('<name>', 'the profile')),
    ...planParams,
    webhookSecret: flag('--webhook-secret-stdin', 'read the webhook secret from stdin'),
    hours: option(
      '--hours <hours>',
      hoursHelp,
      orNone((text) => hoursFlag(text).text),
    ),
    team: flag('--team-stdin', 'read the line of a team from stdin; an empty one leaves the team'),
    excludeFrom: option('--exclude-from <file>', excludeFromText),
    country: option('--country <code>', 'the country of national phone numbers, such as US', orNone(countryFlag)),
    encoding: option('--encoding <name>', 'the encoding of files, such as windows-1252', orNone(encodingNamed)),
    optOut: option('--opt-out <file>', optOutText),
    optOutWords: option(
      '--opt-out-words <words>',
      'replies that opt out, besides STOP: ABMELDEN,AUSTRAGEN',
      orNone((text) => columns(text).join(',')),
    ),
    agents: choice('--agents <mode>', 'let AI agents use the live key, too', ['live', removed]),
  },
  examples: [
    'profiles set acme --plan scale',
    'profiles set acme --country US',
    'profiles set acme --base-url https://api.example.com/v2',
  ],
  sample: 'Changed acme\n  in use: true\n  base url: https://api.example.com\n  plan: scale\n  …',
  accepts: ['baseUrl', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { name, webhookSecret, team, excludeFrom, optOut, agents, ...kept }) => {
    const { baseUrl } = context.given;
    const changes = [baseUrl, excludeFrom, optOut, agents, ...Object.values(kept)];
    const given = changes.some((value) => value !== undefined);
    if (!given && !webhookSecret && !team)
      throw usage('specify what to change', 'such as --plan growth; see bizmsg profiles set --help');
    const profiles = openProfiles(context);
    const before = profiles.show(name);
    const own = profiles.settings(name);
    const lists = [
      [excludeFrom, own.excludeFrom],
      [optOut, own.optOut],
    ];
    const isRelease = lists.some(([list, kept]) => list !== undefined && kept !== undefined);
    if (agents === 'live' || isRelease) refuseSelf(context);
    if (baseUrl !== undefined) forOption('--base-url', () => profiles.requireAddress(baseUrl));
    if (webhookSecret && team) throw usage('stdin has one of them', 'set the webhook secret and the team one by one');
    const secret = webhookSecret ? await context.stdin() : undefined;
    const line = team ? (await context.stdin()).trim() : undefined;
    if (line) await (await import('../runs/joining.ts')).checkJoining(context, line, before.team === null);
    const pathOf = (file: string | undefined) => (file === removed ? '' : file && resolve(file));
    const files = { excludeFrom: pathOf(excludeFrom), optOut: pathOf(optOut) };
    const allowed = agents === removed ? '' : agents;
    const settings = { ...kept, baseUrl, webhookSecret: secret, team: line, ...files, agents: allowed };
    profiles.requireSettings(name, settings);
    if (files.optOut) (await import('../webhooks/opt-out.ts')).optOutFile(files.optOut);
    if (files.excludeFrom) {
      const country = (kept.country ?? own.country) || undefined;
      const encoding = (kept.encoding ?? own.encoding) || undefined;
      const { listedPhones } = await import('../runs/phone-lists.ts');
      await listedPhones(context, [files.excludeFrom], { country, encoding });
    }
    const losesKeys = baseUrl !== undefined && profiles.losesKeys(name, baseUrl);
    if (losesKeys) {
      const { origin } = new URL(before.base_url);
      const loss = `remove its keys ${keysOf(before)}, which were stored for ${origin}`;
      await context.confirm(`Move ${name} to ${baseUrl} and ${loss}?`);
    }
    const after = await profiles.set(name, settings);
    if (losesKeys) context.note('keys-left', 'the keys are removed here, but still valid at the old address');
    return after;
  },
  view: (profile, ui) => [`${ui.color.green('Changed')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});

/** An agent does not release its own seat belt. */
function refuseSelf({ host: { env } }: Context): void {
  const name = agentIn(env);
  if (name === undefined) return;
  const hint = 'nothing was changed; ask a person to run this command in a terminal of their own';
  throw unsafe('agent', `an AI agent runs this command (${name} is set), and only a person may allow this`, hint);
}

function orNone(read: (text: string) => string): (text: string) => string {
  return (text) => (text === removed ? '' : read(text));
}

export const listProfiles = command({
  name: 'list',
  summary: 'List the profiles',
  params: {},
  examples: ['profiles list', 'profiles list -o json'],
  sample:
    'name\tin_use\tbase_url\tplan\trate\tmode\tsandbox_key\tlive_key\twebhook_secret\nacme\ttrue\thttps://api.example.com\tgrowth\t\tsandbox\tsk_test_…1234\t…',
  accepts: printOptions,
  piped: 'rows',
  run: async (context) => openProfiles(context).rows(),
  view: () => 'No profiles; add one with bizmsg login, or use --profile local',
});

export const useProfile = command({
  name: 'use',
  summary: 'Set the default profile',
  params: { name: knowing({ of: 'profiles' }, required('<name>', 'the profile')) },
  examples: ['profiles use acme'],
  sample: 'Using acme',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, input) => openProfiles(context).use(input.name),
  view: ({ name }, ui) => `${ui.color.green('Using')} ${name}`,
});

export const removeProfile = command({
  name: 'remove',
  summary: 'Remove a profile and its stored keys',
  details: 'Asks for confirmation. This does not revoke the keys; revoke them in the dashboard.',
  params: { name: knowing({ of: 'profiles' }, required('<name>', 'the profile')) },
  examples: ['profiles remove acme --yes'],
  sample: 'Removed acme',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = openProfiles(context);
    const profile = profiles.show(input.name);
    const keys = keysOf(profile);
    if (profile.live_key !== null)
      context.note(
        'new-account',
        `if you add ${input.name} again with another key, it is another account, so its messages could be sent again without a question`,
      );
    await context.confirm(`Remove the profile ${input.name}${keys === '' ? '' : ` and its keys ${keys}`}?`);
    const removed = await profiles.remove(input.name);
    if (keys !== '')
      context.note('still-valid', 'its keys are still valid at the service; revoke them in the dashboard');
    return removed;
  },
  view: ({ name }, ui) => `${ui.color.green('Removed')} ${name}`,
});

export const profilesCommands = [showProfile, setProfile, listProfiles, useProfile, removeProfile];
