import { configuration } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag, mode, required } from '../cli/params.ts';
import { openProfiles } from '../session/profiles/profiles.ts';

export const setKey = command({
  name: 'set',
  summary: 'Store a key in a profile',
  details: [
    'The key is read from a prompt or from stdin, never from an argument. A stored live key is not used until',
    'you run keys switch-mode live. If the key starts with neither sk_test_ nor sk_live_, give its kind with',
    '--mode.',
  ].join('\n'),
  params: { keyStdin: flag('--key-stdin', 'read the key from stdin') },
  examples: ['keys set --profile acme', 'keys set --profile acme --key-stdin < key.txt'],
  sample: 'Stored the sandbox key sk_test_…1234 of acme',
  accepts: ['profile', 'mode', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = openProfiles(context);
    const profile = profiles.chosen();
    // Fails for a missing profile before prompting.
    profiles.show(profile);
    const key = input.keyStdin
      ? await context.stdin()
      : await context.askSecret(`API key of ${profile}`, '--key-stdin', profiles.requireKeyText);
    const replaced = profiles.replacedLiveKey(profile, key, context.given.mode);
    const stored = await profiles.setKey(profile, key, context.given.mode);
    if (replaced !== undefined)
      context.note('live-key-replaced', `${profile} now uses ${stored.key} instead of the live key ${replaced}`);
    const shown = `--profile ${shellQuote(profile)} --mode ${stored.mode}`;
    context.note('not-checked', `the key was not checked at the service; bizmsg doctor ${shown} does`);
    return stored;
  },
  view: ({ profile, mode, key, active }, ui) => {
    const stored = `${ui.color.green('Stored')} the ${mode} key ${key} of ${profile}`;
    const activate = `bizmsg keys switch-mode ${mode} --profile ${shellQuote(profile)}`;
    return ui.line([active ? stored : `${stored}. To activate it: ${activate}`]);
  },
});

export const removeKey = command({
  name: 'remove',
  summary: 'Remove a stored key from a profile',
  details: 'Asks for confirmation. This does not revoke the key; revoke it in the dashboard.',
  params: { which: required('<mode>', 'sandbox or live', mode) },
  examples: ['keys remove live --profile acme --yes'],
  sample: 'Removed the live key of acme',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = openProfiles(context);
    const profile = profiles.chosen();
    const { sandbox_key: sandbox, live_key: live } = profiles.show(profile);
    const key = input.which === 'live' ? live : sandbox;
    if (key === null)
      throw configuration(
        'no-key',
        `the profile "${profile}" has no ${input.which} key`,
        `bizmsg profiles show ${shellQuote(profile)} shows its keys`,
      );
    await context.confirm(`Remove the ${input.which} key ${key} of ${profile}?`);
    const removed = await profiles.removeKey(profile, input.which);
    context.note('still-valid', 'the key is still valid at the service; revoke it in the dashboard');
    return removed;
  },
  view: ({ profile, mode: removed }, ui) => `${ui.color.green('Removed')} the ${removed} key of ${profile}`,
});

export const switchMode = command({
  name: 'switch-mode',
  summary: 'Switch a profile between its sandbox and live key',
  details: [
    'This changes the profile for all shells and scripts on this machine. To choose the key for one command, use',
    '--mode. This command makes no API calls.',
  ].join('\n'),
  params: { to: required('<mode>', 'sandbox or live', mode) },
  examples: ['keys switch-mode live --profile acme --yes', 'keys switch-mode sandbox --profile acme'],
  sample: 'Switched acme to live: sk_live_…4f2a',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = openProfiles(context);
    const profile = profiles.chosen();
    // Fails for a missing key before prompting. Leaving the live mode is always possible.
    if (input.to === 'live') profiles.requireKey(profile, input.to);
    context.note('affects', `this affects all shells and scripts that use the profile ${profile}`);
    context.note(
      'environment-wins',
      'a key in the environment (BIZMSG_API_KEY) takes precedence over the profile in use',
    );
    if (input.to === 'live') await context.confirm(`Real messages will be sent. Use the live key of ${profile}?`);
    return profiles.switchMode(profile, input.to);
  },
  view: ({ profile, mode: now, key }, ui) =>
    `${ui.color.green('Switched')} ${profile} to ${now}: ${key ?? 'it has no key of this mode, so nothing is active'}`,
});

export const keysCommands = [setKey, removeKey, switchMode];
