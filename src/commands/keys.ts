import { maskKey } from '../base/redact.ts';
import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { chosen, required } from '../cli/params.ts';
import { chosenProfile } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { changeStore, withMode } from '../session/profiles/changes.ts';
import { readStore, requireProfile } from '../session/profiles/store.ts';

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

export const keysCommands = [switchMode];
