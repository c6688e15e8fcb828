import { addressOf } from '../base/postgres-address.ts';
import { maskKey } from '../base/redact.ts';
import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { currentCaller, type Source } from '../session/caller.ts';
import { teamOf } from '../session/record-file.ts';

export const whoami = command({
  name: 'whoami',
  summary: 'Show which profile, key and address are used, and why',
  details: 'This command makes no API calls.',
  params: {},
  examples: ['whoami --profile local', 'whoami -o json'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  run: async (context) => {
    const caller = currentCaller(context);
    const { source, mode } = caller;
    const isService = caller.kind === 'service';
    const running = isService ? undefined : await (await context.sandboxes()).find();
    const key = isService ? caller.key : running?.keys[caller.mode];
    const isBare = source === 'BIZMSG_API_KEY';
    const place = isService ? 'profile' : 'local sandbox';
    const team = teamOf(context, { caller, simulated: !isService });
    return {
      profile: isService ? (caller.profile ?? null) : 'local',
      source,
      mode,
      // The sandbox starts on demand.
      address: (isService ? caller.baseUrl : running?.url) ?? null,
      address_source: context.given.baseUrl === undefined ? (isBare ? 'BIZMSG_BASE_URL' : place) : '--base-url',
      key: key === undefined ? null : maskKey(key),
      key_source: isBare ? 'BIZMSG_API_KEY' : place,
      plan: (isService ? caller.plan : undefined) ?? null,
      team: team === undefined ? null : addressOf(team).name,
    };
  },
  view: ({ profile, source, mode, address, key, team, ...from }) =>
    [
      `Profile  ${profile ?? 'none'}, ${reasons[source]}`,
      `Mode     ${mode}`,
      `Address  ${address === null ? 'the local sandbox, started on demand' : `${address}, ${origin(from.address_source)}`}`,
      `Key      ${key === null ? 'created when the sandbox starts' : `${key}, ${origin(from.key_source)}`}`,
      ...(team === null ? [] : [`Team     ${team}`]),
    ].join('\n'),
});

const reasons: Readonly<Record<Source, string>> = {
  '--profile': 'from --profile',
  BIZMSG_API_KEY: 'since BIZMSG_API_KEY is set',
  BIZMSG_PROFILE: 'from BIZMSG_PROFILE',
  'profile in use': 'the one in use',
  newcomer: 'as there is no profile yet',
};

function origin(source: string): string {
  return `from ${/^[a-z]/.test(source) ? 'the ' : ''}${source}`;
}
