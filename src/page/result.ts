import { tryJson } from '../base/json.ts';
import { errorDetail } from '../contract/endpoints.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { endOf, isDead, isFailed, isRetrying } from '../sandbox/control/story.ts';
import type { Row } from './rows.ts';
import { capital, waitText } from './words.ts';

/** With all attempts. */
type Delivery = OutputOf<'delivery'>[number];
type Outcome = Pick<Delivery, 'url' | 'state' | 'last' | 'forwarded' | 'next_at'>;

interface Result {
  readonly text: string;
  readonly tone: 'good' | 'wait' | 'bad' | 'plain';
}

/** The answer of the handler, in a few characters. */
export function resultOf({ request }: Row, deliveries: readonly Outcome[], now: () => number): Result {
  if (request) return { text: String(request.status || 'no answer'), tone: isFailed(request) ? 'bad' : 'plain' };
  const delivery = decisive(deliveries);
  if (!delivery) return { text: deliveries.length > 0 ? 'no handler' : '', tone: 'plain' };
  const { state, forwarded, last, next_at: next } = delivery;
  const answer = forwarded ?? last ?? state;
  const text = typeof answer === 'number' || answer === state ? answer : /within|time/.test(answer) ? 'late' : 'down';
  if (isRetrying(delivery)) return { text: `${text} · retry ${waitOf(next, now).replace('in ', '')}`, tone: 'wait' };
  if (state === 'dead') return { text: `${text} · gave up`, tone: 'bad' };
  return { text: String(text), tone: isDead(delivery) ? 'bad' : 'plain' };
}

/** In one sentence, how it went with the handler. */
export interface Verdict extends Result {
  readonly note: string;
  /** The button, and the delivery that it acts on. */
  readonly does?: 'Retry now' | 'Redeliver';
  readonly delivery?: string;
}

export function verdictOf(deliveries: readonly Delivery[], now: () => number): Verdict | undefined {
  const delivery = decisive(deliveries);
  if (!delivery) return deliveries.length === 0 ? undefined : noHandler;
  const { id, type, state, attempts, next_at: next } = delivery;
  if (isRetrying(delivery)) {
    const note = `${type}. Next try ${waitOf(next, now)}.`;
    return { tone: 'wait', text: failureText(delivery), note, does: 'Retry now', delivery: id };
  }
  const does = 'Redeliver';
  if (isDead(delivery)) {
    const note = `${type}.${state === 'dead' ? ` ${capital(endOf(delivery))}.` : ''}`;
    return { tone: 'bad', text: failureText(delivery), note, does, delivery: id };
  }
  if (state !== 'delivered') return undefined;
  const answers = attempts.map(({ response }) => response?.status ?? 'no answer');
  const text = attempts.length > 1 ? ` on attempt ${attempts.length}: ${answers.join(', ')}` : '';
  const note = `${answers.at(-1)} to ${type} in ${attempts.at(-1)?.took ?? 0} ms.`;
  return { tone: 'good', text: `Your handler accepted it${text}`, note, does, delivery: id };
}

const noHandler: Verdict = { tone: 'plain', text: 'No handler', note: 'No webhook was registered for this event.' };

/** The delivery that needs attention most; undefined without a webhook. */
function decisive<D extends Outcome>(deliveries: readonly D[]): D | undefined {
  const sent = deliveries.filter(({ url }) => url !== null);
  return (
    sent.findLast(isRetrying) ??
    sent.findLast(({ state }) => state === 'dead') ??
    sent.findLast(isDead) ??
    sent.findLast(({ state }) => state === 'delivered') ??
    sent.at(-1)
  );
}

function waitOf(next: string | null, now: () => number): string {
  return waitText(Date.parse(next ?? '') - now());
}

function failureText({ attempts, forwards, last }: Delivery): string {
  const [attempt, forward] = [attempts.at(-1), forwards.at(-1)];
  const status = forward?.status ?? attempt?.response?.status;
  const error = forward?.error ?? attempt?.error ?? (typeof last === 'string' ? last : '');
  if (status === undefined || error) return `Your handler did not answer: ${error}`;
  const body = forward?.body ?? attempt?.response?.body ?? '';
  const reason = (errorDetail(tryJson(body)) ?? body.trim().split('\n', 1)[0] ?? '').slice(0, 160);
  return `Your handler answered ${status}${reason === '' ? '' : `: ${reason}`}`;
}
