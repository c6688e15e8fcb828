// The page loads this in the browser, so it imports nothing of the sandbox but types.
import { isDelivered } from '../../contract/events.ts';
import type { DeliveryRecord } from '../events/deliveries.ts';
import type { MessageStory } from '../views.ts';

type Attempt = DeliveryRecord['attempts'][number];
type Forward = DeliveryRecord['forwards'][number];

/** Something that happened to a message or because of it, or that is still to come. */
export interface Step {
  readonly key: string;
  /** `delivery` and `handler` belong to the event before: a webhook was asked, or the handler behind a listener. */
  readonly kind: 'request' | 'event' | 'delivery' | 'handler';
  /** The method and path, the type of the event, or the URL; null without a webhook. */
  readonly what: string | null;
  readonly note: string;
  /** By the clock of the sandbox. */
  readonly at: number;
  /** `pending` has not happened yet: it is due. */
  readonly state: 'good' | 'bad' | 'pending' | 'plain';
  /** The id of an event. */
  readonly event?: string;
  /** The body of the last attempt to deliver an event. */
  readonly payload?: object;
  readonly attempt?: Attempt;
  readonly forward?: Forward;
}

/** The request, the receipts of a message, their events, and each attempt to deliver them, in order. */
export function stepsOf({ request, sent_at: sentAt, receipts, events }: MessageStory): readonly Step[] {
  const sent: Step = {
    key: 'request',
    kind: 'request',
    what: request && `${request.method} ${request.path}`,
    note: request ? `${request.status}${request.fault === null ? '' : ', injected by a fault'}` : '',
    at: Date.parse(sentAt),
    state: request && request.status >= 300 ? 'bad' : 'good',
  };
  const following = receipts.flatMap(({ type, at, event: id }): readonly Step[] => {
    const event = events.find((event) => event.id === id);
    if (event) return eventSteps(event, event.deliveries);
    return [{ key: type, kind: 'event', what: type, note: '', at: Date.parse(at), state: 'pending' }];
  });
  return [sent, ...following];
}

interface Event extends Pick<MessageStory['events'][number], 'id' | 'at' | 'data'> {
  readonly type: string;
}

/** An event, and the attempts to deliver it. */
export function eventSteps({ id, type, at, data }: Event, deliveries: readonly DeliveryRecord[]): readonly Step[] {
  const state = type === 'message.failed' ? 'bad' : 'good';
  const happened: Step = {
    key: id,
    kind: 'event',
    what: type,
    note: reasonIn(data),
    at: Date.parse(at),
    state,
    event: id,
  };
  const steps = [happened, ...deliveries.flatMap(deliverySteps)];
  const last = steps.findLast(({ attempt, forward }) => attempt ?? forward) ?? happened;
  return steps.map((step) => (step === last ? { ...step, payload: { type, timestamp: at, data } } : step));
}

/** Why a message failed; empty if the data has no reason. */
export function reasonIn({ reason }: Event['data']): string {
  if (typeof reason !== 'object' || reason === null) return '';
  return Object.values(reason).join(': ');
}

/** The attempts of a delivery, the answers of a handler behind a listener, and how it goes on. */
function deliverySteps(delivery: DeliveryRecord): readonly Step[] {
  const { id, url: what, attempts, forwards } = delivery;
  const tried = attempts.map((attempt, number): Step => {
    const { at, response, error, took } = attempt;
    const answered = answerOf({ status: response?.status, error, took });
    const again = number === 0 ? '' : `retry ${number}: `;
    return { key: `${id} ${number}`, kind: 'delivery', what, at, attempt, ...answered, note: again + answered.note };
  });
  const handled = forwards.map((forward, number): Step => {
    const { at, url } = forward;
    return { key: `${id} handler ${number}`, kind: 'handler', what: url, at, forward, ...answerOf(forward) };
  });
  return [...[...tried, ...handled].sort((a, b) => a.at - b.at), ...restOf(delivery)];
}

function answerOf({ status, error, took }: Pick<Forward, 'status' | 'error' | 'took'>): Pick<Step, 'note' | 'state'> {
  return {
    note: `${error ?? status ?? 'no answer'} in ${took} ms`,
    state: isDelivered({ status, error }) ? 'good' : 'bad',
  };
}

/** The next attempt, or the reason that no other follows. */
function restOf({ id, url: what, state, attempts, last, next_at: next, at }: DeliveryRecord): readonly Step[] {
  const step = { key: `${id} next`, kind: 'delivery', what } as const;
  const count = attempts.length;
  if (what === null) return [{ ...step, note: 'no webhook received it', at: Date.parse(at), state: 'plain' }];
  if (next !== null) {
    const note = count === 0 ? 'first attempt' : `retry ${count}`;
    return [{ ...step, note, at: Date.parse(next), state: 'pending' }];
  }
  if (state !== 'dead') return [];
  return [{ ...step, note: endOf({ attempts, last }), at: attempts.at(-1)?.at ?? Date.parse(at), state: 'bad' }];
}

type Outcome = Pick<DeliveryRecord, 'state' | 'last' | 'forwarded'>;

export function isRetrying({ state, last }: Outcome): boolean {
  return state === 'waiting' && last !== null;
}

/** Given up, or accepted by a listener whose handler refused it. */
export function isDead({ state, forwarded }: Outcome): boolean {
  if (typeof forwarded === 'string') return true;
  return state === 'dead' || (forwarded !== null && !isDelivered({ status: forwarded }));
}

/** Whether a request was answered with an error, or not at all. */
export function isFailed({ status }: { readonly status: number }): boolean {
  return status === 0 || status >= 400;
}

/** Why a dead delivery is not attempted again. */
export function endOf({ attempts, last }: Pick<DeliveryRecord, 'attempts' | 'last'>): string {
  const isClosed = typeof last === 'string' && last !== attempts.at(-1)?.error;
  return isClosed ? `given up: ${last}` : `given up after ${attempts.length} attempts`;
}
