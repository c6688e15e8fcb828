import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag } from '../cli/params.ts';
import { CliError, forOption } from '../base/errors.ts';
import { planParams, profileLines } from './profiles.ts';

export const login = command({
  name: 'login',
  summary: 'Add a profile interactively and check its key',
  details: [
    'Checks the key with one GET of the templates. If the service refuses the key or is unreachable, nothing is',
    'stored. A stored live key is not used until you run keys switch-mode live.',
  ].join('\n'),
  params: { ...planParams, keyStdin: flag('--key-stdin', 'read the key from stdin') },
  examples: ['login', 'login --profile acme --base-url https://api.example.com --key-stdin < key.txt'],
  sample: 'Logged in as acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  …',
  accepts: ['profile', 'baseUrl', 'mode', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { plan, rate, keyStdin }) => {
    const profiles = await context.profiles();
    const { requireFree, requireAddress } = profiles;
    const name = context.given.profile ?? (await context.ask('Name of the profile', '--profile', requireFree));
    forOption('--profile', () => requireFree(name));
    const baseUrl = context.given.baseUrl ?? (await context.ask('Base URL of the API', '--base-url', requireAddress));
    forOption('--base-url', () => requireAddress(baseUrl));
    // §5.3
    context.note(
      'where-keys-come-from',
      'create a key in the account settings, under API Keys, after the business number is verified',
    );
    const key = keyStdin ? await context.stdin() : await context.askSecret('API key', '--key-stdin');
    const draft = { baseUrl, plan, rate, key, mode: context.given.mode };
    await checkKey(context, profiles.target(name, draft));
    return profiles.add(name, draft);
  },
  view: (profile, ui) => [`${ui.color.green('Logged in')} as ${profile.name}`, ...profileLines(profile)].join('\n'),
});

async function checkKey(context: Context, target: Parameters<Context['clientFor']>[0]): Promise<void> {
  try {
    await (await context.clientFor(target)).call('listTemplates', undefined);
  } catch (error) {
    // §5.4, §5.7: a 403 means that the key is valid.
    if (!(error instanceof CliError && error.status === 403)) throw error;
    context.note('key-limited', 'the key is valid, but its plan or scope does not include templates');
  }
}
