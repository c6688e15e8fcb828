import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { suggest } from '../../base/suggest.ts';
import { whyUnknown } from '../contents/read.ts';
import { eventNames, isEventName } from '../../contract/events.ts';
import type { AnswerFault, EventFault, Fault, NewFault } from '../state/records.ts';
import { endpointNames } from '../api/admission.ts';

const longestTimer = 2 ** 31 - 1;
const century = 100 * 366 * 86_400_000;

const names = ['on', 'effect', 'after', 'rate', 'seed', 'for', 'times'] as const satisfies readonly (keyof NewFault)[];

type Checked = NewFault & Pick<Fault, 'after' | 'rate'>;

/** What is asked for, checked whole: each part, and whether the parts go together. */
export function newFault(value: unknown): Checked {
  checkNames(value, names);
  const { on, effect } = read.object({ on: read.list(name), effect: effectOf })(value);
  const given = read.isRecord(value) ? value : {};
  const fault = {
    on: [...new Set(on)],
    effect,
    after: optional(given, 'after', read.boolean) ?? false,
    rate: optional(given, 'rate', number(0, 1)) ?? 1,
    seed: optional(given, 'seed', read.string),
    for: optional(given, 'for', number(1, century)),
    times: optional(given, 'times', whole(1, Number.MAX_SAFE_INTEGER)),
  };
  checkTogether(fault);
  return fault;
}

export function isOnAnswers(effect: Fault['effect']): effect is AnswerFault {
  return isOneOf(answerKinds, effect.kind);
}

const answerKinds = ['status', 'latency', 'reset', 'hang', 'truncate', 'garbage'] as const satisfies readonly Kind[];
const plainKinds = [
  'reset',
  'hang',
  'truncate',
  'garbage',
  'drop',
  'duplicate',
  'reorder',
  'bad-signature',
  'stale-timestamp',
] as const satisfies readonly Kind[];

type Kind = (AnswerFault | EventFault)['kind'];

function checkTogether({ on, effect, after }: NewFault): void {
  const [onAnswers, { kind }] = [isOnAnswers(effect), effect];
  if (on.length === 0) throw new read.Mismatch('/on', 'must name an endpoint or an event');
  const other = on.find((name) => isEventName(name) === onAnswers);
  if (other !== undefined) throw new read.Mismatch('/on', `must not hold ${other}, where ${kind} cannot go wrong`);
  if (after && !onAnswers) throw new read.Mismatch('/after', `must not be true for ${kind}`);
}

function name(value: unknown, at = ''): Fault['on'][number] {
  const endpoint = endpointNames.find((name) => name === value);
  if (endpoint !== undefined) return endpoint;
  if (isEventName(value)) return value;
  const near = suggest(String(value), [...endpointNames, ...eventNames]);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  throw new read.Mismatch(at, `must be the name of an endpoint or an event${hint}`);
}

function effectOf(value: unknown, at = ''): Fault['effect'] {
  const { kind } = read.object({ kind: read.string })(value, at);
  checkNames(value, kind === 'status' ? ['kind', 'status'] : isTimed(kind) ? ['kind', 'ms'] : ['kind'], at);
  if (kind === 'status') return { kind, ...read.object({ status: whole(400, 599) })(value, at) };
  if (isTimed(kind)) return { kind, ...read.object({ ms: number(1, longestTimer) })(value, at) };
  if (isOneOf(plainKinds, kind)) return { kind };
  throw new read.Mismatch(`${at}/kind`, `must be one of status, latency, delay, ${plainKinds.join(', ')}`);
}

function isTimed(kind: string): kind is 'latency' | 'delay' {
  return kind === 'latency' || kind === 'delay';
}

/** What is misspelt would else be left out, and the fault be another one. */
function checkNames(value: unknown, known: readonly string[], at = ''): void {
  const unknown = read.isRecord(value) ? Object.keys(value).find((name) => !known.includes(name)) : undefined;
  if (unknown !== undefined) throw new read.Mismatch(`${at}/${unknown}`, whyUnknown(unknown, known));
}

function isOneOf<const T extends string>(words: readonly T[], text: string): text is T {
  return words.some((word) => word === text);
}

function optional<T>(fields: Record<string, unknown>, name: string, reader: Reader<T>): T | undefined {
  return fields[name] === undefined ? undefined : reader(fields[name], `/${name}`);
}

function number(least: number, most: number): Reader<number> {
  return (value, at = '') => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw new read.Mismatch(at, `must be a number from ${least} to ${most}`);
  };
}

function whole(least: number, most: number): Reader<number> {
  return (value, at = '') => {
    if (Number.isInteger(value)) return number(least, most)(value, at);
    throw new read.Mismatch(at, 'must be a whole number');
  };
}
