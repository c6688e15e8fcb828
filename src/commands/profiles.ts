import { resolve } from 'node:path';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { CliError, forOption, usage } from '../base/errors.ts';
import { argument, choice, flag, knowing, option, rate, required } from '../cli/params.ts';
import { planNames } from '../contract/plans.ts';
import { hoursFlag } from '../runs/hours.ts';
import { excludeFromText, hoursHelp } from '../runs/options.ts';
import { openProfiles } from '../session/profiles/profiles.ts';

export const planParams = {
  plan: choice('--plan <name>', "the account's plan", planNames),
  rate: option('--rate <rate>', 'rate limit of an enterprise plan, such as 2000/m', rate),
} as const;

export const addProfile = command({
  name: 'add',
  summary: 'Add a profile: an address, a plan and its first key',
  details: 'This command makes no API calls. To check the key at the service, use login.',
  params: {
    name: required('<name>', 'a name of your choice'),
    ...planParams,
    keyStdin: flag('--key-stdin', 'read the key from stdin'),
    noKey: flag('--without-key', 'add the key later, with keys set'),
  },
  examples: [
    'profiles add acme --base-url https://api.example.com --plan growth --key-stdin < key.txt',
    'profiles add acme --base-url https://api.example.com --without-key',
  ],
  sample:
    'Added acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  rate: not set\n  mode: sandbox\n  sandbox key: sk_test_…1234\n  live key: not set\n  webhook secret: not set',
  accepts: ['baseUrl', 'mode', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { name, plan, rate, keyStdin, noKey }) => {
    const profiles = openProfiles(context);
    profiles.requireFree(name);
    const { requireAddress } = profiles;
    const baseUrl = context.given.baseUrl ?? (await context.ask('Base URL of the API', '--base-url', requireAddress));
    forOption('--base-url', () => requireAddress(baseUrl));
    const key = keyStdin
      ? await context.stdin()
      : noKey
        ? undefined
        : await context.askSecret('API key', '--key-stdin', profiles.requireKeyText);
    return profiles.add(name, { baseUrl, plan, rate, key, mode: context.given.mode });
  },
  view: (profile, ui) => [`${ui.color.green('Added')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});

export const showProfile = command({
  name: 'show',
  summary: 'Show a profile, with the prefix and last four characters of its keys',
  params: { name: knowing({ of: 'profiles' }, argument('[name]', 'the profile (default: the one in use)')) },
  examples: ['profiles show acme', 'profiles show acme -o json'],
  sample:
    'acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  rate: not set\n  mode: sandbox\n  sandbox key: sk_test_…1234\n  live key: sk_live_…4f2a\n  webhook secret: stored\n  hours: not set\n  exclude from: not set\n  account: …\n  team: not set',
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

export const setProfile = command({
  name: 'set',
  summary: 'Change the settings of a profile',
  details: [
    'Changing the origin deletes the stored keys, after a confirmation, because a key is only ever sent to the',
    'origin it was stored for. Changing only the path keeps them.',
    'With this profile, send-batch sends only in these hours, and neither send-batch nor send-template sends to an',
    'excluded phone; none removes them.',
  ].join('\n'),
  params: {
    name: knowing({ of: 'profiles' }, required('<name>', 'the profile')),
    ...planParams,
    webhookSecret: flag('--webhook-secret-stdin', 'read the webhook secret from stdin'),
    team: flag('--team-stdin', 'read the line of a team from stdin; an empty one leaves the team'),
    hours: option('--hours <hours>', hoursHelp, hoursText),
    excludeFrom: option('--exclude-from <file>', excludeFromText),
  },
  examples: ['profiles set acme --plan scale', 'profiles set acme --base-url https://api.example.com/v2'],
  sample: 'Changed acme\n  in use: true\n  base url: https://api.example.com\n  plan: scale\n  …',
  accepts: ['baseUrl', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { name, plan, rate, webhookSecret, team, hours, excludeFrom }) => {
    const { baseUrl } = context.given;
    const given = [baseUrl, plan, rate, hours, excludeFrom].some((value) => value !== undefined);
    if (!given && !webhookSecret && !team)
      throw usage('specify what to change', 'such as --plan growth; see bizmsg profiles set --help');
    const profiles = openProfiles(context);
    const before = profiles.show(name);
    if (baseUrl !== undefined) forOption('--base-url', () => profiles.requireAddress(baseUrl));
    if (webhookSecret && team) throw usage('stdin has one of them', 'set the webhook secret and the team one by one');
    const secret = webhookSecret ? await context.stdin() : undefined;
    const line = team ? (await context.stdin()).trim() : undefined;
    if (line) await (await import('../runs/joining.ts')).checkJoining(context, line, before.team === null);
    const excluded = excludeFrom === removed ? '' : excludeFrom && resolve(excludeFrom);
    const settings = { baseUrl, plan, rate, webhookSecret: secret, team: line, hours, excludeFrom: excluded };
    profiles.requireSettings(name, settings);
    const losesKeys = baseUrl !== undefined && profiles.losesKeys(name, baseUrl);
    if (losesKeys) {
      const { origin } = new URL(before.base_url);
      const loss = `remove its keys ${keysOf(before)}, which were stored for ${origin}`;
      await context.confirm(`Move ${name} to ${baseUrl} and ${loss}?`);
    }
    const after = await profiles.set(name, settings);
    if (excluded) await noteUnreadable(context, excluded);
    if (losesKeys) context.note('keys-left', 'the keys are removed here, but still valid at the old address');
    return after;
  },
  view: (profile, ui) => [`${ui.color.green('Changed')} ${profile.name}`, ...profileLines(profile)].join('\n'),
});

/** The file may be put there later; until then, sending stops with this error. */
async function noteUnreadable(context: Context, file: string): Promise<void> {
  try {
    await context.read(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.note('exclude-from', `${error.message}; no messages are sent with this profile until it can be read`);
  }
}

/** The value of an option that removes what is stored. */
const removed = 'none';

function hoursText(text: string): string {
  return text === removed ? '' : hoursFlag(text).text;
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

export const profilesCommands = [addProfile, showProfile, setProfile, listProfiles, useProfile, removeProfile];
