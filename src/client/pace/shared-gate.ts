import type { Later } from '../../base/host.ts';
import { countsOf, type Grant, type SharedMinute, type Report } from './minute.ts';
import type { RequestEnd, Gate } from './pace.ts';

interface SharedGateOptions {
  readonly minute: SharedMinute;
  readonly kind: Report['kind'];
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  /** The clock of the pace. */
  readonly now: () => number;
  readonly later: Later;
  /** Called once for each wait caused by other processes. */
  readonly onWait: (milliseconds: number, why: Grant['why']) => void;
  /** Called once if the shared minute fails; from then on, requests do not wait for other processes. */
  readonly onFailure: (error: unknown) => void;
}

/** A run takes slots for this many milliseconds in one request and returns unused ones. */
const lease = 50;
/** Milliseconds until results are reported if no slot is requested meanwhile. */
const reportDelay = 50;
/** Shorter waits are not reported to the user. */
const shortestReportedWait = 1_000;

/** A gate that gets its slots from a shared minute. `changed` is called if it may open sooner than it returned. */
export function createSharedGate(options: SharedGateOptions, changed: () => void): Gate {
  const { minute, kind, limit, now } = options;
  const slotsAtOnce = kind === 'run' ? 1 + Math.floor((limit * lease) / options.window) : 1;
  const unreported = createUnreported(now);
  const reportTimer = createTimer(options.later, () => {
    if (unused === 0 && unreported.isEmpty()) return;
    report();
    changed();
  });
  let phase: 'idle' | 'asking' | 'failed' = 'idle';
  let [unused, inUse, askAgainAt, freeAt, heldUntil] = [0, 0, -Infinity, -Infinity, -Infinity];
  let [isRefused, hasWarned, isClosed] = [false, false, false];

  return {
    dueAt: (time) => {
      if (phase === 'idle' && unused === 0 && time >= askAgainAt) ask(slotsAtOnce);
      if (phase === 'failed' || unused > 0) return time;
      return phase === 'asking' ? Infinity : askAgainAt;
    },
    take: () => {
      unused -= 1;
      inUse += 1;
    },
    finish: (ended) => {
      inUse -= 1;
      if (phase === 'failed') return;
      if (ended === 'unsent' && kind === 'run') return keep();
      unreported.add(ended);
      if (ended === 'limited' || (inUse === 0 && slotsAtOnce === 1)) report();
      else reportTimer.set();
    },
    freeAt: () => freeAt,
    hold: (until) => {
      unused = 0;
      heldUntil = Math.max(heldUntil, until);
      unreported.hold(until);
    },
    close: () => {
      if (phase === 'idle' && (unused > 0 || !unreported.isEmpty())) ask(0);
      isClosed = true;
      reportTimer.cancel();
    },
  };

  /** Another process has sent this row: the slot is for the next one, and not for the end of the line. */
  function keep(): void {
    unused += 1;
    reportTimer.set();
  }

  function report(): void {
    if (phase === 'idle') ask(isRefused ? slotsAtOnce : 0);
    scheduleReport();
  }

  /** Unused slots are returned with the report. */
  function scheduleReport(): void {
    if (phase === 'asking' || unused > 0) reportTimer.set();
  }

  function ask(wanted: number): void {
    reportTimer.cancel();
    [phase, unused] = ['asking', 0];
    try {
      const granted = minute.report({ kind, limit, inUse, wanted, ...unreported.takeAll() });
      if (granted instanceof Promise) void granted.then((answer) => answered(wanted, answer), failed).then(afterAnswer);
      else answered(wanted, granted);
    } catch (error) {
      failed(error);
    }
  }

  function answered(wanted: number, { slots, again, wait, why }: Grant): void {
    [phase, isRefused] = ['idle', wanted > 0 && slots === 0];
    unused += slots;
    askAgainAt = isRefused ? now() + again : -Infinity;
    freeAt = isRefused ? now() + wait : -Infinity;
    if (slots > 1 && !isClosed) reportTimer.set();
    if (!isRefused) hasWarned = false;
    else if (!hasWarned && wait > shortestReportedWait && now() >= heldUntil) {
      hasWarned = true;
      options.onWait(wait, why);
    }
  }

  function afterAnswer(): void {
    // A timer would keep the process alive.
    if (isClosed) return;
    changed();
    if (!unreported.isEmpty()) reportTimer.set();
    scheduleReport();
  }

  function failed(error: unknown): void {
    phase = 'failed';
    options.onFailure(error);
  }
}

interface Timer {
  set(): void;
  cancel(): void;
}

/** Fires once, even if it is set several times. */
function createTimer(later: Later, fire: () => void): Timer {
  let cancel: (() => void) | undefined;
  return {
    set: () => {
      cancel ??= later(reportDelay, () => {
        cancel = undefined;
        fire();
      });
    },
    cancel: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Results that are not reported yet. */
interface Unreported {
  add(ended: RequestEnd): void;
  hold(until: number): void;
  isEmpty(): boolean;
  takeAll(): Pick<Report, 'finished' | 'ended' | 'heldUntil'>;
}

function createUnreported(now: () => number): Unreported {
  let times: number[] = [];
  let ended: RequestEnd | undefined;
  let heldUntil = 0;
  return {
    add: (how) => {
      if (how !== 'unsent') times.push(now());
      ended = worst(ended, how);
    },
    hold: (until) => {
      heldUntil = Math.max(heldUntil, until);
    },
    isEmpty: () => ended === undefined && heldUntil === 0,
    takeAll: () => {
      const all = { finished: countsOf(times), ended, heldUntil };
      [times, ended, heldUntil] = [[], undefined, 0];
      return all;
    },
  };
}

function worst(one: RequestEnd | undefined, other: RequestEnd): RequestEnd {
  if (one === 'limited' || other === 'limited') return 'limited';
  return one === 'done' ? 'done' : other;
}
