export interface Clock {
  /** Sandbox time, used for receipts, retries, the minute and the month. */
  now(): number;
  /** Real time, used for signatures and HTTP dates. */
  wall(): number;
  /** Calls `run` at a time; returns a cancel function. With `isIdle`, `nextAt` skips a timer that has nothing left to do. */
  at(time: number, run: () => unknown, isIdle?: () => boolean): () => void;
}

/** Frozen at a time, or running a number of milliseconds ahead of real time. */
export type ClockSetting = { readonly frozen: number } | { readonly ahead: number };

/** A clock that can be stopped and moved. */
export type AdjustableClock = ReturnType<typeof createClock>;

/** Milliseconds. Node's timers fire immediately for a longer time. */
export const longestTimer = 2 ** 31 - 1;

/** Milliseconds. No advance and no fault lasts longer. */
export const century = 100 * 366 * 86_400_000;

/** Creates a clock. Its timers do not keep the process alive. */
export function createClock(initial: ClockSetting = { ahead: 0 }, wall: () => number = Date.now) {
  const queue = createDueQueue();
  let setting = initial;
  /** Current time during an advance; overrides the setting. */
  let advancedTo: number | undefined;
  let advances = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const now = () => advancedTo ?? ('frozen' in setting ? setting.frozen : wall() + setting.ahead);
  return {
    now,
    wall,
    at(time: number, run: () => unknown, isIdle?: () => boolean) {
      const due: Due = { at: time, run, isIdle };
      const first = queue.firstAt();
      queue.add(due);
      if (first === undefined || time < first) arm();
      return () => {
        due.canceled = true;
      };
    },
    setting: (): ClockSetting => setting,
    set(next: ClockSetting) {
      setting = next;
      arm();
    },
    /** Time of the next timer that does something. */
    nextAt: queue.firstBusyAt,
    /** Stops a running advance at its current time. */
    stop: () => {
      stopped = true;
    },
    /** Runs all timers due in this span in order, and awaits each one and its effects. */
    advance: (milliseconds: number, settled?: () => Promise<void>) =>
      (advances = advances.catch(() => {}).then(() => pass(milliseconds, settled))),
  };

  async function pass(milliseconds: number, settled: () => unknown = () => {}): Promise<void> {
    const end = now() + milliseconds;
    const isFrozen = 'frozen' in setting;
    // Updates the setting at each step, so that it is right even if the advance is stopped.
    const moveTo = (time: number) => {
      advancedTo = time;
      setting = isFrozen ? { frozen: time } : { ahead: time - wall() };
    };
    moveTo(now());
    try {
      for (let due = stopped ? undefined : queue.takeBy(end); due; due = stopped ? undefined : queue.takeBy(end)) {
        moveTo(Math.max(now(), due.at));
        await due.run();
        await settled();
      }
      if (!stopped) moveTo(end);
    } finally {
      advancedTo = undefined;
      arm();
    }
  }

  function arm(): void {
    clearTimeout(timer);
    const first = queue.firstAt();
    if (first === undefined || advancedTo !== undefined || 'frozen' in setting) return;
    timer = setTimeout(fire, Math.min(Math.max(first - now(), 0), longestTimer));
    timer.unref();
  }

  function fire(): void {
    if (advancedTo === undefined && !('frozen' in setting)) {
      for (let due = queue.takeBy(now()); due; due = queue.takeBy(now())) void due.run();
    }
    arm();
  }
}

export const landmarks = ['next', 'next-minute', 'next-hour', 'next-day', 'next-month'] as const;

export type Landmark = (typeof landmarks)[number];

/** Creates a frozen clock. */
export function manualClock(start: number = Date.UTC(2026, 0, 1), wall?: () => number) {
  return createClock({ frozen: start }, wall);
}

interface Due {
  readonly at: number;
  readonly run: () => unknown;
  readonly isIdle: (() => boolean) | undefined;
  /** Dropped when it reaches the front. */
  canceled?: true;
}

/** The entries in order of time; among equals, in order of addition. */
function createDueQueue() {
  const queue: Due[] = [];
  const first = () => {
    while (queue[0]?.canceled) queue.shift();
    return queue[0];
  };
  return {
    /** Time of the earliest entry. */
    firstAt: () => first()?.at,
    /** Time of the earliest entry that is not idle. */
    firstBusyAt: () => queue.find(({ canceled, isIdle }) => !canceled && isIdle?.() !== true)?.at,
    /** Most entries are added near the end. */
    add: (due: Due) => void queue.splice(queue.findLastIndex(({ at }) => at <= due.at) + 1, 0, due),
    /** Removes and returns the earliest entry due by this time. */
    takeBy(time: number): Due | undefined {
      const due = first();
      return due && due.at <= time ? queue.shift() : undefined;
    },
  };
}
