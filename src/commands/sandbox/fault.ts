import { usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { isRow, type Row } from '../../cli/output/rows.ts';
import { argument, count, duration, flag, type Input, knowing, option, span } from '../../cli/params.ts';
import type { NewFault } from '../../sandbox/state/records.ts';
import { inOurWords } from './control-errors.ts';
import { isEventName } from '../../contract/events.ts';
import { type Name, names, nameWords, wordsOf } from './names.ts';

type Effect = NewFault['effect'];

/** The kinds, each by a flag of its name. */
const kinds = {
  status: option('--status <n>', 'answer with this status, from 400 to 599', status),
  latency: option('--latency <duration>', 'answer well, but only after this long: 2s, 500ms', duration),
  reset: flag('--reset', 'break the connection in place of an answer'),
  hang: flag('--hang', 'never answer'),
  truncate: flag('--truncate', 'break off in the middle of the answer'),
  garbage: flag('--garbage', 'answer 200 with a body that is not JSON'),
  drop: flag('--drop', 'do not deliver the event'),
  delay: option('--delay <duration>', "deliver the event this much later, by the sandbox's clock: 5s", duration),
  duplicate: flag('--duplicate', 'deliver the event twice'),
  reorder: flag('--reorder', 'deliver the event after the one that follows'),
  'bad-signature': flag('--bad-signature', 'sign the event wrongly'),
  'stale-timestamp': flag('--stale-timestamp', 'sign the event with a time long past'),
} as const;

const answerKinds = ['status', 'latency', 'reset', 'hang', 'truncate', 'garbage'] as const;
const eventKinds = ['drop', 'delay', 'duplicate', 'reorder', 'bad-signature', 'stale-timestamp'] as const;

/** The one kind that was asked for. */
function effectOf(input: Input<typeof kinds>): Effect {
  const { status, latency, delay } = input;
  const plain = ([...answerKinds, ...eventKinds] as const).flatMap((kind) =>
    kind === 'status' || kind === 'latency' || kind === 'delay' || !input[kind] ? [] : [{ kind }],
  );
  const [effect, ...others] = [
    ...(status === undefined ? [] : [{ kind: 'status' as const, status }]),
    ...(latency === undefined ? [] : [{ kind: 'latency' as const, ms: latency }]),
    ...(delay === undefined ? [] : [{ kind: 'delay' as const, ms: delay }]),
    ...plain,
  ];
  const all = `on endpoints ${flags(answerKinds)}; on events ${flags(eventKinds)}`;
  if (!effect) throw usage('what goes wrong is missing', all);
  if (others.length > 0) throw usage(`${flags([effect, ...others].map(({ kind }) => kind))} exclude each other`);
  return effect;
}

function checkFit({ kind }: Effect, on: readonly Name[]): void {
  const onEvents = eventKinds.some((one) => one === kind);
  const other = on.filter((name) => isEventName(name) !== onEvents);
  if (other.length === 0) return;
  const [where, fit] = onEvents ? ['events', answerKinds] : ['endpoints', eventKinds];
  throw usage(`--${kind} is for ${where}, not for ${wordsOf(other)}`, `there use ${flags(fit)}`);
}

function flags(kinds: readonly string[]): string {
  return kinds.map((kind) => `--${kind}`).join(', ');
}

function status(text: string): number {
  const number = count(text);
  if (number >= 400 && number <= 599) return number;
  throw usage(`"${text}" is not the status of an error`, 'use one from 400 to 599');
}

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

export const listFaults = command({
  name: 'list',
  summary: 'List the faults of the sandbox, and how often each struck',
  params: {},
  examples: ['sandbox fault list', 'sandbox fault list -o json'],
  sample:
    'id\ton\twhat\twhen\trate\tdrawn\tstruck\texpires\nflt_5c1f2a9e0b00000k\tsend-template\tstatus 500\tbefore\t0.1\t42\t5\tnever',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => (await (await context.sandbox()).faults()).map(faultRow),
  view: () => 'No faults',
});

export const clearFaults = command({
  name: 'clear',
  summary: 'Clear a fault, or all: have the sandbox do right again',
  params: { id: argument('[id]', 'the id of a fault, from sandbox fault list (all)') },
  examples: ['sandbox fault clear'],
  sample: 'Cleared flt_5c1f2a9e0b00000k',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id }) => ({
    cleared: await inOurWords((await context.sandbox()).clearFaults(id), { see: 'sandbox fault list' }),
  }),
  view: ({ cleared }, ui) =>
    cleared.length === 0 ? 'There was no fault' : `${ui.color.green('Cleared')} ${cleared.join(', ')}`,
});

/** A fault of the sandbox, as a row. */
function faultRow({ id, on, effect, after, rate, drawn = 0, struck = 0, ...ending }: Row) {
  const kind = isRow(effect) ? effect['kind'] : undefined;
  const names: readonly unknown[] = Array.isArray(on) ? on : [];
  const onEvents = names.some((name) => String(name).includes('.'));
  return {
    id,
    on: wordsOf(names),
    what: [kind, ...(isRow(effect) ? amount(effect) : [])].join(' '),
    when: onEvents ? undefined : after === true ? 'after' : 'before',
    rate,
    drawn,
    struck,
    expires: expiry(ending),
  };
}

function amount({ status, ms }: Row): readonly unknown[] {
  if (status !== undefined) return [status];
  return ms === undefined ? [] : [`${Number(ms) / 1_000}s`];
}

function expiry({ active, until, times }: Row): string {
  if (active === false) return 'expired';
  const time = until === undefined ? [] : [new Date(Number(until)).toISOString()];
  const strikes = times === undefined ? [] : [`after ${Number(times)} strikes`];
  return [...time, ...strikes].join(' or ') || 'never';
}
