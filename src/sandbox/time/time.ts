import { deliveryNamed } from '../events/deliveries.ts';
import type { Core, Happening, State } from '../state/state.ts';
import { type AdjustableClock, type ClockSetting, type Landmark } from './clock.ts';

export type Fired = ReturnType<typeof firedBy>[number];

/** Reads and controls the sandbox's time. `settled` resolves when no delivery is in flight. */
export function createTime({ store, clock }: Core, settled: () => Promise<void>) {
  const advances = new Set<Fired[]>();
  store.follow((what) => {
    for (const fired of advances) fired.push(...firedBy(what, clock.now(), store.state));
  });
  const save = () =>
    store.change(() => {
      store.state.clock = clock.setting();
      store.happened({ type: 'clock' });
    });
  const set = (setting: ClockSetting) => {
    clock.set(setting);
    save();
    return timeOf(clock);
  };
  return {
    now: () => timeOf(clock),
    freeze: () => set({ frozen: clock.now() }),
    real: () => set({ ahead: 0 }),
    /** Runs everything that becomes due, in order, and awaits each delivery. */
    async advance(span: number | Landmark) {
      const milliseconds = typeof span === 'number' ? span : timeOfLandmark(span, clock) - clock.now();
      const fired: Fired[] = [];
      advances.add(fired);
      // The result of a delivery in flight decides when its retry is due.
      await settled();
      // Saved after each step, so that an interrupted advance never sets the time back.
      const step = () => settled().then(save);
      await clock.advance(milliseconds, step).finally(() => advances.delete(fired));
      save();
      return { ...timeOf(clock), fired };
    },
  };
}

/** `ahead` is in milliseconds of real time; negative if behind. */
function timeOf(clock: AdjustableClock) {
  const now = clock.now();
  return { now: new Date(now).toISOString(), frozen: 'frozen' in clock.setting(), ahead: now - clock.wall() };
}

/** An event or a delivery attempt. Its answer is a status, or the error without one. */
function firedBy(what: Happening, now: number, state: State) {
  const at = new Date(now).toISOString();
  if (what.type === 'event') {
    const { type, id, message } = what.emitted.event;
    return [{ at, what: type, id, about: message, answer: undefined }];
  }
  const delivery = what.type === 'attempt' ? deliveryNamed(state, what.id) : undefined;
  const last = delivery?.attempts.at(-1);
  if (!delivery || !last) return [];
  return [{ at, what: 'attempt', id: delivery.id, about: delivery.url, answer: last.response?.status ?? last.error }];
}

/** Without a timer, `next` is now. */
function timeOfLandmark(landmark: Landmark, clock: AdjustableClock): number {
  const now = clock.now();
  return landmark === 'next' ? Math.max(now, clock.nextAt() ?? now) : landmarkAfter[landmark](new Date(now));
}

/** In UTC, like the months of a plan. */
const landmarkAfter: Readonly<Record<Exclude<Landmark, 'next'>, (date: Date) => number>> = {
  'next-minute': (date) => date.setUTCMinutes(date.getUTCMinutes() + 1, 0, 0),
  'next-hour': (date) => date.setUTCHours(date.getUTCHours() + 1, 0, 0, 0),
  'next-day': (date) => date.setUTCHours(24, 0, 0, 0),
  'next-month': (date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1),
};
