import { CliError, forOption, usage } from '../base/errors.ts';
import { maskKey } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { whole } from '../cli/output/figures.ts';
import { flag } from '../cli/params.ts';
import type { Mode } from '../contract/keys.ts';
import { type PlanName, planNames, plans } from '../contract/plans.ts';
import { canonicalAddress, type Target } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { changeStore, profileRow, requireAddress, withLogin } from '../session/profiles/changes.ts';
import { baseUrl, keyMode, profileName, readKey, serviceUrl } from '../session/profiles/fields.ts';
import { type Profile, profileOf, readStore, type Store } from '../session/profiles/store.ts';
import { accountParam, planParams, profileLines } from './profiles.ts';

export const login = command({
  name: 'login',
  summary: 'Add a profile, or renew its key',
  details: `Checks the key with one GET of the templates. If the service refuses the key, or is unreachable at a new
    address, it asks again; without a terminal, nothing is stored. A stored live key is not used until you agree, here
    or in keys switch-mode. If another profile has the address: the same --account is the same business, which knows
    who got which message.`,
  params: {
    ...planParams,
    account: accountParam,
    keyStdin: flag('--key-stdin', 'read the key from stdin'),
    noCheck: flag('--no-check', 'store the key without a call to the service'),
  },
  examples: ['login', 'login --profile acme --base-url https://api.example.com --plan growth --key-stdin < key.txt'],
  accepts: ['profile', 'baseUrl', 'mode', ...printOptions],
  changes: true,
  run: async (context, { account, plan, rate, ...input }) => {
    const folder = configFolder(context.host);
    const store = readStore(folder);
    const name = context.given.profile ?? (await context.ask('Name of the profile', '--profile', profileName));
    forOption('--profile', () => profileName(name));
    const before = profileOf(store, name);
    if (!input.keyStdin && context.interactive)
      // §5.3
      context.note(
        'where-keys-come-from',
        'create a key in the account settings, under API Keys, after the business number is verified',
      );
    const target = await checkedTarget(context, { ...input, name, before });
    const login = {
      ...target,
      account: account ?? (before ? undefined : await chosenAccount(context, store, name, target.baseUrl)),
      plan: plan ?? (context.interactive && !before ? await askForPlan(context) : undefined),
      rate,
      isUsed: false,
    };
    const isUsed = await isWanted(context, name, login.mode, withLogin(store, name, login));
    const after = await changeStore(folder, (latest) => withLogin(latest, name, { ...login, isUsed }));
    await createRecord(context);
    const replaced = before?.mode === 'live' && login.mode === 'live' ? before.keys.live : undefined;
    if (replaced !== undefined && replaced !== login.key)
      context.note('live-key-replaced', `${name} now uses ${maskKey(login.key)} instead of ${maskKey(replaced)}`);
    return profileRow(after, name);
  },
  view: (profile, ui) => [`${ui.color.green('Logged in')} as ${profile.name}`, ...profileLines(profile)].join('\n'),
});

/** Tells this machine apart from a new container, whose live batches know nothing of earlier ones. */
async function createRecord(context: Context): Promise<void> {
  if (!context.host.sqlite()) return;
  const { openRecordFile } = await import('../session/record.ts');
  try {
    await (await openRecordFile(context, 'ledger')).close();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.note('record', error.message);
  }
}

interface Asked {
  readonly name: string;
  /** The profile, if its key is renewed. */
  readonly before: Profile | undefined;
  readonly keyStdin: boolean;
  readonly noCheck: boolean;
}

