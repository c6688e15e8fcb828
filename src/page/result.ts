import type { ReadonlySignal } from '@preact/signals';
import type { Delivery } from './known.ts';
import type { Row } from './rows.ts';
import { distanceText } from './words.ts';

export interface Result {
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'wait' | 'bad';
}

/** The answer of the handler, in a few characters. The handler behind a listener counts, if there is one. */
export function resultOf(row: Row, deliveries: readonly Delivery[], now: ReadonlySignal<number>): Result {
  const { request } = row;
  if (request) return { text: String(request.status || 'no answer'), tone: isBad(request.status) ? 'bad' : 'plain' };
  const open = deliveries.filter(({ url }) => url !== null);
  const worst = open.find(isRetrying) ?? open.find(isDead) ?? open.find(isWaiting) ?? open.at(-1);
  if (worst) return resultOfDelivery(worst, now);
  return { text: deliveries.length > 0 ? 'no handler' : '', tone: 'plain' };
}

function resultOfDelivery(delivery: Delivery, now: ReadonlySignal<number>): Result {
  const answer = answerOf(delivery);
  if (isRetrying(delivery)) {
    const wait = Date.parse(delivery.next_at ?? '') - now.value;
    return { text: `${answer} · retry ${wait > 0 ? distanceText(Math.max(1_000, wait)) : 'now'}`, tone: 'wait' };
  }
  if (delivery.state === 'dead') return { text: `${answer} · gave up`, tone: 'bad' };
  if (isDead(delivery)) return { text: answer, tone: 'bad' };
  return {
    text: delivery.state === 'waiting' ? 'waiting' : delivery.state === 'dropped' ? 'dropped' : answer,
    tone: 'plain',
  };
}

/** The status; an error is longer than its place. */
function answerOf({ last, forwarded }: Delivery): string {
  const answer = forwarded ?? last;
  if (typeof answer === 'number') return String(answer);
  return /within|time/.test(answer ?? '') ? 'late' : 'down';
}

function isBad(status: number): boolean {
  return status === 0 || status >= 400;
}

function isWaiting({ state }: Delivery): boolean {
  return state === 'waiting';
}

function isRetrying({ state, attempts }: Delivery): boolean {
  return state === 'waiting' && attempts > 0;
}

function isDead({ state, forwarded }: Delivery): boolean {
  return state === 'dead' || (forwarded !== null && !(typeof forwarded === 'number' && forwarded < 300));
}
