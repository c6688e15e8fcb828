import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** The sandbox's time: receipts, retries, the minute and the month follow it. */
  now(): number;
  /** The time of day outside, which receivers and HTTP dates are held to. */
  wall(): number;
  /** Runs it once that time has come; what is returned calls it off. */
  at(time: number, run: () => unknown): () => void;
}

/** Standing still at a time, or running so far ahead of the wall. */
export type ClockSetting = { readonly frozen: number } | { readonly ahead: number };

/** A clock that can be stopped and moved. */
export interface AdjustableClock extends Clock {
  setting(): ClockSetting;
  set(setting: ClockSetting): void;
  freeze(): void;
  /** An advance that goes on ends where it is. */
  stop(): void;
  /** Runs in order what falls due in this span, and awaits each, and what it caused. */
  advance(milliseconds: number, settled?: () => Promise<void>): Promise<void>;
}

const longestTimer = 2 ** 31 - 1;

/** The only place that knows the machine's time and timers. None of them keeps the process alive. */
export function createClock(initial: ClockSetting = { ahead: 0 }, wall: () => number = Date.now): AdjustableClock {
  const queue = createDueQueue();
  let setting = initial;
  /** Where an advance stands, in place of the setting. */
  let passing: number | undefined;
  let advances = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const now = () => passing ?? ('frozen' in setting ? setting.frozen : wall() + setting.ahead);
  const set = (next: ClockSetting) => {
    setting = next;
    arm();
  };
  return {
    now,
    wall,
    at(time, run) {
      const due = { at: time, run };
      const first = queue.firstAt();
      queue.add(due);
      if (first === undefined || time < first) arm();
      return () => queue.remove(due);
    },
    setting: () => setting,
    set,
    freeze: () => set({ frozen: now() }),
    stop: () => {
      stopped = true;
    },
    advance: (milliseconds, settled) => (advances = advances.catch(() => {}).then(() => pass(milliseconds, settled))),
  };

  async function pass(milliseconds: number, settled: () => unknown = () => {}): Promise<void> {
    const end = now() + milliseconds;
    const isFrozen = 'frozen' in setting;
    // Its setting says how far it came, also when it is stopped on the way.
    const reach = (time: number) => {
      passing = time;
      setting = isFrozen ? { frozen: time } : { ahead: time - wall() };
    };
    reach(now());
    try {
      for (let due = stopped ? undefined : queue.takeBy(end); due; due = stopped ? undefined : queue.takeBy(end)) {
        reach(Math.max(now(), due.at));
        await due.run();
        await settled();
      }
      if (!stopped) reach(end);
    } finally {
      passing = undefined;
      arm();
    }
  }

  function arm(): void {
    clearTimeout(timer);
    const first = queue.firstAt();
    if (first === undefined || passing !== undefined || 'frozen' in setting) return;
    timer = setTimeout(fire, Math.min(Math.max(first - now(), 0), longestTimer));
    timer.unref();
  }

  function fire(): void {
    if (passing === undefined && !('frozen' in setting)) {
      for (let due = queue.takeBy(now()); due; due = queue.takeBy(now())) void due.run();
    }
    arm();
  }
}

/** A clock that stands still until it is advanced. */
export function manualClock(start: number = Date.UTC(2026, 0, 1), wall?: () => number): AdjustableClock {
  return createClock({ frozen: start }, wall);
}

/** Unlike a clock's timers, this keeps the process alive. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal ? { signal } : {});
}

interface Due {
  readonly at: number;
  readonly run: () => unknown;
  /** Called off: it is dropped when it comes to the front. */
  off?: true;
}

interface DueQueue {
  add(due: Due): void;
  remove(due: Due): void;
  /** Takes out the earliest that is due by then; of equals, the one added first. */
  takeBy(time: number): Due | undefined;
  /** When the earliest is due. */
  firstAt(): number | undefined;
}

interface Entry {
  readonly due: Due;
  readonly ordinal: number;
}

/** A binary heap: what waits may be a month of receipts. */
function createDueQueue(): DueQueue {
  const heap: Entry[] = [];
  let ordinal = 0;
  return {
    firstAt() {
      for (let first = heap[0]; first?.due.off; first = heap[0]) sink(heap);
      return heap[0]?.due.at;
    },
    add(due) {
      rise(heap, { due, ordinal: ordinal++ });
    },
    remove(due) {
      due.off = true;
    },
    takeBy(time) {
      for (let first = heap[0]; first && first.due.at <= time; first = heap[0]) {
        sink(heap);
        if (!first.due.off) return first.due;
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

/** Drops the first: the last takes its place and sinks to where it belongs. */
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
