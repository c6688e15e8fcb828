import { shellQuote } from '../base/shell-quote.ts';
import { command, type Context } from '../cli/command.ts';
import { type Globals, printOptions } from '../cli/globals.ts';
import { whole } from '../cli/output/figures.ts';
import { flag } from '../cli/params.ts';
import { CliError, forOption } from '../base/errors.ts';
import { type PlanName, planNames, plans } from '../contract/plans.ts';
import type { Target } from '../session/profiles/resolve.ts';
import { planParams, profileLines } from './profiles.ts';
import { openProfiles } from '../session/profiles/profiles.ts';

export const login = command({
  name: 'login',
  summary: 'Add a profile: an address, a plan and a checked key',
  details: [
    'Checks the key with one GET of the templates. If the service refuses the key or is unreachable, it asks again;',
    'without a terminal, nothing is stored. A stored live key is not used until you run keys switch-mode live.',
  ].join('\n'),
  params: {
    ...planParams,
    keyStdin: flag('--key-stdin', 'read the key from stdin'),
    noCheck: flag('--no-check', 'store the key without a call to the service'),
  },
  examples: ['login', 'login --profile acme --base-url https://api.example.com --plan growth --key-stdin < key.txt'],
  sample: 'Logged in as acme\n  in use: true\n  base url: https://api.example.com\n  plan: growth\n  …',
  accepts: ['profile', 'baseUrl', 'mode', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { plan, rate, keyStdin, noCheck }) => {
    const profiles = openProfiles(context);
    const { requireFree } = profiles;
    const name = context.given.profile ?? (await context.ask('Name of the profile', '--profile', requireFree));
    forOption('--profile', () => requireFree(name));
    if (!keyStdin && context.interactive)
      // §5.3
      context.note(
        'where-keys-come-from',
        'create a key in the account settings, under API Keys, after the business number is verified',
      );
    const checked = await checkedDraft(context, name, { keyStdin, noCheck });
    const paced = plan ?? (context.interactive ? await askForPlan(context) : undefined);
    const added = await profiles.add(name, { ...checked, plan: paced, rate });
    if (!added.in_use)
      context.note(
        'not-in-use',
        `another profile stays in use; to use this one: bizmsg profiles use ${shellQuote(name)}`,
      );
    if (added.live_key !== null && added.mode === 'sandbox')
      context.note('live-key', 'the live key is stored and not in use yet; bizmsg keys switch-mode live uses it');
    return added;
  },
  view: (profile, ui) => [`${ui.color.green('Logged in')} as ${profile.name}`, ...profileLines(profile)].join('\n'),
});

interface Answers {
  readonly baseUrl: string;
  readonly key: string;
}

/** The address and the key, once the service has accepted the key. A person is asked again for what was wrong. */
async function checkedDraft(
  context: Context,
  name: string,
  { keyStdin, noCheck }: { readonly keyStdin: boolean; readonly noCheck: boolean },
): Promise<Answers & Pick<Globals, 'mode'>> {
  const profiles = openProfiles(context);
  const { baseUrl: given, mode } = context.given;
  const askForAddress = (usual?: string) =>
    context.ask('Base URL of the API', '--base-url', profiles.requireAddress, usual);
  const askForKey = (baseUrl: string) =>
    context.askSecret('API key', '--key-stdin', (key) => profiles.target(name, { baseUrl, key, mode }));
  let baseUrl = given ?? (await askForAddress());
  forOption('--base-url', () => profiles.requireAddress(baseUrl));
  let key = keyStdin ? await context.stdin() : await askForKey(baseUrl);
  for (;;) {
    const draft = { baseUrl, key, mode };
    if (noCheck) return draft;
    try {
      await checkKey(context, profiles.target(name, draft));
      return draft;
    } catch (error) {
      if (!context.interactive || !(error instanceof CliError) || context.host.signal.aborted) throw error;
      context.reporter.say(failureText(error));
      const before = baseUrl;
      if (error.status !== 401) baseUrl = await askForAddress(before);
      // Enter at an address that a key must not be sent to means that the key is wrong.
      const isKeyWrong = error.status === 401 || (error.exit === 'unsafe' && baseUrl === before);
      if (isKeyWrong) key = await askForKey(baseUrl);
    }
  }
}

/** A person has seen before where keys are made. */
function failureText({ message, hint, status }: CliError): string {
  return hint === undefined || status === 401 ? `${message}; try again` : `${message}: ${hint}`;
}

async function askForPlan(context: Context): Promise<PlanName | undefined> {
  const known = planNames.map((plan) => ({ name: planText(plan), plan }));
  const choices = [...known, { name: 'not known yet: runs with a live key send 60 a minute', plan: undefined }];
  return (await context.choose('Plan of the account', choices)).plan;
}

function planText(plan: PlanName): string {
  const { perMinute, perMonth } = plans[plan];
  if (perMinute === undefined || perMonth === undefined)
    return `${plan} · bizmsg profiles set <name> --rate 2000/m sets its rate`;
  return `${plan} · ${whole(perMinute)} requests a minute, ${whole(perMonth)} messages a month`;
}

async function checkKey(context: Context, target: Target): Promise<void> {
  try {
    await (await context.client(target)).call('listTemplates', undefined);
  } catch (error) {
    // §5.4, §5.7: a 403 means that the key is valid.
    if (!(error instanceof CliError && error.status === 403)) throw error;
    context.note('key-limited', 'the key is valid, but its plan or scope does not include templates');
  }
}
