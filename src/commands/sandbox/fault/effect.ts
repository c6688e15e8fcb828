import { flag, type Input, option } from '../../../cli/params.ts';
import { count, duration } from '../../../cli/values.ts';
import { usage } from '../../../base/errors.ts';
import type { NewFault } from '../../../sandbox/fault-records.ts';
import { isEventName, type Name, wordsOf } from './names.ts';

type Effect = NewFault['effect'];

/** The kinds, each by a flag of its name. */
export const kinds = {
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
export function effectOf(input: Input<typeof kinds>): Effect {
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

export function checkFit({ kind }: Effect, on: readonly Name[]): void {
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
