import type { OutputOf } from '../sandbox/control/operations.ts';

type Story = OutputOf<'message'>;
type Delivery = Story['events'][number]['deliveries'][number];
export type Attempt = Delivery['attempts'][number];

/** Something that happened to a message or because of it, or that is still to come. */
export interface Step {
  readonly key: string;
  readonly title: string;
  readonly note: string;
  /** By the clock of the sandbox. */
  readonly at: number;
  /** `pending` has not happened yet: it is due. */
  readonly state: 'good' | 'bad' | 'pending' | 'plain';
  /** It belongs to the event before. */
  readonly isDelivery: boolean;
  /** The event whose payload it shows. */
  readonly event?: string;
  readonly attempt?: Attempt;
}

/** The receipts of a message, their events, and each attempt to deliver them. */
export function stepsOf({ receipts, events }: Pick<Story, 'receipts' | 'events'>): readonly Step[] {
  return receipts.flatMap(({ type, at, event: id }): readonly Step[] => {
    const title = type.replace('message.', '');
    const time = Date.parse(at);
    const event = events.find((one) => one.id === id);
    if (!event) return [{ key: type, title, note: '', at: time, state: 'pending', isDelivery: false }];
    const state = type === 'message.failed' ? 'bad' : 'good';
    const first: Step = { key: event.id, title, note: '', at: time, state, isDelivery: false, event: event.id };
    return [first, ...event.deliveries.flatMap(deliverySteps)];
  });
}

/** The attempts of a delivery, and when the next one is due. */
export function deliverySteps({ id, url, state, attempts, next_at: next, at }: Delivery): readonly Step[] {
  const same = { isDelivery: true } as const;
  if (url === null) {
    const note = 'no webhook receives it';
    return [{ ...same, key: `${id} queued`, title: 'Not delivered', note, at: Date.parse(at), state: 'plain' }];
  }
  const title = `POST ${url.replace(/^https?:\/\//, '')}`;
  const tried = attempts.map((attempt, number): Step => {
    const status = attempt.response?.status;
    const answer = status === undefined ? (attempt.error ?? 'no answer') : String(status);
    const isGood = status !== undefined && status < 300 && attempt.error === undefined;
    const again = number === 0 ? '' : `retry ${number}: `;
    const note = `${again}${answer} in ${attempt.took} ms`;
    return {
      ...same,
      key: `${id} ${number}`,
      title,
      note,
      at: attempt.at,
      state: isGood ? 'good' : 'bad',
      attempt,
    };
  });
  if (next === null)
    return tried.length > 0 ? tried : [{ ...same, key: id, title, note: state, at: 0, state: 'plain' }];
  const note = attempts.length === 0 ? 'first attempt' : `retry ${attempts.length}`;
  return [...tried, { ...same, key: `${id} next`, title, note, at: Date.parse(next), state: 'pending' }];
}
