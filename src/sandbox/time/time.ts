import { isWaiting } from '../events/fan-out.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../state/store.ts';
import type { Change } from '../state/records.ts';
import type { State } from '../state/state.ts';
import type { AdjustableClock, ClockSetting } from './clock.ts';

/** The sandbox's time in its user's hands. */
export interface Time {
  now(): TimeNow;
  freeze(): TimeNow;
  /** Back to the wall; tells what is due later than it would have been. */
  real(): TimeNow & Stranded;
  /** Runs in order what falls due until then, and awaits each delivery. */
  advance(span: number | Landmark): Promise<TimeNow & { readonly fired: readonly Fired[] }>;
}

interface TimeNow {
  readonly now: string;
  readonly frozen: boolean;
  /** Milliseconds before the wall; negative when behind. */
  readonly ahead: number;
}

/** What happened on the way: an event, or an attempt to deliver one. */
interface Fired {
  readonly at: string;
  readonly what: string;
  readonly id: string;
  readonly about?: string | undefined;
  /** A status, or why there is none. */
  readonly answer?: number | string | undefined;
}

export const landmarks = ['next-minute', 'next-hour', 'next-day', 'next-month'] as const;

export type Landmark = (typeof landmarks)[number];

interface TimeOptions {
  readonly store: Store;
  readonly clock: AdjustableClock;
  /** Nothing is on its way to a webhook any more. */
  readonly settled: () => Promise<void>;
}

const century = 100 * 366 * 86_400_000;

export function createTime({ store, clock, settled }: TimeOptions): Time {
  const passing = new Set<Fired[]>();
  store.follow((change) => {
    for (const fired of passing) for (const one of firedBy(change, clock.now(), store)) fired.push(one);
  });
  const keep = () => store.commit([{ type: 'clock', clock: clock.setting() }]);
  const set = (setting: ClockSetting): TimeNow => {
    clock.set(setting);
    keep();
    return timeOf(clock);
  };
  return {
    now: () => timeOf(clock),
    freeze: () => set({ frozen: clock.now() }),
    real() {
      const before = clock.now();
      const now = set({ ahead: 0 });
      return { ...now, ...(clock.now() < before ? strandedAfter(before, store.state) : none) };
    },
    async advance(span) {
      const milliseconds = typeof span === 'number' ? span : landmarkAfter[span](new Date(clock.now())) - clock.now();
      if (!(milliseconds >= 0 && milliseconds <= century))
        throw new Refusal(400, 'time goes forward, by at most a century');
      const fired: Fired[] = [];
      passing.add(fired);
      // What left before must have come to its end: when it goes again follows from that.
      await settled();
      // Kept step by step, so that time never goes back where it is interrupted.
      const step = () => settled().then(keep);
      await clock.advance(milliseconds, step).finally(() => passing.delete(fired));
      keep();
      return { ...timeOf(clock), fired };
    },
  };
}

function timeOf(clock: AdjustableClock): TimeNow {
  const now = clock.now();
  return { now: new Date(now).toISOString(), frozen: 'frozen' in clock.setting(), ahead: now - clock.wall() };
}

function firedBy(change: Change, now: number, { state }: Store): readonly Fired[] {
  const at = new Date(now).toISOString();
  if (change.type === 'event')
    return [{ at, what: change.event.type, id: change.event.id, about: change.event.message }];
  if (change.type !== 'attempt') return [];
  const { response, error } = change.attempt;
  const url = state.deliveries.get(change.delivery)?.to.webhook.url;
  return [{ at, what: 'attempt', id: change.delivery, about: url, answer: response?.status ?? error }];
}

/** In UTC, as months are counted. */
const landmarkAfter: Readonly<Record<Landmark, (date: Date) => number>> = {
  'next-minute': (date) => date.setUTCMinutes(date.getUTCMinutes() + 1, 0, 0),
  'next-hour': (date) => date.setUTCHours(date.getUTCHours() + 1, 0, 0, 0),
  'next-day': (date) => date.setUTCHours(24, 0, 0, 0),
  'next-month': (date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
};

/** What a clock that goes back leaves behind: it is due at its own time, which is far away now. */
interface Stranded {
  /** How many receipts and deliveries. */
  readonly later: number;
  /** When the first of them is due. */
  readonly from: string | null;
}

const none: Stranded = { later: 0, from: null };

/** Those that are due after that time. What waits for a webhook that gets nothing more is due no more. */
function strandedAfter(time: number, state: State): Stranded {
  const receipts = [...state.messages.values()].flatMap(({ message, done }) => message.receipts.slice(done));
  const waiting = [...state.deliveries.values()].filter((sending) => isWaiting(sending, state));
  const times = [...receipts.map(({ at }) => at), ...waiting.map(({ next }) => Number(next))];
  const due = times.filter((at) => at > time);
  const first = due.reduce((least, at) => Math.min(least, at), Infinity);
  return due.length === 0 ? none : { later: due.length, from: new Date(first).toISOString() };
}
