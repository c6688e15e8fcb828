import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag } from '../../cli/params.ts';
import { shellWord } from '../../base/shell-word.ts';

export const setKey = command({
  name: 'set',
  summary: 'Store a key in a profile',
  details: [
    'The key comes from a prompt or from stdin, never from an argument. A live key is stored, but not used',
    'before keys switch-mode live. For a key that is neither sk_test_… nor sk_live_…, --mode says which',
    'kind it is.',
  ].join('\n'),
  params: { keyStdin: flag('--key-stdin', 'read the key from stdin') },
  examples: ['keys set --profile acme', 'keys set --profile acme --key-stdin < key.txt'],
  sample: 'Stored the sandbox key sk_test_…1234 of acme',
  honours: ['profile', 'mode', ...printing],
  changes: true,
  piped: 'text',
  run: async (context, input) => {
    const profiles = await context.profiles();
    const profile = profiles.chosen();
    // A profile that is not there is said before anybody is asked.
    profiles.show(profile);
    const key = input.keyStdin ? await context.stdin() : await context.askSecret('API key', '--key-stdin');
    const replaced = profiles.replacedLiveKey(profile, key, context.given.mode);
    const stored = await profiles.setKey(profile, key, context.given.mode);
    if (replaced !== undefined)
      context.note(
        'live-key-replaced',
        `${profile} now sends with ${stored.key}, in place of the live key ${replaced}`,
      );
    return stored;
  },
  view: ({ profile, mode, key, active }, ui) => {
    const stored = `${ui.color.green('Stored')} the ${mode} key ${key} of ${profile}`;
    const activate = `bizmsg keys switch-mode ${mode} --profile ${shellWord(profile)}`;
    return active ? stored : `${stored}. It is not active: ${activate}`;
  },
});
