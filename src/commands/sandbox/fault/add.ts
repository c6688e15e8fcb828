import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { flag, knowing, option } from '../../../cli/params.ts';
import { count, span } from '../../../cli/values.ts';
import { usage } from '../../../base/errors.ts';
import { checkFit, effectOf, kinds } from './effect.ts';
import { isEventName, names, nameWords, wordsOf } from './names.ts';
import { faultRow } from './row.ts';

export const addFault = command({
  name: 'add',
  summary: 'Add a fault: have the sandbox answer or deliver wrongly',
  details: [
    'It goes wrong before the service has done anything, or with --after once it has done what was asked.',
    "Struck are only requests with a valid key that are within the plan's minute; they count in that minute.",
    'Where several faults are on one name, each is tried in its turn, and the first that hits strikes.',
  ].join('\n'),
  params: {
    on: knowing(
      { of: nameWords, commas: true },
      option(
        '--on <names>',
        'what it strikes, with commas between: endpoints (send-template, contacts-list, contacts-create, templates-list, campaigns-list, or requests for all) or events (such as message.read, message for its family, or events for all)',
        names,
      ),
    ),
    ...kinds,
    after: flag('--after', 'go wrong only once the service has done what was asked'),
    rate: option('--rate <share>', 'how large a share it strikes: 0.1 or 10% (all)', share),
    for: option('--for <span>', "how long it lasts, by the sandbox's clock: 10m (until cleared)", least(1, span)),
    times: option('--times <n>', 'how often it strikes at most (no limit)', least(1, count)),
    seed: option('--seed <text>', "a seed; the same one strikes the same requests (the sandbox's)"),
  },
  examples: [
    'sandbox fault add --on send-template --status 500 --rate 10%',
    'sandbox fault add --on send-template --reset --after --times 1',
    'sandbox fault add --on message.delivered,message.read --delay 5s --for 10m',
  ],
  sample: 'flt_5c1f2a9e0b00000k',
  honours: [...printing],
  changes: true,
  piped: 'id',
  run: async (context, input) => {
    const { on, after, rate = 1, for: span, times, seed } = input;
    if (on === undefined) throw usage('--on is missing', 'name what goes wrong, such as --on send-template');
    const effect = effectOf(input);
    checkFit(effect, on);
    if (after && on.some(isEventName)) throw usage(`--after is for endpoints, not for ${wordsOf(on)}`);
    return faultRow(await (await context.sandbox()).addFault({ on, effect, after, rate, for: span, times, seed }));
  },
  view: ({ id, what, on, when, rate }, ui) =>
    `${ui.color.green('Added')} ${String(id)}: ${[what, `on ${on}`, when, `rate ${String(rate)}`].filter(Boolean).join(', ')}`,
});

/** From 0 to 1, or in percent. */
function share(text: string): number {
  const [, amount, percent] = /^(\d{1,3}(?:\.\d+)?)(%)?$/.exec(text) ?? [];
  const share = Number(amount) / (percent ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw usage(`"${text}" is not a share`, 'use 0.1 or 10%');
}

function least(least: number, read: (text: string) => number): (text: string) => number {
  return (text) => {
    const number = read(text);
    if (number >= least) return number;
    throw usage(`"${text}" leaves nothing to strike`);
  };
}
