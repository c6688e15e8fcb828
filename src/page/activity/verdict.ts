import { errorDetail } from '../../contract/statuses.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { waitText } from '../words.ts';

type Delivery = OutputOf<'message'>['events'][number]['deliveries'][number];

/** In one sentence, how it went with the handler. */
export interface Verdict {
  readonly tone: 'good' | 'wait' | 'bad' | 'plain';
  readonly text: string;
  readonly note: string;
  /** The button, and the delivery that it acts on. */
  readonly does?: 'Retry now' | 'Redeliver';
  readonly delivery?: string;
}

export function verdictOf(deliveries: readonly Delivery[], now: () => number): Verdict | undefined {
  const sent = deliveries.filter(({ url }) => url !== null);
  if (sent.length === 0) return deliveries.length === 0 ? undefined : noHandler;
  const retrying = sent.findLast(({ state, attempts }) => state === 'waiting' && attempts.length > 0);
  if (retrying) {
    const note = `${retrying.type}. Next try ${waitText(Date.parse(retrying.next_at ?? '') - now())}.`;
    return { tone: 'wait', text: failureText(retrying), note, does: 'Retry now', delivery: retrying.id };
  }
  const dead = sent.findLast(({ state }) => state === 'dead') ?? sent.findLast(isRefused);
  if (dead) return { tone: 'bad', text: failureText(dead), note: endText(dead), does: 'Redeliver', delivery: dead.id };
  const last = sent.findLast(({ state }) => state === 'delivered');
  return last && acceptedOf(last);
}

const noHandler: Verdict = {
  tone: 'plain',
  text: 'No handler',
  note: 'No webhook was registered for this event.',
};

function acceptedOf({ id: delivery, type, attempts }: Delivery): Verdict {
  const answers = attempts.map(({ response }) => response?.status ?? 'no answer');
  const text = attempts.length > 1 ? ` on attempt ${attempts.length}: ${answers.join(', ')}` : '';
  const note = `${answers.at(-1)} to ${type} in ${attempts.at(-1)?.took ?? 0} ms.`;
  return { tone: 'good', text: `Your handler accepted it${text}`, note, does: 'Redeliver', delivery };
}

/** Whether a listener has taken it, but the handler behind it has not. */
function isRefused({ forwarded }: Delivery): boolean {
  return forwarded !== null && !(typeof forwarded === 'number' && forwarded < 300);
}

function failureText({ attempts, forwards, last }: Delivery): string {
  const [attempt, forward] = [attempts.at(-1), forwards.at(-1)];
  const status = forward?.status ?? attempt?.response?.status;
  const error = forward?.error ?? attempt?.error ?? (typeof last === 'string' ? last : '');
  if (status === undefined || error) return `Your handler did not answer: ${error}`;
  const body = forward?.body ?? attempt?.response?.body ?? '';
  const reason = (detailIn(body) ?? body.trim().split('\n', 1)[0] ?? '').slice(0, 160);
  return `Your handler answered ${status}${reason === '' ? '' : `: ${reason}`}`;
}

function endText({ type, state, attempts, last }: Delivery): string {
  if (state !== 'dead') return `${type}.`;
  const isClosed = typeof last === 'string' && last !== attempts.at(-1)?.error;
  return `${type}. ${isClosed ? `Gave up: ${last}.` : `Gave up after ${attempts.length} attempts.`}`;
}

/** The usual field of JSON. */
function detailIn(body: string): string | undefined {
  try {
    return errorDetail(JSON.parse(body));
  } catch {
    return undefined;
  }
}
