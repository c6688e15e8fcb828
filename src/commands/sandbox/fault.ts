import { usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, count, duration, flag, type Input, knowing, option } from '../../cli/params.ts';
import { isEventName } from '../../contract/events.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { answerFaults, eventFaults } from '../../sandbox/state/records.ts';
import { ask } from './control.ts';
import { faultTargets, faultTargetWords, wordsFor } from './names.ts';

type Fault = OutputOf<'faults'>[number];
type Effect = Fault['effect'];

/** One option for each kind of fault. */
const kinds = {
  status: option('--status <n>', 'answer with this status (400 to 599)', status),
  latency: option('--latency <duration>', 'delay the answer: 2s, 500ms', duration),
  reset: flag('--reset', 'reset the connection instead of answering'),
  hang: flag('--hang', 'never answer'),
  drop: flag('--drop', 'do not deliver the event'),
  delay: option('--delay <duration>', 'delay the delivery, by the sandbox clock: 5s', duration),
  duplicate: flag('--duplicate', 'deliver the event twice'),
  'bad-signature': flag('--bad-signature', 'sign the event with an invalid signature'),
} as const satisfies Readonly<Record<Effect['kind'], unknown>>;

export const addFault = command({
  name: 'add',
  summary: 'Inject a fault into answers or deliveries',
  details: [
    'An answer fails before the request is processed; with --after, once it has been processed.',
    'Faults affect only requests with a valid key and within the rate limit; such requests count toward it.',
    'If several faults match, the first one applies.',
  ].join('\n'),
  params: {
    on: knowing(
      faultTargetWords,
      option(
        '--on <names>',
        'the endpoints or events it affects, comma-separated: send-template, contacts-list, contacts-create, templates-list, campaigns-list, requests (all); or message.read, message (its family), events (all)',
        faultTargets,
      ),
    ),
    ...kinds,
    after: flag('--after', 'fail once the request has been processed'),
    times: option('--times <n>', 'remove it after n injections', times),
  },
  examples: [
    'sandbox fault add --on send-template --status 500',
    'sandbox fault add --on send-template --reset --after --times 1',
    'sandbox fault add --on message.delivered,message.read --delay 5s',
  ],
  sample: 'flt_5c1f2a9e0b00000k',
  accepts: printOptions,
  changes: true,
  piped: 'id',
  run: async (context, input) => {
    const { on, after, times } = input;
    if (on === undefined) throw usage('--on is missing', 'name endpoints or events, such as --on send-template');
    const effect = effectOf(input);
    checkTargets(effect, on);
    if (after && on.some(isEventName)) throw usage(`--after is for endpoints, not for ${wordsFor(on)}`);
    const fault = await ask(context, 'addFault', { on, effect, after, times });
    return faultRow({ ...fault, matched: 0, injected: 0, active: true });
  },
  view: ({ id, what, on, when }, ui) => {
    const timing = when === 'after' ? ' after it is processed' : '';
    return ui.line([`${ui.color.green('Added')} fault ${id}: ${what} on ${on}${timing}`]);
  },
});

export const listFaults = command({
  name: 'list',
  summary: 'List the faults, with the number of requests they matched and affected',
  params: {},
  examples: ['sandbox fault list', 'sandbox fault list -o json'],
  sample:
    'id\ton\twhat\twhen\tmatched\tinjected\texpires\nflt_5c1f2a9e0b00000k\tsend-template\tstatus 500\tbefore\t5\t5\tnever',
  accepts: printOptions,
  piped: 'rows',
  run: async (context) => (await ask(context, 'faults')).map(faultRow),
  view: () => 'No faults',
});

export const clearFaults = command({
  name: 'clear',
  summary: 'Remove one fault or all',
  params: { id: argument('[id]', 'the fault id, from sandbox fault list (default: all)') },
  examples: ['sandbox fault clear'],
  sample: 'Cleared flt_5c1f2a9e0b00000k',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { id }) => ({
    cleared: await ask(context, 'clearFaults', { fault: id }),
  }),
  view: ({ cleared }, ui) =>
    cleared.length === 0 ? 'No faults to clear' : `${ui.color.green('Cleared')} ${cleared.join(', ')}`,
});

function effectOf(input: Input<typeof kinds>): Effect {
  const effects = [...answerFaults, ...eventFaults].flatMap((kind) => effectNamed(kind, input) ?? []);
  const [effect, ...others] = effects;
  const all = `for endpoints ${flags(answerFaults)}; for events ${flags(eventFaults)}`;
  if (!effect) throw usage('specify the fault, for example --status 500', all);
  if (others.length > 0) throw usage(`${flags(effects.map(({ kind }) => kind))} exclude each other`);
  return effect;
}

function effectNamed(kind: Effect['kind'], input: Input<typeof kinds>): Effect | undefined {
  if (kind === 'status') return input.status === undefined ? undefined : { kind, status: input.status };
  if (kind !== 'latency' && kind !== 'delay') return input[kind] ? { kind } : undefined;
  const ms = input[kind];
  return ms === undefined ? undefined : { kind, ms };
}

function checkTargets({ kind }: Effect, on: Fault['on']): void {
  const onEvents = eventFaults.some((one) => one === kind);
  const wrong = on.filter((name) => isEventName(name) !== onEvents);
  if (wrong.length === 0) return;
  const [fit, others] = onEvents ? ['events', answerFaults] : ['endpoints', eventFaults];
  throw usage(`--${kind} is for ${fit}, not for ${wordsFor(wrong)}`, `use ${flags(others)}`);
}

function flags(kinds: readonly string[]): string {
  return kinds.map((kind) => `--${kind}`).join(', ');
}

function faultRow({ id, on, effect, after, matched, injected, ...ending }: Fault) {
  return {
    id,
    on: wordsFor(on),
    what: effectText(effect),
    when: on.some(isEventName) ? undefined : after ? 'after' : 'before',
    matched,
    injected,
    expires: expiry(ending),
  };
}

function effectText(effect: Effect): string {
  if (effect.kind === 'status') return `status ${effect.status}`;
  return effect.kind === 'latency' || effect.kind === 'delay' ? `${effect.kind} ${effect.ms / 1_000}s` : effect.kind;
}

function expiry({ active, times }: Pick<Fault, 'active' | 'times'>): string {
  if (!active) return 'expired';
  if (times === undefined) return 'never';
  return `after ${times === 1 ? '1 injection' : `${times} injections`}`;
}

function status(text: string): number {
  const number = count(text);
  if (number >= 400 && number <= 599) return number;
  throw usage(`"${text}" is not an error status`, 'use 400 to 599');
}

function times(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage(`"${text}" is too small: such a fault would affect nothing`);
}
