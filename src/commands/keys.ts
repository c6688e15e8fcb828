import { usage } from '../base/errors.ts';
import { maskKey } from '../base/redact.ts';
import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { argument, chosen, flag, knowing, required } from '../cli/params.ts';
import { chosenProfile } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { changeStore, withMode, withoutKey, withoutProfile } from '../session/profiles/changes.ts';
import { readStore, requireKey, requireProfile } from '../session/profiles/store.ts';
import { shownKeys } from './profiles.ts';

export const switchMode = command({
  name: 'switch-mode',
  summary: 'Choose real messages (live) or simulated ones (sandbox)',
  details: `This changes the profile for all shells and scripts on this machine. To choose the key for one command,
    use --mode. This command makes no API calls. The mode sandbox needs no sandbox key: without one, nothing is
    active.`,
  params: { to: required('<mode>', 'sandbox or live', (text) => chosen(text, ['sandbox', 'live'])) },
  examples: ['keys switch-mode live --profile acme --yes', 'keys switch-mode sandbox --profile acme'],
  accepts: ['profile', ...printOptions],
  changes: true,
  run: async (context, { to }) => {
    const folder = configFolder(context.host);
    const profile = chosenProfile(context);
    // Fails for a missing key before the question.
    withMode(readStore(folder), profile, to);
    context.note('affects', `this affects all shells and scripts that use the profile ${profile}`);
    if (context.host.env['BIZMSG_API_KEY'] !== undefined)
      context.note('environment-wins', 'BIZMSG_API_KEY is set, and comes before the profile in use');
    if (to === 'live') await context.confirm(`Real messages will be sent. Use the live key of ${profile}?`);
    const { keys } = requireProfile(await changeStore(folder, (store) => withMode(store, profile, to)), profile);
    const key = keys[to];
    return { profile, mode: to, key: key === undefined ? null : maskKey(key) };
  },
  view: ({ profile, mode: now, key }, ui) =>
    `${ui.color.green('Switched')} ${profile} to ${now}: ${key ?? 'it has no key of this mode, so nothing is active'}`,
});

export const logout = command({
  name: 'logout',
  summary: 'Remove a profile with its keys, or one of its keys',
  details: 'Asks for confirmation. This does not revoke the keys; revoke them in the dashboard.',
  params: {
    name: knowing('profiles', argument('[name]', 'the profile (default: the one in use)')),
    live: flag('--live', 'remove only the live key'),
    sandbox: flag('--sandbox', 'remove only the sandbox key'),
  },
  examples: ['logout acme --live --yes', 'logout acme --yes'],
  accepts: ['profile', ...printOptions],
  changes: true,
  run: async (context, input) => {
    if (input.live && input.sandbox)
      throw usage('--live and --sandbox are given', 'without both, the profile and its keys go');
    const only = input.live ? 'live' : input.sandbox ? 'sandbox' : undefined;
    if (input.name !== undefined && context.given.profile !== undefined)
      throw usage('the profile is given twice', 'leave out --profile');
    const folder = configFolder(context.host);
    const profile = chosenProfile(context, input.name);
    const stored = requireProfile(readStore(folder), profile);
    const shown = only ? maskKey(requireKey(profile, stored, only)) : shownKeys(stored);
    const whole = `the profile ${profile}${shown && ` and its keys ${shown}`}`;
    await context.confirm(`Remove ${only ? `the ${only} key ${shown} of ${profile}` : whole}?`);
    await changeStore(folder, (store) => (only ? withoutKey(store, profile, only) : withoutProfile(store, profile)));
    if (shown) context.note('still-valid', 'the service still accepts what was removed; revoke it in the dashboard');
    return { profile, removed: only ?? 'profile' };
  },
  view: ({ profile, removed }, ui) =>
    `${ui.color.green('Removed')} ${removed === 'profile' ? profile : `the ${removed} key of ${profile}`}`,
});
