import { setTimeout as wait } from 'node:timers/promises';

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
export interface AdjustableClock extends Clock {
  setting(): ClockSetting;
  set(setting: ClockSetting): void;
  /** Time of the next timer that does something. */
  nextAt(): number | undefined;
  /** Stops a running advance at its current time. */
  stop(): void;
  /** Runs all timers due in this span in order, and awaits each one and its effects. */
  advance(milliseconds: number, settled?: () => Promise<void>): Promise<void>;
}

/** Milliseconds. Node's timers fire immediately for a longer time. */
export const longestTimer = 2 ** 31 - 1;

/** Milliseconds. No advance and no fault lasts longer. */
export const century = 100 * 366 * 86_400_000;

/** Creates a clock. Its timers do not keep the process alive. */
export function createClock(initial: ClockSetting = { ahead: 0 }, wall: () => number = Date.now): AdjustableClock {
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
    at(time, run, isIdle) {
      const due = { at: time, run, isIdle };
      const first = queue.firstAt();
      queue.add(due);
      if (first === undefined || time < first) arm();
      return () => queue.remove(due);
    },
    setting: () => setting,
    set(next) {
      setting = next;
      arm();
    },
    nextAt: queue.firstBusyAt,
    stop: () => {
      stopped = true;
    },
    advance: (milliseconds, settled) => (advances = advances.catch(() => {}).then(() => pass(milliseconds, settled))),
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

export const landmarks = ['next-due', 'next-minute', 'next-hour', 'next-day', 'next-month'] as const;

export type Landmark = (typeof landmarks)[number];

/** Creates a frozen clock. */
export function manualClock(start: number = Date.UTC(2026, 0, 1), wall?: () => number): AdjustableClock {
  return createClock({ frozen: start }, wall);
}

/** Waits in real time. Unlike a clock's timers, it keeps the process alive. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal ? { signal } : {});
}

interface Due {
  readonly at: number;
  readonly run: () => unknown;
  readonly isIdle: (() => boolean) | undefined;
  /** Dropped when it reaches the front. */
  canceled?: true;
}

interface DueQueue {
  add(due: Due): void;
  remove(due: Due): void;
  /** Removes and returns the earliest entry due by this time; among equals, the one added first. */
  takeBy(time: number): Due | undefined;
  /** Time of the earliest entry. */
  firstAt(): number | undefined;
  /** Time of the earliest entry that is not idle. */
  firstBusyAt(): number | undefined;
}

interface Entry {
  readonly due: Due;
  readonly ordinal: number;
}

/** A binary heap, since it may hold the receipts of a whole month. */
function createDueQueue(): DueQueue {
  const heap: Entry[] = [];
  let ordinal = 0;
  return {
    firstAt() {
      for (let first = heap[0]; first?.due.canceled; first = heap[0]) sink(heap);
      return heap[0]?.due.at;
    },
    firstBusyAt() {
      let first: number | undefined;
      for (const { due } of heap)
        if (!due.canceled && (first === undefined || due.at < first) && due.isIdle?.() !== true) first = due.at;
      return first;
    },
    add(due) {
      rise(heap, { due, ordinal: ordinal++ });
    },
    remove(due) {
      due.canceled = true;
    },
    takeBy(time) {
      for (let first = heap[0]; first && first.due.at <= time; first = heap[0]) {
        sink(heap);
        if (!first.due.canceled) return first.due;
      }
      return undefined;
    },
  };
}

function rise(heap: Entry[], entry: Entry): void {
  let place = heap.length;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (!parent || !isBefore(entry, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = entry;
}

/** Removes the first entry: moves the last entry to the front, then down to its place. */
function sink(heap: Entry[]): void {
  const entry = heap.pop();
  if (!entry || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = place * 2 + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    const child = b && a && isBefore(b, a) ? { entry: b, place: left + 1 } : { entry: a, place: left };
    if (!child.entry || !isBefore(child.entry, entry)) break;
    heap[place] = child.entry;
    place = child.place;
  }
  heap[place] = entry;
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.due.at === b.due.at ? a.ordinal < b.ordinal : a.due.at < b.due.at;
}