/** The address and the key, once the service has accepted the key. A person is asked again for what was wrong. */
async function checkedTarget(context: Context, { name, before, keyStdin, noCheck }: Asked) {
  const { baseUrl: typed, mode } = context.given;
  if (before && typed !== undefined) forOption('--base-url', () => requireAddress(name, before, typed));
  const askForAddress = (usual?: string) => context.ask('Base URL of the API', '--base-url', serviceUrl, usual);
  const question = before ? `New API key of ${name}, for ${before.baseUrl}` : 'API key';
  const askForKey = () => context.askSecret(question, '--key-stdin', (key) => keyMode(readKey(key), mode));
  let at = before?.baseUrl ?? typed ?? (await askForAddress());
  forOption('--base-url', () => serviceUrl(at));
  let text = keyStdin ? await context.stdin() : await askForKey();
  for (;;) {
    const key = readKey(text);
    const target = {
      kind: 'service',
      profile: name,
      baseUrl: baseUrl(at),
      key,
      mode: keyMode(key, mode),
    } as const;
    if (noCheck) return target;
    try {
      await checkKey(context, target);
      return target;
    } catch (error) {
      if (!context.interactive || !(error instanceof CliError) || context.host.signal.aborted) throw error;
      const isRefused = error.status === 401;
      if (before && !isRefused && error.exit !== 'unsafe') throw error;
      context.reporter.say(failureText(error));
      if (!before && !isRefused) at = await askForAddress(at);
      // Enter at an address that a key must not be sent to means that the key is wrong.
      if (isRefused || (error.exit === 'unsafe' && baseUrl(at) === target.baseUrl)) text = await askForKey();
    }
  }
}

/** A person has seen before where keys are made. */
function failureText({ message, hint, status }: CliError): string {
  return hint === undefined || status === 401 ? `${message}; try again` : `${message}: ${hint}`;
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

/** The account of a new profile: its address, unless another profile has that. */
async function chosenAccount(
  context: Context,
  { profiles }: Store,
  name: string,
  url: string,
): Promise<string | undefined> {
  const place = canonicalAddress(url);
  const others = Object.entries(profiles).filter(([, other]) => canonicalAddress(other.baseUrl) === place);
  const [first] = others;
  if (!first) return undefined;
  const [other, { account = place }] = first;
  if (!context.interactive)
    throw usage(
      `the profile "${other}" has this address: is it the same business, or another client?`,
      `add --account ${shellQuote(account)} for the same business, or --account with another name`,
    );
  const businesses = new Map(others.map(([business, profile]) => [profile.account, business]));
  const same = Array.from(businesses, ([shared, business]) => ({
    name: `the same business as ${business}`,
    account: shared,
  }));
  const question = 'Another profile has this address. Is it the same business, or another client?';
  return (await context.choose(question, [...same, { name: 'another client', account: name }])).account;
}

async function askForPlan(context: Context): Promise<PlanName | undefined> {
  const choices = planNames.map((plan) => ({ name: planText(plan), plan }));
  const unknown = { name: 'not known yet: batches with a live key send 60 a minute', plan: undefined };
  return (await context.choose('Plan of the account', [...choices, unknown])).plan;
}

function planText(plan: PlanName): string {
  const { perMinute, perMonth } = plans[plan];
  if (perMinute === undefined || perMonth === undefined)
    return `${plan} · bizmsg profiles set <name> --rate 2000/m sets its rate`;
  return `${plan} · ${whole(perMinute)} requests a minute, ${whole(perMonth)} messages a month`;
}

/** Whether the next command uses the key. `stored` is the store without that. */
async function isWanted(context: Context, name: string, mode: Mode, stored: Store): Promise<boolean> {
  const isActive = profileOf(stored, name)?.mode === mode;
  if (stored.current === name && isActive) return true;
  const profile = shellQuote(name);
  const steps = [
    stored.current === name ? undefined : `bizmsg profiles set ${profile} --default`,
    isActive ? undefined : `bizmsg keys switch-mode ${mode} --profile ${profile}`,
  ];
  const question =
    mode === 'live' ? `Real messages will be sent with the live key of ${name}. Use it now?` : 'Use it now?';
  if ((context.interactive || context.given.yes) && (await isConfirmed(context, question))) return true;
  context.note('not-in-use', `it is not used yet: ${steps.filter(Boolean).join(', then ')}`);
  return false;
}

async function isConfirmed(context: Context, question: string): Promise<boolean> {
  try {
    await context.confirm(question);
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === 'declined') return false;
    throw error;
  }
}
