import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { describeCaller } from '../session/profiles/caller.ts';

export const whoami = command({
  name: 'whoami',
  summary: 'Show which profile, key and address are used, and why',
  details: 'This command makes no API calls.',
  params: {},
  examples: ['whoami --profile local', 'whoami -o json'],
  sample:
    'Profile  local, from --profile\nMode     sandbox\nAddress  http://127.0.0.1:4780, from the local sandbox\nKey      sk_test_…f167, from the local sandbox',
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  piped: 'text',
  run: async (context) => {
    const { winner, problem } = await describeCaller(context);
    if (!winner) throw problem;
    const { profile, source, mode, address, key, plan } = winner;
    const isLocal = profile === 'local';
    const isAlone = source === 'BIZMSG_API_KEY';
    const own = isLocal ? 'local sandbox' : 'profile';
    return {
      profile,
      source,
      mode,
      address,
      address_source: context.given.baseUrl === undefined ? (isAlone ? 'BIZMSG_BASE_URL' : own) : '--base-url',
      key,
      key_source: isAlone ? 'BIZMSG_API_KEY' : own,
      plan,
    };
  },
  view: (found) =>
    [
      `Profile  ${found.profile ?? 'none'}, ${reasons[found.source] ?? `from ${found.source}`}`,
      `Mode     ${found.mode}`,
      `Address  ${found.address === null ? 'the local sandbox, started on demand' : `${found.address}, ${from(found.address_source)}`}`,
      `Key      ${found.key === null ? 'created when the sandbox starts' : `${found.key}, ${from(found.key_source)}`}`,
    ].join('\n'),
});

const reasons: Readonly<Record<string, string>> = {
  'profile in use': 'the one in use',
  newcomer: 'as there is no profile yet',
  BIZMSG_API_KEY: 'since BIZMSG_API_KEY is set',
};

function from(source: string): string {
  return `from ${/^[a-z]/.test(source) ? 'the ' : ''}${source}`;
}
